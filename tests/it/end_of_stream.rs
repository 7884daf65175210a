//! An unfinished event at the end of a stream, and the state in which the next stream begins.

use crate::decoder_state::feed;
use eventwire::{DecodeError, Decoder, Eof, Position, Utf8Policy, line::Field};
use std::time::Duration;

#[test]
fn finish_discards() {
    let mut decoder = Decoder::new();
    feed(&mut decoder, b"retry: 5\nid: 1\ndata: 1\n");
    assert_eq!(decoder.finish(), Ok(None));
    assert_eq!((decoder.last_event_id(), decoder.reconnection_time()), ("", Some(Duration::from_millis(5))));
}

#[test]
fn finish_dispatches() {
    #[track_caller]
    fn check(unfinished: &[u8], data: Option<&str>, id: &str, retry: Option<u64>) {
        let mut decoder = Decoder::new().with_eof(Eof::Dispatch);
        feed(&mut decoder, unfinished);
        let event = decoder.finish().unwrap();
        assert_eq!(event.as_ref().map(|event| event.data()), data);
        assert_eq!(event.as_ref().map(|event| event.last_event_id()), data.map(|_| id));
        assert_eq!(decoder.last_event_id(), id);
        assert_eq!(decoder.reconnection_time(), retry.map(Duration::from_millis));
        assert_eq!(decoder.finish(), Ok(None), "once");
    }
    check(b"", None, "", None);
    check(b"data", Some(""), "", None);
    check(b"data: 1", Some("1"), "", None);
    check(b"data: 1\r", Some("1"), "", None);
    check(b"data: 1\n\n", None, "", None);
    check(b"data: 1\nid: 7", Some("1"), "7", None);
    check(b"id: 7", None, "7", None);
    check(b"retry: 7", None, "", Some(7));
    check(b"data: \xE2\x82", Some("\u{FFFD}"), "", None);
    check(b"event: t\n: c", None, "", None);
}

#[test]
fn finish_reports() {
    #[track_caller]
    fn check(unfinished: &[u8], expected: Result<(), DecodeError>) {
        let mut decoder = Decoder::new().with_eof(Eof::Error);
        feed(&mut decoder, unfinished);
        assert_eq!(decoder.finish().map(|event| assert_eq!(event, None)), expected);
        assert_eq!(decoder.finish(), Ok(None), "once");
    }
    let truncated = Err(DecodeError::Truncated);
    for complete in
        [&b""[..], b"\xEF\xBB\xBF", b"data: 1\n\n", b": c", b":", b"retry: 5\n", b"foo\n", b"data: 1\n\r: c\r\n: d"]
    {
        check(complete, Ok(()));
    }
    for unfinished in
        [&b"\xEF"[..], b"\xEF\xBB", b"d", b"data: 1\n", b"id: \0\n", b"event\r", b"retry: 5", b"foo", b"data\n: c"]
    {
        check(unfinished, truncated);
    }
}

/// A program that is given a decoder can ask what it does at the end, as eventwire-client does.
#[test]
fn the_setting_can_be_read() {
    assert_eq!(Decoder::new().eof(), Eof::Discard);
    for eof in [Eof::Discard, Eof::Dispatch, Eof::Error] {
        assert_eq!(Decoder::new().with_eof(eof).eof(), eof);
    }
}

#[test]
fn the_end_in_a_comment_is_forgotten() {
    let mut decoder = Decoder::new().with_eof(Eof::Error);
    assert_eq!(decoder.decode(&mut &b": comm"[..]), Ok(None));
    assert_eq!(decoder.finish(), Ok(None));
    // The beginning of a byte order mark, which the decoder does not yet treat as a line.
    assert_eq!(decoder.decode(&mut &b"\xEF"[..]), Ok(None));
    assert_eq!(decoder.finish(), Err(DecodeError::Truncated));
}

#[test]
fn the_next_stream_begins_afresh() {
    for eof in [Eof::Discard, Eof::Dispatch, Eof::Error] {
        for unfinished in
            [&b""[..], b"\xEF\xBB", b"da", b"data: lost", b"data: lost\n", b": c", b"event: lost\r", b"foo\r\n"]
        {
            let mut decoder = Decoder::new().with_eof(eof);
            assert_eq!(feed(&mut decoder, b"retry: 7\nid: 1\ndata: 1\n\n"), ["1"]);
            feed(&mut decoder, unfinished);
            let _ = decoder.finish();
            assert_eq!(decoder.position(), Position::BetweenBlocks);
            assert_eq!((decoder.last_event_id(), decoder.reconnection_time()), ("1", Some(Duration::from_millis(7))));
            // The decoder expects a byte order mark again, nothing is pending, and the last event ID is kept.
            let mut input = &b"\xEF\xBB\xBFdata: 2\n\n"[..];
            let event = decoder.decode(&mut input).unwrap().unwrap();
            let shown = unfinished.escape_ascii();
            assert_eq!(
                (event.event_type(), event.data(), event.last_event_id()),
                ("message", "2", "1"),
                "{eof:?}, {shown}"
            );
        }
    }
}

