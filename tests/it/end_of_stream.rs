//! The state in which the next stream begins. What the end does with an unfinished event is compared with the naive twin
//! for every generated stream.

use crate::decoder_state::feed;
use eventwire::{DecodeError, Decoder, Eof, Position, Utf8Policy, line::Field};
use std::time::Duration;

/// A program that is given a decoder can ask what it does at the end, as eventwire-client does.
#[test]
fn the_setting_can_be_read() {
    assert_eq!(Decoder::new().eof(), Eof::Discard);
    for eof in [Eof::Discard, Eof::Dispatch, Eof::Error] {
        assert_eq!(Decoder::new().with_eof(eof).eof(), eof);
    }
}

#[test]
fn the_next_stream_begins_afresh() {
    for eof in [Eof::Discard, Eof::Dispatch, Eof::Error] {
        for unfinished in
            [&b""[..], b"\xEF\xBB", b"da", b"data: lost", b"data: lost\r", b": c", b"event: lost\r", b"foo\r\n"]
        {
            let mut decoder = Decoder::new().with_eof(eof);
            assert_eq!(feed(&mut decoder, b"retry: 7\nid: 1\ndata: 1\n\n"), ["1"]);
            feed(&mut decoder, unfinished);
            let _ = decoder.finish();
            assert_eq!(decoder.position(), Position::BetweenBlocks);
            assert_eq!((decoder.last_event_id(), decoder.reconnection_time()), ("1", Some(Duration::from_millis(7))));
            // The decoder expects a byte order mark again, nothing is pending, and the last event ID is kept. The first
            // LF belongs to no CR of the stream before.
            let mut input = &b"\xEF\xBB\xBF\ndata: 2\n\n"[..];
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
