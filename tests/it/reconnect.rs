//! The rules of reconnection, and what they look at in a response: calls and times in, actions out.

use eventwire::{
    Decoder,
    client::{Action, ReadyState, Reconnect, Resend, ResponseHead, StopReason, Verdict},
};
use std::time::Duration;

const STREAM: ResponseHead<'_> = ResponseHead::new(200, &[("content-type", "text/event-stream")]);
const BUSY: ResponseHead<'_> = ResponseHead::new(503, &[]);
const START: Duration = Duration::ZERO;

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

const fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A decoder that has read this.
fn decoder(stream: &str) -> Decoder {
    let mut decoder = Decoder::new();
    read(&mut decoder, stream);
    decoder
}

/// Reads to the end of a stream; how many events there were.
fn read(decoder: &mut Decoder, stream: &str) -> usize {
    let mut input = stream.as_bytes();
    let mut events = 0;
    while decoder.decode(&mut input).unwrap().is_some() {
        events += 1;
    }
    assert_eq!(decoder.finish(), Ok(None));
    events
}

/// The rules after their first `Connect`.
#[track_caller]
fn connecting(rules: Reconnect) -> Reconnect {
    connected(rules, START, &Decoder::new())
}

/// The rules after a `Connect` that has to come now.
#[track_caller]
fn connected(mut rules: Reconnect, now: Duration, decoder: &Decoder) -> Reconnect {
    let action = rules.poll(now, decoder);
    assert!(matches!(action, Action::Connect { .. }), "{action:?}");
    rules
}

/// The rules when their connection is open.
#[track_caller]
fn open(rules: Reconnect) -> Reconnect {
    let mut rules = connecting(rules);
    assert_eq!(rules.handle_response(START, &STREAM), Verdict::Open);
    rules
}

/// How long is to be waited now.
#[track_caller]
fn wait(rules: &mut Reconnect, now: Duration, decoder: &Decoder) -> Duration {
    match rules.poll(now, decoder) {
        Action::Wait(delay) => delay,
        action => panic!("{action:?}"),
    }
}

/// The reason why it is over, which stays.
#[track_caller]
fn stopped(rules: &mut Reconnect) -> StopReason {
    let decoder = Decoder::new();
    let Action::Stop(reason) = rules.poll(START, &decoder) else { panic!("{rules:?}") };
    assert_eq!(rules.poll(Duration::MAX, &decoder), Action::Stop(reason));
    assert_eq!(rules.ready_state(), ReadyState::Closed);
    reason
}

// --- The request.

#[test]
fn the_first_request_is_sent_at_once_and_once() {
    for now in [START, s(5), Duration::MAX] {
        let decoder = Decoder::new();
        let mut rules = Reconnect::new();
        assert_eq!(rules.attempts(), 0);
        assert_eq!(rules.poll(now, &decoder), Action::Connect { last_event_id: None });
        assert_eq!(rules.attempts(), 1);
        for later in [now, Duration::MAX, START] {
            assert_eq!(rules.poll(later, &decoder), Action::Read);
        }
        assert_eq!(rules.attempts(), 1);
    }
}

#[test]
fn the_last_event_id_is_sent_as_it_is() {
    for id in
        ["1", "0", " ", "a b", " padded ", "\t", "\"quoted\", and more", "~", "\u{E9}", "\u{80}", "\u{FEFF}\u{1F600}"]
    {
        let seeded = Decoder::new().with_last_event_id(id).unwrap();
        let read = decoder(&format!("id: {id}\ndata\n\n"));
        for decoder in [seeded, read] {
            assert_eq!(Reconnect::new().poll(START, &decoder), Action::Connect { last_event_id: Some(id) });
        }
    }
    let empty = Decoder::new().with_last_event_id("").unwrap();
    assert_eq!(Reconnect::new().poll(START, &empty), Action::Connect { last_event_id: None });
}

#[test]
fn each_request_has_the_id_of_its_time() {
    let mut decoder = Decoder::new().with_last_event_id("seed").unwrap();
    let mut rules = Reconnect::new();
    let mut now = START;
    for (stream, next) in [
        ("", Some("seed")),
        ("data\n\n", Some("seed")),
        ("id: 1\ndata\n\n", Some("1")),
        ("id: 2\n\n", Some("2")), // a block without data is no event, and sets it
        ("id: 3\ndata: cut off", Some("2")),
        ("id: 4\0\ndata\n\n", Some("2")),
        ("id\ndata\n\n", None), // the server takes it back
        ("data\n\n", None),
        ("id: \u{E9}\ndata\n\n", Some("\u{E9}")),
    ] {
        rules = connected(rules, now, &decoder);
        rules.handle_response(now, &STREAM);
        (0..read(&mut decoder, stream)).for_each(|_| rules.handle_event());
        rules.handle_disconnect(now);
        now += wait(&mut rules, now, &decoder);
        assert_eq!(rules.clone().poll(now, &decoder), Action::Connect { last_event_id: next }, "{stream:?}");
    }
}

/// IDs that are Unicode and without U+0000, LF and CR are IDs; a header's value takes fewer characters.
#[test]
fn an_id_with_a_control_character_is_the_end() {
    for character in (0..0x100).filter_map(char::from_u32).filter(|character| !"\0\n\r".contains(*character)) {
        let id = format!("a{character}b");
        let decoder = decoder(&format!("id: {id}\ndata\n\n"));
        let is_sendable = character == '\t' || !character.is_ascii_control();
        let expected = |otherwise| if is_sendable { otherwise } else { Action::Stop(StopReason::InvalidLastEventId) };
        let shown = character.escape_unicode();

        let mut at_the_start = Reconnect::new();
        let connect = expected(Action::Connect { last_event_id: Some(&id) });
        assert_eq!(at_the_start.poll(START, &decoder), connect, "{shown} at the start");
        assert_eq!(at_the_start.attempts(), u32::from(is_sendable), "{shown}");

        // At once, and not when the delay is over.
        let mut at_the_end = open(Reconnect::new());
        at_the_end.handle_event();
        at_the_end.handle_disconnect(START);
        let action = at_the_end.poll(START, &decoder);
        let action = if let Action::Wait(_) = action { Action::Read } else { action };
        assert_eq!(action, expected(Action::Read), "{shown} after a disconnect");

        let mut meanwhile = connecting(Reconnect::new());
        meanwhile.handle_disconnect(START);
        let delay = wait(&mut meanwhile, START, &Decoder::new());
        assert_eq!(meanwhile.poll(delay, &decoder), connect, "{shown} during a delay");
    }
}

