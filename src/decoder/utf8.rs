//! The only place where bytes are checked to be text: UTF-8 is validated, or repaired where it is invalid.

use crate::line::Scanned;
use alloc::string::String;
use bytestring::ByteString;

/// The text of a value, if it is valid UTF-8.
#[inline]
pub(super) fn valid(value: Scanned<'_>) -> Option<&str> {
    value.text().or_else(|| validate(value.bytes()))
}

#[inline(never)]
fn validate(bytes: &[u8]) -> Option<&str> {
    #[cfg(feature = "simd")]
    if bytes.len() >= 64 {
        return simdutf8::basic::from_utf8(bytes).ok();
    }
    core::str::from_utf8(bytes).ok()
}

/// Where the first invalid sequence begins, if there is one.
#[cold]
pub(super) fn first_invalid(value: Scanned<'_>) -> Option<usize> {
    if value.text().is_some() {
        return None;
    }
    core::str::from_utf8(value.bytes()).err().map(|error| error.valid_up_to())
}

/// Appends the bytes to `text`, with U+FFFD for each maximal invalid subpart, as in ["UTF-8 decode"].
///
/// The caller has reserved the exact capacity, in one step.
///
/// ["UTF-8 decode"]: https://encoding.spec.whatwg.org/#utf-8-decode
#[cold]
pub(super) fn repair(bytes: &[u8], text: &mut String) {
    pieces(bytes, &mut |piece| text.push_str(piece));
}

/// The length of the repaired text of the bytes.
#[cold]
pub(super) fn repaired_len(bytes: &[u8]) -> usize {
    let mut len = 0;
    pieces(bytes, &mut |piece| len += piece.len());
    len
}

/// Calls `each` with the repaired text of the bytes, piece by piece.
#[cfg(not(target_family = "wasm"))]
fn pieces(bytes: &[u8], each: &mut impl FnMut(&str)) {
    for chunk in bytes.utf8_chunks() {
        each(chunk.valid());
        if !chunk.invalid().is_empty() {
            each("\u{FFFD}");
        }
    }
}

#[cfg(target_family = "wasm")]
use pieces_by_validation as pieces;

/// The same in less code, using the standard library's validation, which the program contains anyway.
/// [`utf8_chunks`](slice::utf8_chunks) would add 600 bytes to a program for a browser. This takes more than twice as
/// long.
#[cfg(any(target_family = "wasm", test))]
fn pieces_by_validation(mut bytes: &[u8], each: &mut dyn FnMut(&str)) {
    loop {
        let error = match core::str::from_utf8(bytes) {
            Ok(text) => return each(text),
            Err(error) => error,
        };
        let (valid, rest) = bytes.split_at_checked(error.valid_up_to()).unwrap_or_default();
        each(core::str::from_utf8(valid).unwrap_or_default());
        each("\u{FFFD}");
        // Without a length, the invalid sequence is an incomplete one at the end.
        bytes = rest.get(error.error_len().unwrap_or(rest.len())..).unwrap_or_default();
    }
}

/// The repaired text of the bytes.
#[cold]
pub(super) fn repaired(bytes: &[u8]) -> ByteString {
    let mut text = String::with_capacity(repaired_len(bytes));
    repair(bytes, &mut text);
    text.into()
}

#[cfg(test)]
mod tests {
    use super::{pieces_by_validation, repair, repaired, validate};
    use alloc::string::String;
    use std::vec::Vec;

    #[test]
    fn agrees_with_the_standard_library() {
        // Every kind of invalid sequence, at every position around the length from which simdutf8 is used.
        let kinds: [&[u8]; 14] = [
            b"",
            b"\x80",
            b"\xFF",
            b"\xC2",
            b"\xC0\xAF",
            b"\xE2\x82",
            b"\xE0\x80\x80",
            b"\xED\xA0\x80",
            b"\xF0\x9F\x98",
            b"\xF4\x90\x80\x80",
            b"\xF8\x88\x80\x80\x80",
            b"\xE2\x82\xAC",
            b"\xF0\x9F\x98\x80",
            b"\xC3\xA9",
        ];
        for kind in kinds {
            for before in (0..70).step_by(if cfg!(miri) { 63 } else { 1 }) {
                for after in [0, 1, 63, 64, 65] {
                    let mut bytes = Vec::new();
                    bytes.resize(before, b'a');
                    bytes.extend_from_slice(kind);
                    bytes.resize(bytes.len() + after, b'z');
                    assert_eq!(validate(&bytes), core::str::from_utf8(&bytes).ok());
                    let mut text = String::from(">");
                    repair(&bytes, &mut text);
                    assert_eq!(text[1..], *String::from_utf8_lossy(&bytes));
                    assert_eq!(&*repaired(&bytes), &text[1..]);
                    let mut on_wasm = String::from(">");
                    pieces_by_validation(&bytes, &mut |piece| on_wasm.push_str(piece));
                    assert_eq!(on_wasm, text);
                }
            }
        }
    }
}
