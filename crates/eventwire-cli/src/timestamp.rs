//! The times for `--timestamps`, as RFC 3339 writes them.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

/// The days from 0000-03-01 to 1970-01-01. If years start on 1 March, a leap day is the last day of its year.
const DAYS_TO_EPOCH: u64 = 719_468;
/// The Gregorian calendar repeats after 400 years.
const DAYS_IN_400_YEARS: u64 = 146_097;

/// When the last chunk of the input arrived, in UTC. Its clones share the time.
///
/// An event can be printed much later, if the output is a pipe that is read slowly.
#[derive(Clone)]
pub(crate) struct Arrival(Rc<Cell<SystemTime>>);

impl Arrival {
    pub(crate) fn now() -> Arrival {
        Arrival(Rc::new(Cell::new(SystemTime::now())))
    }

    pub(crate) fn update(&self) {
        self.0.set(SystemTime::now());
    }
}

impl fmt::Display for Arrival {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&rfc3339(self.0.get()))
    }
}

/// Returns the time in UTC with milliseconds, such as `2026-01-31T23:59:59.999Z`. A time before 1970 becomes the
/// start of 1970.
///
/// No crate is used for this: the common ones do much more, or panic if the clock is far off.
fn rfc3339(time: SystemTime) -> String {
    let since_epoch = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (seconds, milliseconds) = (since_epoch.as_secs(), since_epoch.subsec_millis());
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}Z")
}

/// Returns the year, month and day of the date that is this many days after 1970-01-01.
///
/// The algorithm is `civil_from_days` of <https://howardhinnant.github.io/date_algorithms.html>.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + DAYS_TO_EPOCH;
    let day_of_era = days % DAYS_IN_400_YEARS;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Month 0 is March. From March on, the lengths of the months repeat after five: 31, 30, 31, 30, 31 days.
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let year = days / DAYS_IN_400_YEARS * 400 + year_of_era;
    if month < 10 { (year, month + 3, day) } else { (year + 1, month - 9, day) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn known_times() {
        for (milliseconds, written) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_234_567_890_005, "2009-02-13T23:31:30.005Z"),
            (1_769_903_999_999, "2026-01-31T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(rfc3339(UNIX_EPOCH + Duration::from_millis(milliseconds)), written);
        }
        assert_eq!(rfc3339(UNIX_EPOCH - Duration::from_secs(1)), "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn every_day_of_eight_centuries_follows_the_one_before() {
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for days in 0..800 * 366 {
            assert_eq!(date(days), (year, month, day));
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let last = match month {
                2 if is_leap => 29,
                2 => 28,
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            (year, month, day) = match (month, day) {
                (12, 31) => (year + 1, 1, 1),
                (_, day) if day == last => (year, month + 1, 1),
                _ => (year, month, day + 1),
            };
        }
    }
}