#[test]
fn an_id_that_cannot_be_sent_again_does_not_end_what_is_open() {
    let decoder = decoder("id: \u{1}\ndata\n\n");
    assert_eq!(open(Reconnect::new()).poll(START, &decoder), Action::Read);
}

// --- The response.

#[track_caller]
fn check_open(expected: bool, headers: &[(&str, &str)]) {
    let head = ResponseHead::new(200, headers);
    let verdict = if expected { Verdict::Open } else { Verdict::Fail };
    assert_eq!(Verdict::of(&head), verdict, "{headers:?}");
    assert_eq!(connecting(Reconnect::new()).handle_response(START, &head), verdict, "{headers:?}");
}

/// Values of `Content-Type`, one header each, and whether the body is an event stream.
const CONTENT_TYPES: &[(&[&str], bool)] = &[
    (&["text/event-stream"], true),
    (&["Text/EVENT-stream"], true),
    (&[" \ttext/event-stream \t"], true),
    (&["text/event-stream;"], true),
    (&["text/event-stream; charset=utf-8"], true),
    (&["text/event-stream;charset=latin1"], true), // which does not matter
    (&["text/event-stream \t;charset"], true),
    (&["text/event-stream;a=\"b;c\""], true),
    (&[], false),
    (&[""], false),
    (&[","], false),
    (&[";"], false),
    (&["/"], false),
    (&["text"], false),
    (&["text/"], false),
    (&["/event-stream"], false),
    (&["text/event-stream-x"], false),
    (&["x-text/event-stream"], false),
    (&["text/event-stream x"], false),
    (&["text /event-stream"], false),
    (&["text/ event-stream"], false),
    (&["text/event-stream/x"], false),
    (&["text/event\u{2010}stream"], false),
    (&["text/event stream"], false),
    (&["text/event-strea"], false),
    (&["text/html"], false),
    (&["text/plain; text/event-stream"], false),
    (&["text/plain;a=text/event-stream"], false),
    // In a list, the last one that is valid counts.
    (&["text/html, text/event-stream"], true),
    (&["text/html,text/event-stream;charset=utf-8"], true),
    (&["text/event-stream, text/html"], false),
    (&["text/event-stream,"], true),
    (&["text/event-stream, */*"], true),
    (&["text/event-stream, */*;q=0.1"], true),
    (&["text/event-stream, html"], true),
    (&["text/event-stream, text/"], true),
    (&["text/event-stream, /html"], true),
    (&["text/event-stream, te(x)t/html"], true),
    (&["text/event-stream, text/ht(m)l"], true),
    (&["text/event-stream, !#$%&'*+-.^_`|~09azAZ/!#$%&'*+-.^_`|~09azAZ"], false), // all that a token may have
    (&["text/event-stream, text/*"], false),
    (&["text/html, garbage, text/event-stream, garbage"], true),
    // So does the last valid one of several headers.
    (&["text/html", "text/event-stream"], true),
    (&["text/event-stream", "text/html"], false),
    (&["text/event-stream", ""], true),
    (&["text/event-stream", "*/*"], true),
    (&["text/event-stream", "html, "], true),
    (&["text/html, text/event-stream", "text/"], true),
    (&["text/event-stream, text/html", "text/"], false),
    (&["", "text/event-stream"], true),
    // A comma in quotes is none.
    (&["text/event-stream;a=\", text/html\""], true),
    (&["text/html;a=\", text/event-stream\""], false),
    (&["text/html;a=\", text/event-stream"], false),
    (&["text/html;a=\"\", text/event-stream"], true),
    (&["text/html;a=\"\\\", text/event-stream\""], false),
    (&["text/html;a=\"\\\", text/event-stream;b=\"\""], false),
    (&["text/html;a=\"\\\\\", text/event-stream"], true),
    (&["text/html;a=\\\", text/event-stream"], false), // outside, a backslash is itself
    (&["text/html;a=\"x\\y, z\", text/event-stream"], true),
    (&["\"text/event-stream\""], false),
];

#[test]
fn a_200_of_content_type_event_stream_opens() {
    for (values, expected) in CONTENT_TYPES {
        for name in ["content-type", "Content-Type", "CONTENT-TYPE"] {
            let headers: Vec<(&str, &str)> = values.iter().map(|value| (name, *value)).collect();
            assert_eq!(ResponseHead::new(404, &headers).is_event_stream(), *expected, "{values:?}");
            check_open(*expected, &headers);
            let among: Vec<_> = [&[("accept", "text/html")], &headers[..], &[("x-content-type", "text/html")]].concat();
            check_open(*expected, &among);
        }
    }
    check_open(false, &[("accept", "text/event-stream")]);
}

#[test]
fn a_coded_body_does_not_open() {
    for (values, expected) in [
        (&["gzip"][..], true),
        (&["br"], true),
        (&[" Deflate "], true),
        (&["identity, gzip"], true),
        (&["gzip, identity"], true),
        (&["identity", "zstd"], true),
        (&["zstd", "identity"], true),
        (&["identity-x"], true),
        (&["x identity"], true),
        (&[], false),
        (&[""], false),
        (&[" , ,"], false),
        (&["identity"], false),
        (&["\tIdentity "], false),
        (&["identity,IDENTITY", "", "identity"], false),
    ] {
        let mut headers = vec![("Content-Type", "text/event-stream")];
        headers.extend(values.iter().map(|value| ("Content-Encoding", *value)));
        assert_eq!(ResponseHead::new(200, &headers).is_encoded(), expected, "{values:?}");
        check_open(!expected, &headers);
    }
}

#[test]
fn a_status_has_its_verdict() {
    for status in 0..=1000 {
        let expected = match status {
            200 => Verdict::Open,
            204 => Verdict::Stop,
            429 | 500 | 502 | 503 | 504 => Verdict::Retry,
            _ => Verdict::Fail,
        };
        let head = ResponseHead::new(status, &[("content-type", "text/event-stream"), ("location", "/")]);
        assert_eq!(head.status(), status);
        assert_eq!(Verdict::of(&head), expected, "{status}");
        check_outcome(expected, connecting(Reconnect::new()), &head);

        // Of another type, a 200 alone means something else.
        let head = ResponseHead::new(status, &[("content-type", "text/html"), ("content-encoding", "gzip")]);
        let expected = if status == 200 { Verdict::Fail } else { expected };
        check_outcome(expected, connecting(Reconnect::new()), &head);
    }
}

