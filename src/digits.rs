//! The value of a `retry` field, folded digit by digit, and written.

use core::time::Duration;

/// A value that consists of ASCII digits so far, or does not. None of its bytes are held.
///
/// `str::parse` has another grammar: it takes `+5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Digits {
    Empty,
    /// The number, saturating.
    Number(u64),
    Invalid,
}

impl Digits {
    pub(crate) fn fold(self, bytes: &[u8]) -> Digits {
        bytes.iter().fold(self, |digits, byte| {
            let before = match digits {
                Digits::Empty => 0,
                Digits::Number(number) => number,
                Digits::Invalid => return Digits::Invalid,
            };
            match byte {
                b'0'..=b'9' => Digits::Number(before.saturating_mul(10).saturating_add(u64::from(byte - b'0'))),
                _ => Digits::Invalid,
            }
        })
    }

    /// The number as milliseconds, if there is one.
    pub(crate) fn milliseconds(self) -> Option<Duration> {
        match self {
            Digits::Number(number) => Some(Duration::from_millis(number)),
            Digits::Empty | Digits::Invalid => None,
        }
    }
}

/// The time as a `retry` field can say it: in whole milliseconds, of which it holds no more than fit into 64 bits.
pub(crate) fn whole_milliseconds(time: Duration) -> Duration {
    Duration::from_millis(milliseconds(time))
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The digits of a time in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decimal {
    /// The digits are the last of these.
    digits: [u8; Decimal::MOST],
    first: usize,
}

impl Decimal {
    /// So many digits has `u64::MAX`.
    const MOST: usize = 20;

    pub(crate) fn of(time: Duration) -> Decimal {
        let mut rest = milliseconds(time);
        let mut decimal = Decimal { digits: [b'0'; Decimal::MOST], first: Decimal::MOST };
        for (place, digit) in decimal.digits.iter_mut().enumerate().rev() {
            *digit = b"0123456789"[(rest % 10) as usize];
            decimal.first = place;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        decimal
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.digits[self.first..]
    }
}

#[cfg(test)]
mod tests {
    use super::{Decimal, Digits, whole_milliseconds};
    use core::time::Duration;
    use std::string::ToString;

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
        check("18446744073709551615", Some(u64::MAX));
        for not_a_number in ["", "+5", "-5", "5 ", " 5", "5.0", "0x5", "5e3", "\u{0665}", "5\0"] {
            check(not_a_number, None);
        }
    }

    #[test]
    fn too_large_saturates() {
        check("18446744073709551616", Some(u64::MAX));
        check("99999999999999999999999999999999", Some(u64::MAX));
        check("18446744073709551616x", None);
    }
    #[test]
    fn what_is_written_is_read() {
        for number in [0, 9, 10, 99, 100, 3000, 1_234_567_890, u64::MAX - 1, u64::MAX] {
            let time = Duration::from_millis(number);
            let decimal = Decimal::of(time);
            assert_eq!(decimal.as_bytes(), number.to_string().as_bytes());
            assert_eq!(Digits::Empty.fold(decimal.as_bytes()).milliseconds(), Some(time));
        }
    }

    #[test]
    fn a_time_that_no_field_can_say_is_cut_to_one_that_it_can() {
        assert_eq!(whole_milliseconds(Duration::from_micros(1999)), Duration::from_millis(1));
        assert_eq!(whole_milliseconds(Duration::MAX), Duration::from_millis(u64::MAX));
    }
}
