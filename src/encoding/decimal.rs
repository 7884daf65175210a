//! The value of a `retry` field, written.

/// The digits of a number.
pub(super) struct Decimal {
    /// The digits are at the end of this array.
    digits: [u8; Decimal::MOST],
    first: usize,
}

impl Decimal {
    /// The number of digits of `u64::MAX`.
    const MOST: usize = 20;

    pub(super) fn new(mut rest: u64) -> Decimal {
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

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.digits[self.first..]
    }
}

#[cfg(test)]
mod tests {
    use super::Decimal;
    use crate::decoder::Decoder;
    use core::time::Duration;
    use std::string::ToString;

    #[test]
    fn the_digits_are_read_back() {
        for number in [0, 9, 10, 99, 100, 3000, 1_234_567_890, u64::MAX - 1, u64::MAX] {
            let decimal = Decimal::new(number);
            assert_eq!(decimal.as_bytes(), number.to_string().as_bytes());
            let mut decoder = Decoder::new();
            let line = [b"retry:", decimal.as_bytes(), b"\n"].concat();
            assert_eq!(decoder.decode(&mut &line[..]), Ok(None));
            assert_eq!(decoder.reconnection_time(), Some(Duration::from_millis(number)));
        }
    }
}