/// A verdict is returned, and `poll` goes by it.
#[track_caller]
fn check_outcome(expected: Verdict, mut rules: Reconnect, head: &ResponseHead<'_>) {
    assert_eq!(rules.handle_response(s(1), head), expected, "{head:?}");
    match expected {
        Verdict::Open => assert_eq!(rules.poll(s(1), &Decoder::new()), Action::Read, "{head:?}"),
        Verdict::Retry => {
            wait(&mut rules, s(1), &Decoder::new());
        }
        Verdict::Stop => assert_eq!(stopped(&mut rules), StopReason::NoContent, "{head:?}"),
        Verdict::Fail => assert_eq!(stopped(&mut rules), StopReason::Refused, "{head:?}"),
        _ => panic!("{expected:?}"),
    }
}

#[test]
fn a_classifier_says_what_it_likes() {
    fn by_header(head: &ResponseHead<'_>) -> Verdict {
        match head.header("X-Verdict") {
            Some(b"open") => Verdict::Open,
            Some(b"retry") => Verdict::Retry,
            Some(b"stop") => Verdict::Stop,
            Some(b"fail") => Verdict::Fail,
            _ => Verdict::of(head),
        }
    }
    let all = [("open", Verdict::Open), ("retry", Verdict::Retry), ("stop", Verdict::Stop), ("fail", Verdict::Fail)];
    for status in [200, 204, 404, 503] {
        for (name, verdict) in all {
            // The first header of a name is the one that is asked for.
            let headers = [("content-type", "text/event-stream"), ("x-VERDICT", name), ("x-verdict", "stop")];
            let head = ResponseHead::new(status, &headers);
            check_outcome(verdict, connecting(Reconnect::new().with_classifier(by_header)), &head);
        }
        let head = ResponseHead::new(status, STREAM_HEADERS);
        check_outcome(Verdict::of(&head), connecting(Reconnect::new().with_classifier(by_header)), &head);
    }
}

const STREAM_HEADERS: &[(&str, &str)] = &[("content-type", "text/event-stream"), ("x-other", "open")];

// --- Retry-After.

const THEN: &str = "Thu, 01 Jan 2026 00:00:00 GMT";

#[track_caller]
fn check_retry_after(expected: Option<Duration>, headers: &[(&str, &str)]) {
    assert_eq!(ResponseHead::new(503, headers).retry_after(), expected, "{headers:?}");
}

#[test]
fn retry_after_is_a_number_of_seconds() {
    let max = s(u64::MAX);
    for (value, expected) in [
        ("0", s(0)),
        ("5", s(5)),
        (" 5 ", s(5)),
        ("\t5\t", s(5)),
        ("007", s(7)),
        ("3600", s(3600)),
        ("18446744073709551615", max),
        ("18446744073709551616", max),
        ("99999999999999999999999999999999999999999", max),
    ] {
        check_retry_after(Some(expected), &[("retry-after", value)]);
        check_retry_after(Some(expected), &[("Retry-After", value), ("Date", THEN), ("Retry-After", "1")]);
    }
    for value in [
        "", " ", "+5", "-5", "5.0", "5 5", "5,5", "0x5", "5s", "1e3", "\u{661}", "\u{FF15}", "\u{A0}5", "soon", "GMT",
        ",", ":::",
    ] {
        check_retry_after(None, &[("retry-after", value)]);
        check_retry_after(None, &[("retry-after", value), ("date", THEN)]);
    }
    check_retry_after(None, &[]);
    check_retry_after(None, &[("date", THEN), ("x-retry-after", "5")]);
}

#[test]
fn retry_after_is_a_date_relative_to_that_of_the_response() {
    // 2026-01-01 was a Thursday.
    for then in
        [THEN, "\t Thu, 01 Jan 2026 00:00:00 GMT\t", "Thursday, 01-Jan-26 00:00:00 GMT", "Thu Jan  1 00:00:00 2026"]
    {
        for (date, expected) in [
            ("Thu, 01 Jan 2026 00:02:03 GMT", 123),
            ("Thursday, 01-Jan-26 00:02:03 GMT", 123),
            ("Thu Jan  1 00:02:03 2026", 123),
            ("Thu Jan 01 00:02:03 2026", 123),
            (" Fri, 02 Jan 2026 01:00:00 GMT\t", 90_000),
            (THEN, 0),
            // What is past is no delay.
            ("Wed, 31 Dec 2025 23:59:59 GMT", 0),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 0),
        ] {
            check_retry_after(Some(s(expected)), &[("retry-after", date), ("date", then)]);
            check_retry_after(None, &[("retry-after", date)]);
            check_retry_after(None, &[("retry-after", date), ("date", "")]);
            check_retry_after(None, &[("retry-after", date), ("date", "5")]);
            check_retry_after(None, &[("retry-after", date), ("date", &format!("{then}\u{A0}"))]);
        }
    }
}

/// What a date is, in seconds since 1970.
fn seconds(date: &str) -> Option<u64> {
    let headers = [("retry-after", date), ("date", "Thu, 01 Jan 1970 00:00:00 GMT")];
    ResponseHead::new(503, &headers).retry_after().map(|delay| delay.as_secs())
}

#[test]
fn dates_are_those_of_the_calendar() {
    for (date, expected) in [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), // the example of RFC 9110, in its three forms
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Tue, 19 Jan 2038 03:14:08 GMT", 1 << 31),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), // a leap second is the first of the next minute
        ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
        ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800),
        ("Mon, 29 Feb 2072 00:00:00 GMT", 3_223_929_600),
        // Years of two digits turn over between 69 and 70.
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

/// A clock and a calendar that go hour by hour, and know nothing else.
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
        // So are the first and the last hour of each month, where the mistakes are.
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

/// What is waited after a response with these headers.
#[track_caller]
fn wait_after(rules: Reconnect, status: u16, headers: &[(&str, &str)]) -> Duration {
    let mut rules = connecting(rules);
    assert_eq!(rules.handle_response(s(9), &ResponseHead::new(status, headers)), Verdict::Retry);
    wait(&mut rules, s(9), &Decoder::new())
}

