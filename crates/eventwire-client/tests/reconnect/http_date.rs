//! Which HTTP dates are read, in their three forms, and as which seconds.

use eventwire_client::ResponseHead;

/// Returns the date in seconds since 1970.
fn seconds(date: &str) -> Option<u64> {
    let headers = [("retry-after", date), ("date", "Thu, 01 Jan 1970 00:00:00 GMT")];
    ResponseHead::new(503, &headers).retry_after().map(|delay| delay.as_secs())
}

/// Dates with their seconds, or `None` if they are not valid.
const DATES: &[(&str, Option<u64>)] = &[
    // The example of RFC 9110, in its three forms.
    ("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777)),
    ("Sunday, 06-Nov-94 08:49:37 GMT", Some(784_111_777)),
    ("Sun Nov  6 08:49:37 1994", Some(784_111_777)),
    // The bounds of the years, of two digits and of four.
    ("Thursday, 01-Jan-70 00:00:00 GMT", Some(0)),
    ("Tuesday, 01-Jan-69 00:00:00 GMT", Some(3_124_224_000)),
    ("Fri, 31 Dec 9999 23:59:59 GMT", Some(253_402_300_799)),
    ("Wed, 31 Dec 1969 23:59:59 GMT", None),
    ("Thu, 01 Jan 0000 00:00:00 GMT", None),
    ("Thu, 01 Jan 10000 00:00:00 GMT", None),
    ("Thu, 01 Jan 99999999999999999999 00:00:00 GMT", None),
    // A leap second is read as the first second of the next minute.
    ("Sat, 31 Dec 2016 23:59:60 GMT", Some(1_483_228_800)),
    ("Sat, 01 Jan 2024 00:00:61 GMT", None),
    ("Sat, 01 Jan 2024 00:60:00 GMT", None),
    ("Sat, 01 Jan 2024 24:00:00 GMT", None),
    ("Sat, 00 Feb 2024 00:00:00 GMT", None),
    ("Sat, 99999999999999999999 Jan 2024 00:00:00 GMT", None),
    ("Sat, 01 jan 2024 00:00:00 GMT", None),
    ("Sat, 01 January 2024 00:00:00 GMT", None),
    ("Sat, 01 J\u{E4}n 2024 00:00:00 GMT", None),
    ("Sat, 01 01 2024 00:00:00 GMT", None),
    // A number consists of digits.
    ("Sat, +1 Jan 2024 00:00:00 GMT", None),
    ("Sat, 01 Jan +024 00:00:00 GMT", None),
    ("Sat, 01 Jan 2024 +1:00:00 GMT", None),
    ("Sat, 01 Jan 2024 00:+1:00 GMT", None),
    ("Sat, 01 Jan 2024 00:00:+1 GMT", None),
    // The form is one of the three.
    ("Sat, 01 Jan 2024 00:00 GMT", None),
    ("Sat, 01 Jan 2024 00:00:00:00 GMT", None),
    ("Sat, 01 Jan 2024 00::00 GMT", None),
    ("Sat, 01 Jan 2024 00:00:00", None),
    ("Sat, 01 Jan 2024 00:00:00 UTC", None),
    ("Sat, 01 Jan 2024 00:00:00 GMT GMT", None),
    ("Sat, 01 Jan 2024 GMT", None),
    ("Sat 01 Jan 2024 00:00:00 GMT", None),
    ("Sat Jan 01 00:00:00 2024 GMT", None),
    ("Sat, Jan 01 00:00:00 2024", None),
    ("01 Jan 2024 00:00:00 GMT", None),
    ("2024-01-01T00:00:00Z", None),
];

#[test]
fn dates_and_their_seconds() {
    for (date, expected) in DATES {
        assert_eq!(seconds(date), *expected, "{date}");
    }
}

/// Compares with a simple calendar that counts day by day, at another time of each day.
#[test]
fn the_days_of_two_centuries() {
    let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut days = 0;
    for year in 1970..2170 {
        let is_leap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0);
        for (name, length) in names.into_iter().zip(lengths) {
            let length = if name == "Feb" && is_leap { 29 } else { length };
            for day in 1..=length {
                let (hour, minute, second) = (days % 24, days * 7 % 60, days % 59);
                let time = format!("{hour:02}:{minute:02}:{second:02}");
                let expected = Some(((days * 24 + hour) * 60 + minute) * 60 + second);
                assert_eq!(seconds(&format!("Mon, {day:02} {name} {year} {time} GMT")), expected);
                assert_eq!(seconds(&format!("Mon {name} {day:2} {time} {year}")), expected);
                if year < 2070 {
                    assert_eq!(seconds(&format!("Monday, {day:02}-{name}-{:02} {time} GMT", year % 100)), expected);
                }
                days += 1;
            }
            assert_eq!(seconds(&format!("Mon, {} {name} {year} 00:00:00 GMT", length + 1)), None, "{name} {year}");
        }
    }
    assert_eq!(days, 73_049); // to 2170-01-01
}