#[test]
fn a_line_feed_at_the_start_of_the_next_stream_belongs_to_no_cr() {
    // If it did, the LF would be skipped as the second half of a CR LF.
    let mut decoder = Decoder::new();
    assert_eq!(feed(&mut decoder, b"data: 1\r"), [""; 0]);
    assert_eq!(decoder.finish(), Ok(None));
    assert_eq!(feed(&mut decoder, b"\xEF\xBB\xBF\ndata: 2\n\n"), ["2"]);
}

/// A reset drops an unfinished event at every place, for each `Eof`.
#[test]
fn reset_drops_half_an_event_and_its_id() {
    let stream = b"\xEF\xBB\xBFid: 42\r\nevent: tick\nretry: 7\ndata: 1\ndata: 2\r\n";
    for eof in [Eof::Discard, Eof::Dispatch, Eof::Error] {
        for place in 0..=stream.len() {
            let mut decoder = Decoder::new().with_eof(eof).with_last_event_id("41").unwrap();
            feed(&mut decoder, &stream[..place]);
            decoder.reset();
            assert_eq!(decoder.position(), Position::BetweenBlocks, "{eof:?}, {place} bytes");
            assert_eq!(decoder.finish(), Ok(None), "{eof:?}, {place} bytes");
            assert_eq!(decoder.last_event_id(), "41", "{eof:?}, {place} bytes");
            // A complete `retry` line takes effect immediately, and stays in effect.
            let retry = stream[..place].windows(9).any(|line| line == b"retry: 7\n");
            assert_eq!(decoder.reconnection_time().is_some(), retry, "{eof:?}, {place} bytes");

            // The next stream contains nothing of this one, and may begin with a byte order mark.
            let mut next = &b"\xEF\xBB\xBF\ndata: 3\n\n"[..];
            let event = decoder.decode(&mut next).unwrap().unwrap();
            assert_eq!(
                (event.event_type(), event.data(), event.last_event_id(), event.retry()),
                ("message", "3", "41", None)
            );
        }
    }
}

#[test]
fn after_invalid_utf8_has_ended_a_stream_the_next_one_begins_afresh() {
    for eof in [Eof::Discard, Eof::Dispatch, Eof::Error] {
        for is_finished in [true, false] {
            let mut decoder = Decoder::new().with_eof(eof).with_utf8_policy(Utf8Policy::Stop);
            assert_eq!(feed(&mut decoder, b"id: 1\ndata: 1\n\nid: 2\ndata: \xFF\ndata: 2\n\n"), ["1", "!"]);
            assert_eq!(feed(&mut decoder, b"\n\ndata: 3\n\n"), [""; 0]);
            if is_finished {
                assert_eq!(decoder.finish(), Ok(None));
            } else {
                decoder.reset();
            }
            assert_eq!((decoder.last_event_id(), decoder.bytes_read()), ("1", 0));
            assert_eq!(feed(&mut decoder, b"\xEF\xBB\xBFdata: 4\n\n"), ["4"]);
        }
    }
}

/// The decoder does not treat it as a line until it knows that it is no byte order mark. Nothing follows, so it is one.
#[test]
fn half_a_byte_order_mark_at_the_end_is_a_line_of_invalid_utf8() {
    for half in [&b"\xEF"[..], b"\xEF\xBB"] {
        let mut decoder = Decoder::new().with_eof(Eof::Dispatch).with_utf8_policy(Utf8Policy::Stop);
        feed(&mut decoder, half);
        let Err(DecodeError::InvalidUtf8(line)) = decoder.finish() else { panic!("{}", half.escape_ascii()) };
        assert_eq!((line.field(), line.offset()), (Field::Other, 0));
        assert_eq!(decoder.finish(), Ok(None), "once");
    }
}

#[test]
fn reset_ends_an_event_that_is_too_large() {
    let mut decoder = Decoder::new().with_max_event_size(10);
    assert!(decoder.decode(&mut &b"data: 12345678"[..]).is_err());
    decoder.reset();
    let mut next = &b"data: 1\n\n"[..];
    assert_eq!(decoder.decode(&mut next).unwrap().unwrap().data(), "1");
}
