//! Whether bytes that arrive in pieces are UTF-8.

/// Whether the bytes so far are UTF-8. The last character may be incomplete.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Utf8 {
    /// They are, apart from the beginning of a character, which has at most three bytes.
    Valid { character: [u8; 4], length: usize },
    /// They are not, whatever follows.
    Invalid,
}

impl Utf8 {
    pub(crate) const EMPTY: Utf8 = Utf8::Valid { character: [0; 4], length: 0 };

    pub(crate) fn push(self, mut piece: &[u8]) -> Utf8 {
        let Utf8::Valid { mut character, mut length } = self else { return Utf8::Invalid };
        while length > 0 {
            let [byte, rest @ ..] = piece else { return Utf8::Valid { character, length } };
            character[length] = *byte;
            piece = rest;
            match str::from_utf8(&character[..=length]) {
                Ok(_) => length = 0,
                Err(error) if error.error_len().is_none() => length += 1,
                Err(_) => return Utf8::Invalid,
            }
        }
        match str::from_utf8(piece) {
            Ok(_) => Utf8::EMPTY,
            Err(error) if error.error_len().is_none() => {
                let incomplete = &piece[error.valid_up_to()..];
                character[..incomplete.len()].copy_from_slice(incomplete);
                Utf8::Valid { character, length: incomplete.len() }
            }
            Err(_) => Utf8::Invalid,
        }
    }

    /// Returns whether all of the bytes are UTF-8, and the last character is complete.
    pub(crate) fn is_complete(self) -> bool {
        matches!(self, Utf8::Valid { length: 0, .. })
    }
}
