//! Text that is short enough to be stored in place.

/// Text of at most 23 bytes.
///
/// Its parts are words, so that it is created and moved in registers. In memory, the words are the text, followed by
/// zeros.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Short {
    first: u64,
    second: u64,
    third: u32,
    fourth: u16,
    fifth: u8,
    len: Len,
}

/// A length of at most 23. An enum around [`Short`] stores its variant in the unused values of this byte.
#[derive(Clone, Copy)]
#[repr(u8)]
#[rustfmt::skip]
enum Len {
    L0, L1, L2, L3, L4, L5, L6, L7, L8, L9, L10, L11, L12, L13, L14, L15, L16, L17, L18, L19, L20, L21, L22, L23,
}

impl Len {
    #[rustfmt::skip]
    const ALL: [Len; 24] = [
        Len::L0, Len::L1, Len::L2, Len::L3, Len::L4, Len::L5, Len::L6, Len::L7, Len::L8, Len::L9, Len::L10, Len::L11,
        Len::L12, Len::L13, Len::L14, Len::L15, Len::L16, Len::L17, Len::L18, Len::L19, Len::L20, Len::L21, Len::L22,
        Len::L23,
    ];
}

impl Short {
    pub(super) const EMPTY: Short = Short { first: 0, second: 0, third: 0, fourth: 0, fifth: 0, len: Len::L0 };

    /// Returns the text as a [`Short`], or `None` if it is too long.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a word is taken apart")]
    pub(super) fn new(text: &str) -> Option<Short> {
        let len = *Len::ALL.get(text.len())?;
        let [first, second, last] = words(text.as_bytes());
        Some(Short {
            first: first.to_le(),
            second: second.to_le(),
            third: (last as u32).to_le(),
            fourth: ((last >> 32) as u16).to_le(),
            fifth: (last >> 48) as u8,
            len,
        })
    }

    #[inline(always)]
    pub(super) fn as_str(&self) -> &str {
        #[expect(unsafe_code, reason = "the words are read as bytes, without validating them each time")]
        // SAFETY: the structure has no padding and begins with its text. `new` has copied the text and its length
        // from a `str`.
        unsafe {
            str::from_utf8_unchecked(core::slice::from_raw_parts((&raw const *self).cast(), self.len as usize))
        }
    }
}

/// The text, of at most 23 bytes, as words whose lowest byte is the first.
///
/// The words are read so that they overlap. Assembling them byte by byte makes streams of short events a quarter
/// slower.
#[inline(always)]
fn words(text: &[u8]) -> [u64; 3] {
    match (text.split_first_chunk::<8>(), text.last_chunk::<8>()) {
        (Some((first, rest)), Some(last)) => {
            let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
            match rest.split_first_chunk::<8>() {
                Some((second, rest)) => [first, u64::from_le_bytes(*second), ends_with(last, rest.len())],
                None => [first, ends_with(last, rest.len()), 0],
            }
        }
        _ => [short_word(text), 0, 0],
    }
}

/// The last `count` bytes of a word, at most seven, moved to its beginning. It shifts twice because `count` may be
/// zero.
#[inline(always)]
fn ends_with(word: u64, count: usize) -> u64 {
    (word >> 8) >> (8 * (7 - count))
}

/// Fewer than eight bytes, as a word.
#[inline(always)]
fn short_word(bytes: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return u64::from(first) | u64::from(last) << (8 * (bytes.len() - 4));
    }
    match bytes {
        [] => 0,
        [first, ..] => {
            // The first, the middle and the last of at most three bytes. Some of them may be the same byte.
            let at = |place: usize| u64::from(bytes[place]) << (8 * place);
            u64::from(*first) | at(bytes.len() / 2) | at(bytes.len() - 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Len, Short};

    #[test]
    fn every_length() {
        let text = "abcdefghijklmnopqrst\u{e9}wxyz";
        for start in 0..3 {
            for end in (start..=text.len()).filter(|end| text.is_char_boundary(*end)) {
                let text = &text[start..end];
                let short = Short::new(text);
                assert_eq!(short.as_ref().map(Short::as_str), (text.len() <= 23).then_some(text));
            }
        }
        assert_eq!(Short::EMPTY.as_str(), "");
    }

    #[test]
    fn every_len() {
        assert!(Len::ALL.iter().map(|len| *len as usize).eq(0..24));
    }

    #[test]
    fn an_enum_around_it_takes_no_more_room() {
        assert_eq!(size_of::<Short>(), 24);
        assert_eq!(size_of::<Option<Short>>(), 24);
    }
}
