//! A time with the resolution of an event stream.

use crate::encoding;
use core::time::Duration;

/// Whole milliseconds in 64 bits, the values that a `retry` field can have.
///
/// They are stored as two halves, so that an `Option` takes 12 bytes instead of 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Milliseconds([u32; 2]);

impl From<Duration> for Milliseconds {
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the halves of a number")]
    fn from(time: Duration) -> Milliseconds {
        let millis = encoding::milliseconds(time);
        Milliseconds([millis as u32, (millis >> 32) as u32])
    }
}

impl Milliseconds {
    #[inline]
    pub(super) const fn duration(self) -> Duration {
        let Milliseconds([low, high]) = self;
        Duration::from_millis((high as u64) << 32 | low as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::Milliseconds;
    use core::time::Duration;

    #[test]
    fn a_time_that_no_field_can_contain_becomes_the_largest_that_one_can() {
        let cut = |time| Milliseconds::from(time).duration();
        assert_eq!(cut(Duration::from_micros(1999)), Duration::from_millis(1));
        assert_eq!(cut(Duration::from_millis(1 << 40 | 5)), Duration::from_millis(1 << 40 | 5));
        // The largest one is 18,446,744,073,709,551 seconds and 615 milliseconds.
        let largest = Duration::from_millis(u64::MAX);
        assert_eq!(cut(largest - Duration::from_millis(1)), largest - Duration::from_millis(1));
        for longer in [largest, largest + Duration::from_millis(1), largest + Duration::from_secs(1), Duration::MAX] {
            assert_eq!(cut(longer), largest);
        }
        assert_eq!(size_of::<Option<Milliseconds>>(), 12);
    }
}