#[test]
fn retry_after_is_the_delay_within_limits() {
    for status in [429, 500, 502, 503, 504] {
        let rules = || Reconnect::new().with_jitter_seed(3);
        for (value, expected) in [
            ("1", s(1)), // less than the reconnection time, and more than the longest backoff
            ("7", s(7)),
            ("31", s(31)),
            ("3600", s(3600)),
            ("3601", s(3600)),
            ("18446744073709551615", s(3600)),
            ("99999999999999999999999", s(3600)),
        ] {
            assert_eq!(wait_after(rules(), status, &[("retry-after", value)]), expected, "{value}");
            let slow = rules().with_min_delay(ms(1500));
            assert_eq!(wait_after(slow, status, &[("retry-after", value)]), expected.max(ms(1500)), "{value}");
            let proud = rules().with_max_server_delay(s(5));
            assert_eq!(wait_after(proud, status, &[("retry-after", value)]), expected.min(s(5)), "{value}");
            let both = rules().with_max_server_delay(s(5)).with_min_delay(s(6));
            assert_eq!(wait_after(both, status, &[("retry-after", value)]), s(6), "{value}");
            let date = [("retry-after", "Thu, 01 Jan 2026 00:00:20 GMT"), ("date", THEN)];
            assert_eq!(wait_after(rules(), status, &date), s(20));
        }
        let ordinary = wait_after(rules(), status, &[]);
        assert!((s(3)..s(6)).contains(&ordinary) && ordinary.subsec_nanos() != 0);
        for headers in [
            &[("retry-after", "0")][..],
            &[("retry-after", "+5")],
            &[("retry-after", "")],
            &[("retry-after", "soon"), ("date", THEN)],
            &[("retry-after", "Thu, 01 Jan 2026 00:00:20 GMT")],
            &[("retry-after", "Wed, 31 Dec 2025 23:59:59 GMT"), ("date", THEN)],
        ] {
            assert_eq!(wait_after(rules(), status, headers), ordinary, "{headers:?}");
        }
    }
}

#[test]
fn retry_after_holds_for_its_response_alone() {
    let headers = [("content-type", "text/event-stream"), ("retry-after", "20")];
    let ordinary = s(3)..s(12);
    let mut rules = connecting(Reconnect::new());
    assert_eq!(rules.handle_response(START, &ResponseHead::new(200, &headers)), Verdict::Open);
    rules.handle_disconnect(START);
    assert!(ordinary.contains(&wait(&mut rules, START, &Decoder::new())));

    let mut rules = connecting(Reconnect::new());
    rules.handle_response(START, &ResponseHead::new(503, &headers));
    let mut rules = connected(rules, s(60), &Decoder::new());
    rules.handle_disconnect(s(60));
    assert!(ordinary.contains(&wait(&mut rules, s(60), &Decoder::new())));

    for (status, reason) in [(204, StopReason::NoContent), (404, StopReason::Refused), (301, StopReason::Refused)] {
        let mut rules = connecting(Reconnect::new());
        rules.handle_response(START, &ResponseHead::new(status, &headers));
        assert_eq!(stopped(&mut rules), reason);
    }
}

// --- The delays.

/// The delay after so many attempts without an event; after an event, none.
#[track_caller]
fn delay_after(rules: Reconnect, fruitless: u32, decoder: &Decoder) -> Duration {
    let mut rules = open(rules);
    let mut now = START;
    if fruitless == 0 {
        rules.handle_event();
    }
    for _ in 1..fruitless {
        rules.handle_disconnect(now);
        now = now.saturating_add(wait(&mut rules, now, decoder));
        rules = connected(rules, now, decoder);
    }
    rules.handle_disconnect(now);
    wait(&mut rules, now, decoder)
}

/// All delays after so many attempts are between these two, and they come from everywhere between them.
#[track_caller]
fn check_delays(rules: &Reconnect, fruitless: u32, stream: &str, least: Duration, bound: Duration) {
    let draws = 400;
    let decoder = decoder(stream);
    let mut quarters = [0; 4];
    for seed in 0..draws {
        let delay = delay_after(rules.clone().with_jitter_seed(seed), fruitless, &decoder);
        assert!(least <= delay && delay <= bound, "{delay:?}, not {least:?} to {bound:?}, after {fruitless}");
        if let Some(place) = ((delay - least).as_nanos() * 4).checked_div((bound - least).as_nanos()) {
            quarters[usize::try_from(place).unwrap()] += 1;
        }
    }
    assert!(least == bound || quarters.iter().all(|count| *count > draws / 8), "{quarters:?} after {fruitless}");
}

#[test]
fn delays_double_from_the_reconnection_time_to_the_ceiling() {
    let rules = Reconnect::new();
    for (fruitless, bound) in
        [(0, 6), (1, 6), (2, 12), (3, 24), (4, 30), (5, 30), (31, 30), (32, 30), (33, 30), (70, 30)]
    {
        check_delays(&rules, fruitless, "", s(3), s(bound));
        check_delays(&rules, fruitless, "data\n\n", s(3), s(bound));
    }
    let rules = Reconnect::new().with_reconnection_time(ms(1)).with_min_delay(START).with_max_delay(Duration::MAX);
    for (fruitless, bound) in [(0, 2), (1, 2), (2, 4), (3, 8), (10, 1024), (20, 1 << 20), (31, 1 << 31)] {
        check_delays(&rules, fruitless, "", ms(1), ms(bound));
    }
}

#[test]
fn each_setting_moves_its_own_limit() {
    let new = Reconnect::new;
    check_delays(&new().with_reconnection_time(s(1)), 1, "", s(1), s(2));
    check_delays(&new().with_reconnection_time(s(20)), 1, "", s(20), s(30));
    // Near the ceiling and above it there is jitter of a quarter still.
    check_delays(&new().with_reconnection_time(s(24)), 5, "", s(24), s(30));
    check_delays(&new().with_reconnection_time(s(30)), 5, "", s(30), ms(37_500));
    check_delays(&new().with_reconnection_time(s(40)), 5, "", s(40), s(50));
    check_delays(&new().with_max_delay(START), 5, "", s(3), ms(3750));
    check_delays(&new().with_max_delay(s(4)), 5, "", s(3), s(4));
    check_delays(&new().with_max_delay(s(600)), 5, "", s(3), s(96));
    // The floor.
    check_delays(&new().with_reconnection_time(START), 1, "", ms(100), ms(200));
    check_delays(&new().with_reconnection_time(START), 2, "", ms(100), ms(400));
    check_delays(&new().with_min_delay(s(5)), 1, "", s(5), s(10));
    check_delays(&new().with_min_delay(s(40)), 1, "", s(40), s(50));
    check_delays(&new().with_reconnection_time(START).with_min_delay(START), 1, "", ms(1), ms(2));
    check_delays(&new().with_reconnection_time(START).with_min_delay(ms(2)), 1, "", ms(2), ms(4));
}

