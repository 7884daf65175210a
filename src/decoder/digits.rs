//! The value of a `retry` field, parsed digit by digit.

use core::time::Duration;

/// A value that consists of ASCII digits so far, or does not. Its bytes are not stored.
///
/// `str::parse` has another grammar: it accepts `+5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Digits {
    Empty,
    /// The number, saturating.
    Number(u64),
    Invalid,
}

impl Digits {
    pub(super) fn fold(self, bytes: &[u8]) -> Digits {
        bytes.iter().fold(self, |digits, byte| {
            let before = match digits {
                Digits::Empty => 0,
                Digits::Number(number) => number,
                Digits::Invalid => return Digits::Invalid,
            };
            match byte {
                // `saturating_mul` multiplies 128-bit numbers: 60 bytes more on wasm.
                b'0'..=b'9' if before > u64::MAX / 10 => Digits::Number(u64::MAX),
                b'0'..=b'9' => Digits::Number((before * 10).saturating_add(u64::from(byte - b'0'))),
                _ => Digits::Invalid,
            }
        })
    }

    /// The number as milliseconds, if the value is one.
    pub(super) fn milliseconds(self) -> Option<Duration> {
        match self {
            Digits::Number(number) => Some(Duration::from_millis(number)),
            // "Consists of only ASCII digits" is also true of an empty value, but that is no time.
            Digits::Empty | Digits::Invalid => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Digits;
    use core::time::Duration;

    #[track_caller]
    fn check(value: &str, milliseconds: Option<u64>) {
        let expected = milliseconds.map(Duration::from_millis);
        assert_eq!(Digits::Empty.fold(value.as_bytes()).milliseconds(), expected);
        let in_bytes = value.as_bytes().chunks(1).fold(Digits::Empty, Digits::fold);
        assert_eq!(in_bytes.milliseconds(), expected);
    }

    #[test]
    fn only_digits_and_at_least_one() {
        check("0", Some(0));
        check("0031", Some(31));
        // The largest numbers, on both sides of the largest one that is multiplied by ten.
        check("18446744073709551609", Some(u64::MAX - 6));
        check("18446744073709551610", Some(u64::MAX - 5));
        check("18446744073709551615", Some(u64::MAX));
        for not_a_number in ["", "+5", "-5", "5 ", " 5", "5.0", "0x5", "5e3", "\u{0665}", "5\0"] {
            check(not_a_number, None);
        }
    }

    #[test]
    fn too_large_saturates() {
        check("18446744073709551616", Some(u64::MAX));
        check("18446744073709551620", Some(u64::MAX));
        check("99999999999999999999999999999999", Some(u64::MAX));
        check("18446744073709551616x", None);
    }
}
