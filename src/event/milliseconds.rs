//! A time as a stream says it.

use core::time::Duration;

/// Whole milliseconds, of 64 bits, as a `retry` field can say them. A longer time becomes [`u64::MAX`] of them.
///
/// In two halves, so that an `Option` of them takes 12 bytes and not 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Milliseconds([u32; 2]);

impl From<Duration> for Milliseconds {
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the halves of a number")]
    fn from(time: Duration) -> Milliseconds {
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
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
    fn a_time_that_no_field_can_say_is_cut_to_one_that_it_can() {
        let cut = |time| Milliseconds::from(time).duration();
        assert_eq!(cut(Duration::from_micros(1999)), Duration::from_millis(1));
        assert_eq!(cut(Duration::from_millis(1 << 40 | 5)), Duration::from_millis(1 << 40 | 5));
        assert_eq!(cut(Duration::MAX), Duration::from_millis(u64::MAX));
        assert_eq!(size_of::<Option<Milliseconds>>(), 12);
    }
}