#[test]
fn the_servers_reconnection_time_goes_before_the_default() {
    let new = Reconnect::new;
    check_delays(&new(), 1, "retry: 1000\n\n", s(1), s(2));
    check_delays(&new(), 0, "retry: 9000\ndata\n\n", s(9), s(18));
    check_delays(&new().with_reconnection_time(s(20)), 2, "retry: 1000\n", s(1), s(4));
    check_delays(&new(), 1, "retry: 1000\nretry: 2000\nretry: +9\n", s(2), s(4));
    check_delays(&new(), 1, "retry: 0\n", ms(100), ms(200));
    check_delays(&new().with_min_delay(START), 1, "retry: 0\n", ms(1), ms(2));
    check_delays(&new().with_min_delay(START), 0, "retry: 0\n", ms(1), ms(2));
    check_delays(&new().with_min_delay(s(2)), 1, "retry: 1000\n", s(2), s(4));
    check_delays(&new(), 1, "retry: 40000\n", s(40), s(50));
    check_delays(&new(), 1, "retry: 3600000\n", s(3600), s(4500));
    check_delays(&new(), 1, "retry: 3600001\n", s(3600), s(4500));
    check_delays(&new(), 9, "retry: 18446744073709551615\n", s(3600), s(4500));
    check_delays(&new(), 1, "retry: 99999999999999999999999\n", s(3600), s(4500));
    check_delays(&new().with_max_server_delay(s(2)), 1, "retry: 9000\n", s(2), s(4));
    check_delays(&new().with_max_server_delay(s(2)).with_min_delay(s(5)), 1, "retry: 9000\n", s(5), s(10));
    let generous = new().with_max_server_delay(Duration::MAX);
    assert!(delay_after(generous, 9, &decoder("retry: 18446744073709551615\n")) >= ms(u64::MAX));
}

/// What a server may ask for is no limit to what the caller has asked for.
#[test]
fn the_callers_reconnection_time_is_not_cut_to_what_a_server_may_ask_for() {
    check_delays(&Reconnect::new().with_reconnection_time(s(7200)), 1, "", s(7200), s(9000));
    check_delays(&Reconnect::new().with_reconnection_time(s(7200)), 1, "retry: 7200000\n", s(3600), s(4500));
    check_delays(&Reconnect::new().with_max_server_delay(s(1)), 1, "", s(3), s(6));
}

/// The delays of a server that is never there.
fn delays(mut rules: Reconnect, count: usize) -> Vec<Duration> {
    let mut now = START;
    (0..count)
        .map(|_| {
            rules = connected(rules.clone(), now, &Decoder::new());
            rules.handle_disconnect(now);
            let delay = wait(&mut rules, now, &Decoder::new());
            now += delay;
            delay
        })
        .collect()
}

#[test]
fn delays_are_those_of_their_seed() {
    let of = |seed| delays(Reconnect::new().with_jitter_seed(seed), 50);
    let mut all: Vec<Vec<Duration>> = [0, 1, 2, 3, u64::MAX, 1 << 63].map(of).to_vec();
    assert_eq!(all, [0, 1, 2, 3, u64::MAX, 1 << 63].map(of));
    assert_eq!(delays(Reconnect::default(), 50), all[0]);
    all.iter().flatten().for_each(|delay| assert!((s(3)..=s(30)).contains(delay), "{delay:?}"));
    // No two sequences share a delay at the same place, nor does one repeat itself.
    for place in 0..50 {
        let mut column: Vec<Duration> = all.iter().map(|delays| delays[place]).collect();
        column.sort();
        column.dedup();
        assert_eq!(column.len(), 6, "at {place}");
    }
    for delays in &mut all {
        delays.sort();
        delays.dedup();
        assert_eq!(delays.len(), 50);
    }
}

#[test]
fn one_client_uses_the_whole_range() {
    let mut quarters = [0; 4];
    for delay in delays(Reconnect::new().with_jitter_seed(5), 4003).into_iter().skip(3) {
        assert!((s(3)..=s(30)).contains(&delay), "{delay:?}");
        quarters[usize::try_from((delay - s(3)).as_nanos() * 4 / s(27).as_nanos()).unwrap()] += 1;
    }
    assert!(quarters.iter().all(|count| (900..1100).contains(count)), "{quarters:?}");
}

#[test]
fn a_200_that_brings_nothing_does_not_set_the_delays_back() {
    let longest = |is_of_use: bool| {
        let mut rules = Reconnect::new().with_jitter_seed(1);
        let mut now = START;
        let mut longest = START;
        for _ in 0..200 {
            rules = connected(rules, now, &Decoder::new());
            rules.handle_response(now, &STREAM);
            if is_of_use {
                rules.handle_event();
            }
            rules.handle_disconnect(now);
            let delay = wait(&mut rules, now, &Decoder::new());
            longest = longest.max(delay);
            now += delay;
        }
        longest
    };
    assert!(longest(false) > s(28));
    assert!(longest(true) < s(6));
}

#[test]
fn the_longest_times_are_times() {
    let max = Duration::MAX;
    let new = Reconnect::new;
    for rules in [
        new().with_reconnection_time(max),
        new().with_min_delay(max),
        new().with_max_delay(max),
        new().with_max_server_delay(max),
        new().with_reconnection_time(max).with_min_delay(max).with_max_delay(max).with_max_server_delay(max),
        new().with_min_delay(max).with_max_delay(START).with_max_server_delay(START),
        new().with_reconnection_time(START).with_min_delay(START).with_max_delay(max).with_max_server_delay(START),
    ] {
        for decoder in [Decoder::new(), decoder("retry: 18446744073709551615\n"), decoder("retry: 0\n")] {
            for head in [BUSY, ResponseHead::new(503, &[("retry-after", "99999999999999999999999")])] {
                let mut rules = connected(rules.clone(), START, &decoder);
                rules.handle_response(START, &head);
                wait(&mut rules, START, &decoder);
                // Where time ends, so does the delay.
                for _ in 0..40 {
                    rules = connected(rules, max, &decoder);
                    rules.handle_response(max, &head);
                }
                rules.handle_disconnect(max);
                rules = connected(rules, max, &decoder);
                rules.handle_disconnect(START);
                wait(&mut rules, START, &decoder);
            }
        }
    }
    assert_eq!(delay_after(new().with_min_delay(max), 1, &Decoder::new()), max);
    assert_eq!(delay_after(new().with_reconnection_time(max), 1, &Decoder::new()), max);
}

// --- Waiting.

