//! Dates in HTTP, parsed here because the crate httpdate needs `std`.

/// Returns the seconds from the beginning of 1970 to a date in any of the [three forms] of HTTP, or `None` if the
/// date is earlier or not valid.
///
/// The day of the week is not checked. A leap second counts as the first second of the next minute.
///
/// [three forms]: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7
pub(super) fn seconds(date: &str) -> Option<u64> {
    let mut words = [""; 9];
    for (at, word) in date.split([' ', '-', ':']).filter(|word| !word.is_empty()).enumerate() {
        *words.get_mut(at)? = word;
    }
    let (day, month, year, hour, minute, second) = match words {
        // Sun, 06 Nov 1994 08:49:37 GMT; Sunday, 06-Nov-94 08:49:37 GMT
        [weekday, day, month, year, hour, minute, second, "GMT", ""] if weekday.ends_with(',') => {
            (day, month, year, hour, minute, second)
        }
        // Sun Nov  6 08:49:37 1994
        [weekday, month, day, hour, minute, second, year, "", ""] if !weekday.ends_with(',') => {
            (day, month, year, hour, minute, second)
        }
        _ => return None,
    };
    let day = days(full_year(year)?, month_number(month)?, number(day, 1..=31)?)?;
    let (hour, minute, second) = (number(hour, 0..=23)?, number(minute, 0..=59)?, number(second, 0..=60)?);
    Some(((day * 24 + hour) * 60 + minute) * 60 + second)
}

/// Two digits mean a year from 1970 to 2069.
fn full_year(digits: &str) -> Option<u64> {
    let year = number(digits, 0..=9999)?;
    Some(match digits.len() {
        2 if year < 70 => 2000 + year,
        2 => 1900 + year,
        _ => year,
    })
}

fn month_number(name: &str) -> Option<u64> {
    let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    (1..).zip(names).find_map(|(number, month)| (month == name).then_some(number))
}

/// Parses digits only, because `parse` would accept a sign.
fn number(digits: &str, range: core::ops::RangeInclusive<u64>) -> Option<u64> {
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|number| is_number && range.contains(number))
}

/// Returns the days from the beginning of 1970 to this day.
fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    let leap_days = |years: u64| years / 4 - years / 100 + years / 400;
    let is_leap = leap_days(year) > leap_days(year.checked_sub(1)?);
    let february = if is_leap { 29 } else { 28 };
    let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut before = 0;
    for (number, length) in (1..).zip(lengths) {
        if number == month {
            let before_1970 = 1969 * 365 + leap_days(1969);
            let since_year_1 = (year - 1) * 365 + leap_days(year - 1) + before + day - 1;
            return if day <= length { since_year_1.checked_sub(before_1970) } else { None };
        }
        before += length;
    }
    None
}
