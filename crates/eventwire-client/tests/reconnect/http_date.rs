//! Which HTTP dates are read, in their three forms, and as which seconds.

use eventwire_client::ResponseHead;

/// Returns the date in seconds since 1970.
fn seconds(date: &str) -> Option<u64> {
    let headers = [("retry-after", date), ("date", "Thu, 01 Jan 1970 00:00:00 GMT")];
    ResponseHead::new(503, &headers).retry_after().map(|delay| delay.as_secs())
}

#[test]
fn dates_agree_with_the_calendar() {
    for (date, expected) in [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), // the example of RFC 9110, in its three forms
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Tue, 19 Jan 2038 03:14:08 GMT", 1 << 31),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), // a leap second is read as the first second of the next minute
        ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
        ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800),
        ("Mon, 29 Feb 2072 00:00:00 GMT", 3_223_929_600),
        // Years of two digits change their century between 69 and 70.
        ("Thursday, 01-Jan-70 00:00:00 GMT", 0),
        ("Friday, 31-Dec-99 23:59:59 GMT", 946_684_799),
        ("Saturday, 01-Jan-00 00:00:00 GMT", 946_684_800),
        ("Tuesday, 01-Jan-69 00:00:00 GMT", 3_124_224_000),
    ] {
        assert_eq!(seconds(date), Some(expected), "{date}");
    }
    for date in [
        "Wed, 31 Dec 1969 23:59:59 GMT",
        "Thu, 01 Jan 0000 00:00:00 GMT",
        "Thu, 01 Jan 10000 00:00:00 GMT",
        "Thu, 01 Jan 99999999999999999999 00:00:00 GMT",
        "Wed, 29 Feb 2023 00:00:00 GMT",
        "Thu, 29 Feb 1900 00:00:00 GMT",
        "Mon, 29 Feb 2100 00:00:00 GMT",
        "Sat, 30 Feb 2024 00:00:00 GMT",
        "Sat, 00 Feb 2024 00:00:00 GMT",
        "Sat, 32 Jan 2024 00:00:00 GMT",
        "Sat, 99999999999999999999 Jan 2024 00:00:00 GMT",
        "Sat, 31 Apr 2024 00:00:00 GMT",
        "Sat, 31 Jun 2024 00:00:00 GMT",
        "Sat, 31 Sep 2024 00:00:00 GMT",
        "Sat, 31 Nov 2024 00:00:00 GMT",
        "Sat, 01 Jam 2024 00:00:00 GMT",
        "Sat, 01 jan 2024 00:00:00 GMT",
        "Sat, 01 January 2024 00:00:00 GMT",
        "Sat, 01 01 2024 00:00:00 GMT",
        "Sat, 01 Jan 2024 24:00:00 GMT",
        "Sat, 01 Jan 2024 00:60:00 GMT",
        "Sat, 01 Jan 2024 00:00:61 GMT",
        "Sat, 01 Jan 2024 00:00 GMT",
        "Sat, 01 Jan 2024 00:00:00:00 GMT",
        "Sat, 01 Jan 2024 00::00 GMT",
        "Sat, 01 Jan 2024 +1:00:00 GMT",
        "Sat, 01 Jan 2024 00:+1:00 GMT",
        "Sat, 01 Jan 2024 00:00:+1 GMT",
        "Sat, +1 Jan 2024 00:00:00 GMT",
        "Sat, 01 Jan +024 00:00:00 GMT",
        "Sat, 01 Jan 2024 00:00:00",
        "Sat, 01 Jan 2024 00:00:00 UTC",
        "Sat, 01 Jan 2024 00:00:00 +0000",
        "Sat, 01 Jan 2024 00:00:00 GMT GMT",
        "Sat, 01 Jan 2024 GMT",
        "Sat 01 Jan 2024 00:00:00 GMT",
        "Sat Jan 01 00:00:00 2024 GMT",
        "Sat, Jan 01 00:00:00 2024",
        "01 Jan 2024 00:00:00 GMT",
        "2024-01-01T00:00:00Z",
        "Sat, 01 J\u{E4}n 2024 00:00:00 GMT",
    ] {
        assert_eq!(seconds(date), None, "{date}");
    }
}

/// Compares with a simple clock and calendar that count hour by hour.
#[test]
fn dates_of_two_centuries_agree_with_a_calendar_that_counts() {
    const MONTHS: [(&str, u64); 12] = [
        ("Jan", 31),
        ("Feb", 28),
        ("Mar", 31),
        ("Apr", 30),
        ("May", 31),
        ("Jun", 30),
        ("Jul", 31),
        ("Aug", 31),
        ("Sep", 30),
        ("Oct", 31),
        ("Nov", 30),
        ("Dec", 31),
    ];
    let (mut year, mut month, mut day, mut hour) = (1970, 0, 1, 0);
    let mut hours = 0;
    while year < 2170 {
        let (name, days) = MONTHS[month];
        let is_leap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0);
        let days = if name == "Feb" && is_leap { 29 } else { days };
        // The first and the last hour of each month are tested too, because mistakes are likely there.
        let is_edge = (day, hour) == (1, 0) || (day, hour) == (days, 23);
        if hours % 37 == 0 || is_edge {
            let (minute, second) = (hours % 60, hours * 7 % 60);
            let time = format!("{hour:02}:{minute:02}:{second:02}");
            let expected = Some(hours * 3600 + minute * 60 + second);
            let date = format!("Mon, {day:02} {name} {year} {time} GMT");
            assert_eq!(seconds(&date), expected, "{date}");
            let date = format!("Mon {name} {day:2} {time} {year}");
            assert_eq!(seconds(&date), expected, "{date}");
            if year < 2070 {
                let date = format!("Monday, {day:02}-{name}-{:02} {time} GMT", year % 100);
                assert_eq!(seconds(&date), expected, "{date}");
            }
            if (day, hour) == (days, 23) {
                let date = format!("Mon, {} {name} {year} {time} GMT", days + 1);
                assert_eq!(seconds(&date), None, "{date}");
            }
        }
        hours += 1;
        hour += 1;
        if hour == 24 {
            (day, hour) = (day + 1, 0);
        }
        if day > days {
            (month, day) = (month + 1, 1);
        }
        if month == 12 {
            (year, month) = (year + 1, 0);
        }
    }
    assert_eq!(hours, 24 * 73_049); // days to 2170-01-01
}