#[test]
fn a_delay_begins_with_the_disconnect_and_ends_on_time() {
    let decoder = Decoder::new();
    let mut rules = open(Reconnect::new().with_jitter_seed(9));
    rules.handle_disconnect(s(100));
    let delay = wait(&mut rules.clone(), s(100), &decoder);
    let nanosecond = Duration::from_nanos(1);

    // Who asks late waits for what is left.
    assert_eq!(wait(&mut rules, s(101), &decoder), delay - s(1));
    assert_eq!(wait(&mut rules, s(102), &decoder), delay - s(2));
    assert_eq!(wait(&mut rules, s(102), &decoder), delay - s(2));
    assert_eq!(wait(&mut rules, s(100) + delay - nanosecond, &decoder), nanosecond);
    // Time that goes back is time that is left.
    assert_eq!(wait(&mut rules, s(40), &decoder), s(60) + delay);
    assert_eq!(wait(&mut rules, START, &decoder), s(100) + delay);
    for now in [s(100) + delay, s(100) + delay + nanosecond, Duration::MAX] {
        connected(rules.clone(), now, &decoder);
    }
    let mut much_too_late = open(Reconnect::new());
    much_too_late.handle_disconnect(s(100));
    connected(much_too_late, s(200), &decoder);
}

#[test]
fn a_delay_begins_with_the_response_that_refuses() {
    for headers in [&[][..], &[("retry-after", "20")]] {
        let mut rules = connecting(Reconnect::new());
        rules.handle_response(s(100), &ResponseHead::new(503, headers));
        let delay = wait(&mut rules.clone(), s(100), &Decoder::new());
        assert_eq!(wait(&mut rules, s(102), &Decoder::new()), delay - s(2));
        connected(rules, s(100) + delay, &Decoder::new());
    }
}

#[test]
fn without_a_connection_nothing_is_lost() {
    let decoder = Decoder::new();
    let mut before = Reconnect::new();
    before.handle_disconnect(START);
    assert_eq!(before.poll(START, &decoder), Action::Connect { last_event_id: None });

    let mut rules = open(Reconnect::new());
    rules.handle_disconnect(s(1));
    let expected = wait(&mut rules.clone(), s(1), &decoder);
    rules.handle_disconnect(s(2));
    assert_eq!(wait(&mut rules, s(1), &decoder), expected);
    rules.handle_disconnect(s(3));
    assert_eq!(wait(&mut rules, s(1), &decoder), expected);

    // The end of a body that nobody wanted does not make away with its Retry-After.
    let mut refused = connecting(Reconnect::new());
    refused.handle_response(START, &ResponseHead::new(503, &[("retry-after", "20")]));
    refused.handle_disconnect(s(1));
    assert_eq!(wait(&mut refused, START, &decoder), s(20));
}

// --- The end.

/// How many times it is connected to a server that does this, before it is over; or at least a thousand times.
fn connects(mut rules: Reconnect, mut serve: impl FnMut(&mut Reconnect, Duration)) -> (u32, Option<StopReason>) {
    let decoder = Decoder::new();
    let mut now = START;
    let mut connects = 0;
    for _ in 0..3000 {
        match rules.poll(now, &decoder) {
            Action::Connect { .. } => {
                connects += 1;
                serve(&mut rules, now);
            }
            Action::Wait(delay) => now += delay,
            Action::Read => rules.handle_disconnect(now),
            Action::Stop(reason) => return (connects, Some(reason)),
        }
    }
    (connects, None)
}

#[test]
fn attempts_that_bring_no_event_are_so_many() {
    let servers: [fn(&mut Reconnect, Duration); 4] = [
        |rules, now| rules.handle_disconnect(now),
        |rules, now| {
            rules.handle_response(now, &BUSY);
        },
        |rules, now| {
            rules.handle_response(now, &ResponseHead::new(429, &[("retry-after", "5")]));
        },
        |rules, now| {
            rules.handle_response(now, &STREAM);
        },
    ];
    for serve in servers {
        for max in [0, 1, 2, 3, 10, 100] {
            let expected = (max, Some(StopReason::AttemptsExhausted));
            assert_eq!(connects(Reconnect::new().with_max_attempts(max), serve), expected);
        }
        for unlimited in [Reconnect::new(), Reconnect::new().with_max_attempts(u32::MAX)] {
            let outcome = connects(unlimited, serve);
            assert!(matches!(outcome, (1000.., None)), "{outcome:?}");
        }
    }
}

#[test]
fn attempts_are_counted_from_the_last_event() {
    for (max, with_event, expected) in [
        (1, &[][..], 1),
        (1, &[1], 2),
        (1, &[1, 2, 3], 4),
        (3, &[3], 6),
        (3, &[1, 2], 5),
        (3, &[2, 5, 8], 11),
        (3, &[4], 3), // which it does not live to see
    ] {
        let mut connect = 0;
        let mut serve = |rules: &mut Reconnect, now| {
            connect += 1;
            rules.handle_response(now, &STREAM);
            if with_event.contains(&connect) {
                rules.handle_event();
                assert_eq!(rules.attempts(), 0);
            }
        };
        let rules = Reconnect::new().with_max_attempts(max);
        assert_eq!(
            connects(rules, &mut serve),
            (expected, Some(StopReason::AttemptsExhausted)),
            "{max}, {with_event:?}"
        );
    }
}

#[test]
fn attempts_are_set_back_by_an_event_alone() {
    let mut rules = Reconnect::new();
    for attempt in 1..=5 {
        rules = connected(rules, s(100) * attempt, &Decoder::new());
        assert_eq!(rules.attempts(), attempt);
        rules.handle_response(s(100) * attempt, &STREAM);
        rules.handle_resend(Resend::Always);
        assert_eq!(rules.attempts(), attempt);
        rules.handle_disconnect(s(100) * attempt);
        wait(&mut rules, s(100) * attempt, &Decoder::new());
        assert_eq!(rules.attempts(), attempt);
    }
    rules = connected(rules, s(600), &Decoder::new());
    rules.handle_response(s(600), &STREAM);
    rules.handle_event();
    assert_eq!(rules.attempts(), 0);
}

#[test]
fn after_the_last_attempt_nothing_is_waited_for() {
    let mut rules = open(Reconnect::new().with_max_attempts(1));
    assert_eq!(rules.poll(START, &Decoder::new()), Action::Read);
    rules.handle_disconnect(START);
    assert_eq!(stopped(&mut rules), StopReason::AttemptsExhausted);
    assert_eq!(stopped(&mut Reconnect::new().with_max_attempts(0)), StopReason::AttemptsExhausted);
}

