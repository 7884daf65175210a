//! Bytes to text: UTF-8 is validated here, once, and repaired where it is broken.

use alloc::string::String;
use bytes::Bytes;
use bytestring::ByteString;

/// The text that the bytes are, if they are valid UTF-8.
#[inline]
pub(super) fn valid(bytes: &[u8]) -> Option<&str> {
    if !is_valid(bytes) {
        return None;
    }
    #[expect(unsafe_code, reason = "a check for ASCII has no `str` to show for it")]
    // SAFETY: `is_valid` has found these bytes to be UTF-8.
    unsafe {
        Some(str::from_utf8_unchecked(bytes))
    }
}

#[inline]
fn is_valid(bytes: &[u8]) -> bool {
    if bytes.len() < 64 {
        // Most short values are ASCII. `core` looks at them byte by byte where they are not aligned, which was
        // a fifth of all that a short event cost (DESIGN.md).
        return is_ascii(bytes) || core::str::from_utf8(bytes).is_ok();
    }
    #[cfg(feature = "simd")]
    return simdutf8::basic::from_utf8(bytes).is_ok();
    #[cfg(not(feature = "simd"))]
    return core::str::from_utf8(bytes).is_ok();
}

/// Whether a short text is ASCII, eight bytes at a time; the last eight may overlap those before.
#[inline]
fn is_ascii(bytes: &[u8]) -> bool {
    const TOP_BITS: u64 = 0x8080_8080_8080_8080;
    let seen = match bytes.last_chunk::<8>() {
        Some(last) => {
            let words = bytes.as_chunks::<8>().0.iter();
            words.fold(u64::from_le_bytes(*last), |seen, word| seen | u64::from_le_bytes(*word))
        }
        None => bytes.iter().fold(0, |seen, byte| seen | u64::from(*byte)),
    };
    seen & TOP_BITS == 0
}

/// Appends the bytes to `text`, with U+FFFD for each maximal subpart that is not valid, as ["UTF-8 decode"] does.
///
/// Room is made exactly, in one step.
///
/// ["UTF-8 decode"]: https://encoding.spec.whatwg.org/#utf-8-decode
#[cold]
pub(super) fn repair(bytes: &[u8], text: &mut String) {
    const REPLACEMENT: &str = "\u{FFFD}";
    let pieces = || {
        bytes.utf8_chunks().flat_map(|chunk| [chunk.valid(), if chunk.invalid().is_empty() { "" } else { REPLACEMENT }])
    };
    text.reserve_exact(pieces().map(str::len).sum());
    text.extend(pieces());
}

/// The text that the bytes are, repaired where they are not valid; shares the bytes where they are.
#[inline]
pub(super) fn owned(bytes: Bytes) -> ByteString {
    if !is_valid(&bytes) {
        let mut text = String::new();
        repair(&bytes, &mut text);
        return text.into();
    }
    #[expect(unsafe_code, reason = "`ByteString` cannot be told otherwise that the bytes were validated")]
    // SAFETY: `is_valid` has found these same bytes, which nothing can change, to be UTF-8.
    unsafe {
        ByteString::from_bytes_unchecked(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::{owned, repair, valid};
    use alloc::string::String;
    use bytes::Bytes;
    use std::vec::Vec;

    #[test]
    fn agrees_with_the_standard_library() {
        // Every kind of break, at every place around the length from which simdutf8 is asked.
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
                    assert_eq!(valid(&bytes), core::str::from_utf8(&bytes).ok());
                    let mut text = String::from(">");
                    repair(&bytes, &mut text);
                    assert_eq!(text[1..], *String::from_utf8_lossy(&bytes));
                    assert_eq!(&*owned(Bytes::from(bytes.clone())), &text[1..]);
                }
            }
        }
    }
}