#[test]
fn what_must_not_be_sent_again_is_not_after_its_first_event() {
    use Resend::{Always, Never, UntilFirstEvent};
    for (set, of_request, expected) in [
        (None, None, Always),
        (None, Some(Always), Always),
        (None, Some(UntilFirstEvent), UntilFirstEvent),
        (Some(Always), None, Always),
        (Some(UntilFirstEvent), None, UntilFirstEvent),
        // What was set goes before what the request is.
        (Some(Always), Some(UntilFirstEvent), Always),
        (Some(UntilFirstEvent), Some(Always), UntilFirstEvent),
        (Some(Never), None, Never),
        (None, Some(Never), Never),
    ] {
        let rules = set.map_or_else(Reconnect::new, |resend| Reconnect::new().with_resend(resend));
        let mut connect = 0;
        let mut serve = |rules: &mut Reconnect, now| {
            connect += 1;
            of_request.into_iter().for_each(|resend| rules.handle_resend(resend));
            match connect {
                1 => rules.handle_disconnect(now),
                2 | 6 => drop(rules.handle_response(now, &BUSY)),
                3 | 7 => drop(rules.handle_response(now, &STREAM)),
                4 | 5 => {
                    rules.handle_response(now, &STREAM);
                    rules.handle_event();
                }
                _ => drop(rules.handle_response(now, &ResponseHead::new(204, &[]))),
            }
        };
        let expected = match expected {
            Always => (8, StopReason::NoContent),
            UntilFirstEvent => (4, StopReason::NotResent),
            _ => (1, StopReason::NotResent),
        };
        let (connects, reason) = connects(rules, &mut serve);
        assert_eq!((connects, reason.unwrap()), expected, "{set:?}, {of_request:?}");
    }
}

#[test]
fn the_last_request_says_whether_it_may_be_sent_again() {
    let mut rules = connecting(Reconnect::new());
    rules.handle_resend(Resend::UntilFirstEvent);
    rules.handle_resend(Resend::Always);
    rules.handle_response(START, &STREAM);
    rules.handle_event();
    assert_eq!(rules.poll(START, &Decoder::new()), Action::Read);
    rules.handle_disconnect(START);
    wait(&mut rules.clone(), START, &Decoder::new());

    // It goes before the other reasons, and comes without a delay.
    let mut rules = rules.with_max_attempts(0);
    rules.handle_resend(Resend::UntilFirstEvent);
    assert_eq!(stopped(&mut rules.clone()), StopReason::NotResent);
    rules.handle_resend(Resend::Always);
    assert_eq!(stopped(&mut rules), StopReason::AttemptsExhausted);
}

#[test]
fn the_first_reason_stays() {
    let closed = || {
        let mut rules = open(Reconnect::new());
        rules.handle_close();
        rules
    };
    let refused = |status| {
        let mut rules = connecting(Reconnect::new());
        rules.handle_response(START, &ResponseHead::new(status, &[]));
        rules
    };
    let exhausted = || {
        let mut rules = Reconnect::new().with_max_attempts(0);
        assert_eq!(stopped(&mut rules), StopReason::AttemptsExhausted);
        rules
    };
    let futile = || {
        let mut rules = connecting(Reconnect::new());
        rules.handle_futile();
        rules
    };
    for (rules, reason) in [
        (closed(), StopReason::Closed),
        (refused(204), StopReason::NoContent),
        (refused(404), StopReason::Refused),
        (exhausted(), StopReason::AttemptsExhausted),
        (futile(), StopReason::Futile),
    ] {
        let calls: [fn(&mut Reconnect); 10] = [
            |rules| assert_eq!(rules.handle_response(START, &STREAM), Verdict::Open),
            |rules| assert_eq!(rules.handle_response(START, &BUSY), Verdict::Retry),
            |rules| assert_eq!(rules.handle_response(START, &ResponseHead::new(204, &[])), Verdict::Stop),
            |rules| assert_eq!(rules.handle_response(START, &ResponseHead::new(404, &[])), Verdict::Fail),
            |rules| rules.handle_disconnect(START),
            Reconnect::handle_event,
            Reconnect::handle_close,
            Reconnect::handle_futile,
            |rules| rules.handle_resend(Resend::UntilFirstEvent),
            |rules| rules.handle_resend(Resend::Always),
        ];
        let mut all = rules.clone();
        for call in calls {
            let mut one = rules.clone();
            call(&mut one);
            assert_eq!(one.ready_state(), ReadyState::Closed);
            assert_eq!(stopped(&mut one), reason);
            call(&mut all);
            assert_eq!(stopped(&mut all), reason);
        }
    }
}

#[test]
fn it_can_be_closed_at_any_time() {
    let down = || {
        let mut rules = open(Reconnect::new());
        rules.handle_disconnect(START);
        rules
    };
    let waiting = || {
        let mut rules = down();
        wait(&mut rules, START, &Decoder::new());
        rules
    };
    for mut rules in [Reconnect::new(), connecting(Reconnect::new()), open(Reconnect::new()), down(), waiting()] {
        rules.handle_close();
        assert_eq!(rules.ready_state(), ReadyState::Closed);
        assert_eq!(stopped(&mut rules), StopReason::Closed);
    }
}

// --- All of it.

#[test]
fn ready_state_of_a_whole_life() {
    use ReadyState::{Closed, Connecting, Open};
    assert_eq!([Connecting, Open, Closed].map(|state| state as u8), [0, 1, 2]);
    let mut rules = Reconnect::new();
    assert_eq!(rules.ready_state(), Connecting);
    rules = connecting(rules);
    assert_eq!(rules.ready_state(), Connecting);
    rules.handle_response(START, &BUSY);
    assert_eq!(rules.ready_state(), Connecting);
    wait(&mut rules, START, &Decoder::new());
    assert_eq!(rules.ready_state(), Connecting);
    rules = connected(rules, s(10), &Decoder::new());
    assert_eq!(rules.ready_state(), Connecting);
    rules.handle_response(s(10), &STREAM);
    assert_eq!(rules.ready_state(), Open);
    assert_eq!(rules.poll(s(10), &Decoder::new()), Action::Read);
    rules.handle_event();
    assert_eq!(rules.ready_state(), Open);
    rules.handle_disconnect(s(20));
    assert_eq!(rules.ready_state(), Connecting);
    wait(&mut rules, s(20), &Decoder::new());
    assert_eq!(rules.ready_state(), Connecting);
    rules = connected(rules, s(30), &Decoder::new());
    assert_eq!(rules.ready_state(), Connecting);
    rules.handle_response(s(30), &ResponseHead::new(204, &[]));
    assert_eq!(rules.ready_state(), Closed);
    assert_eq!(stopped(&mut rules), StopReason::NoContent);
}

/// A plain seeded generator (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound
    }

    fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        let place = usize::try_from(self.below(u64::try_from(all.len()).unwrap())).unwrap();
        all[place].clone()
    }

    fn time(&mut self) -> Duration {
        match self.below(20) {
            0 => START,
            1 => Duration::MAX,
            2 => s(self.below(10_000)),
            _ => ms(self.below(20_000)),
        }
    }
}

/// What is known of the rules from outside.
#[derive(Default)]
struct Known {
    connects_since_event: u32,
    /// `Connect` was said, and nothing has been told since that would end the attempt.
    is_connecting: bool,
    /// The first and the last time that anything was told at, since `Connect`.
    told: Option<(Duration, Duration)>,
    /// When the delay is over that was named last, if nothing has been told since.
    until: Option<Duration>,
    stopped: Option<StopReason>,
}

impl Known {
    fn tell(&mut self, now: Duration) {
        let (earliest, latest) = self.told.unwrap_or((now, now));
        self.told = Some((earliest.min(now), latest.max(now)));
        self.is_connecting = false;
    }
}

/// Calls in any order, senseless ones too, at any time: what is promised holds all the same.
#[test]
fn a_random_walk_keeps_the_promises() {
    let heads: Vec<ResponseHead<'_>> = vec![
        STREAM,
        STREAM,
        STREAM,
        BUSY,
        BUSY,
        ResponseHead::new(503, &[("retry-after", "4")]),
        ResponseHead::new(429, &[("retry-after", "99999999999999999999999")]),
        ResponseHead::new(500, &[("retry-after", "Thu, 01 Jan 2026 00:02:03 GMT"), ("date", THEN)]),
        ResponseHead::new(200, &[]),
        ResponseHead::new(204, &[]),
    ];
    let decoders = [
        Decoder::new(),
        Decoder::new(),
        decoder("id: 1\nretry: 0\ndata\n\n"),
        decoder("retry: 5000\n"),
        decoder("retry: 18446744073709551615\n"),
        decoder("id: \u{1}\ndata\n\n"),
    ];
    let delays = [START, ms(1), ms(700), s(3), s(50), Duration::MAX];
    let mut random = Random(0x5DEE_CE66_D1CE_4E5B);
    let (mut connects, mut waits, mut stops) = (0, 0, [0; 6]);
    for _ in 0..30_000 {
        let max = random.one_of(&[0, 1, 2, 3, u32::MAX, u32::MAX, u32::MAX, u32::MAX]);
        let [time, min, max_delay, max_of_server] = [(); 4].map(|()| random.one_of(&delays));
        let floor = min.max(ms(1));
        let longest = [time, floor, max_delay, max_of_server].into_iter().max().unwrap();
        // Of jitter there is a quarter, however long the time is.
        let longest = longest.saturating_add(longest / 4);
        let mut rules = Reconnect::new()
            .with_jitter_seed(random.below(1 << 31))
            .with_max_attempts(max)
            .with_reconnection_time(time)
            .with_min_delay(min)
            .with_max_delay(max_delay)
            .with_max_server_delay(max_of_server);
        let is_decoder_fixed = random.below(2) == 0;
        let mut decoder = random.one_of(&decoders);
        let mut known = Known::default();
        let mut now = START;
        for _ in 0..random.below(60) {
            now = match random.below(8) {
                0 => random.time(),
                1..5 => known.until.unwrap_or(now),
                _ => now.saturating_add(ms(random.below(400))),
            };
            if !is_decoder_fixed && random.below(4) == 0 {
                decoder = random.one_of(&decoders);
            }
            match random.below(40) {
                0..5 => {
                    known.until = None;
                    known.tell(now);
                    rules.handle_disconnect(now);
                }
                5..9 => {
                    known.until = None;
                    known.tell(now);
                    let head = random.one_of(&heads);
                    assert_eq!(rules.handle_response(now, &head), Verdict::of(&head));
                }
                9..11 => {
                    known.connects_since_event = 0;
                    rules.handle_event();
                }
                11 => rules.handle_resend(random.one_of(&[Resend::Always, Resend::Always, Resend::UntilFirstEvent])),
                12 if random.below(8) == 0 => rules.handle_close(),
                _ => match rules.poll(now, &decoder) {
                    Action::Connect { last_event_id } => {
                        connects += 1;
                        assert_eq!(known.stopped, None);
                        assert!(!known.is_connecting, "Connect after Connect");
                        assert!(known.until.is_none_or(|until| until <= now), "before its time");
                        assert_eq!(last_event_id.unwrap_or(""), decoder.last_event_id());
                        known.connects_since_event += 1;
                        assert!(known.connects_since_event <= max);
                        (known.is_connecting, known.told, known.until) = (true, None, None);
                    }
                    Action::Wait(delay) => {
                        waits += 1;
                        assert_eq!(known.stopped, None);
                        let until = now + delay;
                        assert!(known.until.is_none_or(|earlier| earlier == until), "another delay");
                        let (earliest, latest) = known.told.unwrap();
                        assert!(delay > START && until >= earliest.saturating_add(floor), "{until:?}");
                        assert!(until <= latest.saturating_add(longest), "{until:?}");
                        known.until = Some(until);
                    }
                    Action::Read => {
                        assert_eq!(known.stopped, None);
                        assert!(known.is_connecting || known.told.is_some(), "there is nothing to be read");
                    }
                    Action::Stop(reason) => {
                        assert!(known.stopped.is_none_or(|earlier| earlier == reason), "{reason} after another");
                        if known.stopped.replace(reason).is_none() {
                            stops[reason_number(reason)] += 1;
                        }
                    }
                },
            }
            assert_eq!(rules.attempts(), known.connects_since_event);
            let is_over = known.stopped.is_some();
            assert!(!is_over || rules.ready_state() == ReadyState::Closed);
        }
    }
    // The walk has been everywhere.
    assert!(connects > 30_000 && waits > 10_000, "{connects}, {waits}");
    assert!(stops.iter().all(|count| *count > 100), "{stops:?}");
}

fn reason_number(reason: StopReason) -> usize {
    use StopReason::{AttemptsExhausted, Closed, InvalidLastEventId, NoContent, NotResent, Refused};
    let all = [NoContent, Refused, AttemptsExhausted, NotResent, InvalidLastEventId, Closed];
    all.iter().position(|other| *other == reason).unwrap()
}
