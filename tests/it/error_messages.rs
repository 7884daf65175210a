//! The message of each error, and its source.

use crate::scripted_source::Failure;
use eventwire::{BoxError, DecodeError, Decoder, Eof, Error, Utf8Policy};
use std::error::Error as _;

#[derive(Debug, thiserror::Error)]
#[error("the request failed")]
struct Layered(#[source] Failure);

#[test]
fn too_large() {
    let mut decoder = Decoder::new().with_max_event_size(10);
    let error = decoder.decode(&mut &b"data: 12345"[..]).unwrap_err();
    assert!(matches!(error, DecodeError::EventTooLarge { limit: 10, .. }));
    assert_eq!(error.to_string(), "the event is larger than the limit of 10 bytes");
    assert!(error.source().is_none());
}

#[test]
fn a_line_that_is_not_utf8() {
    #[track_caller]
    fn check(line: &[u8], field: &str, message: &str) {
        let mut decoder = Decoder::new().with_utf8_policy(Utf8Policy::Stop);
        let error = decoder.decode(&mut &[line, b"\n\n"].concat()[..]).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(error.source().is_none());
        // Programs log it as well, so it shows what it is.
        let shown = format!("{error:?}");
        let offset = message.split(['(', ' ', ')']).rfind(|word| !word.is_empty()).unwrap();
        assert!(shown.contains(field) && shown.contains(offset), "{shown}");
    }
    check(b"data: a\xFF", "Data", "`data` is not valid UTF-8 (at byte 7)");
    check(b"event: \xC3\xA9\xE2\x82", "EventType", "`event` is not valid UTF-8 (at byte 9)");
    check(b"id:\xC0\x80", "Id", "`id` is not valid UTF-8 (at byte 3)");
    check(b"retry: 1\xF0", "Retry", "`retry` is not valid UTF-8 (at byte 8)");
    check(b":\xA9", "Comment", "a comment is not valid UTF-8 (at byte 1)");
    check(b"dat\xE9: a", "Other", "an unknown field is not valid UTF-8 (at byte 3)");
}

#[test]
fn unexpected_eof() {
    let mut decoder = Decoder::new().with_eof(Eof::Error);
    assert_eq!(decoder.decode(&mut &b"data: 12345"[..]), Ok(None));
    let error = decoder.finish().unwrap_err();
    assert_eq!(error, DecodeError::Truncated);
    assert_eq!(error.to_string(), "the stream is truncated: it ended inside an event");
    assert!(error.source().is_none());
}

#[test]
fn the_transports_error_is_printed_with_its_sources() {
    let error = Error::Transport(Layered(Failure("connection reset")));
    assert_eq!(error.to_string(), "the request failed: connection reset");
    assert!(error.source().is_none(), "the cause would be printed twice");
    assert!(Error::Transport(Failure("connection reset")).source().is_none());
}

#[test]
fn a_decode_error_is_printed_directly() {
    let error = Error::<Failure>::from(DecodeError::Truncated);
    assert_eq!(error, Error::Decode(DecodeError::Truncated));
    assert_eq!(error.to_string(), DecodeError::Truncated.to_string());
    assert!(error.source().is_none(), "the message would be printed twice");
}

#[test]
fn a_transports_error_needs_no_trait() {
    // `Error<E>` can be compared if `E` can. It can be printed, and is an `std::error::Error`, only if `E` is one.
    let error = Error::Transport("not an error type");
    assert_eq!(error.map_transport(str::len), Error::Transport(17));
    assert_eq!(Error::<u8>::Decode(DecodeError::Truncated).map_transport(drop), Error::Decode(DecodeError::Truncated));
}

/// On one line, and of limited length.
#[test]
fn text_that_is_not_an_event_stream() {
    #[track_caller]
    fn check(text: &[u8], shown: &str) {
        let error = Error::<Failure>::NotEventStream(text.into());
        assert_eq!(error.to_string(), format!("received text that is not an event stream: `{shown}`"));
        assert!(error.source().is_none());
        assert_eq!(error.map_transport(|_| ()), Error::NotEventStream(text.into()));
    }
    check(b"<p>\n\xC3\xA4\x1b[1m\n", "<p>\\nä\\u{1b}[1m");
    check(b"\x1f\x8b\x08\0\xE2\x82", "\\u{1f}\\x8b\\u{8}\\u{0}\\xe2\\x82");
    check("ä".repeat(200).as_bytes(), &"ä".repeat(200));
    check("ä".repeat(201).as_bytes(), &format!("{}...", "ä".repeat(200)));
    check(&[0xFF; 200], &"\\xff".repeat(200));
    check(&[0xFF; 201], &format!("{}...", "\\xff".repeat(200)));
}

#[test]
fn invalid_field() {
    #[track_caller]
    fn check(id: &str, offset: usize, message: &str) {
        let error = Decoder::new().with_last_event_id(id).unwrap_err();
        assert_eq!((error.field(), error.offset()), ("id", offset));
        assert_eq!(error.to_string(), message);
    }
    check("\n", 0, "`id` cannot contain a line feed (at byte 0)");
    check("a\r\n", 1, "`id` cannot contain a carriage return (at byte 1)");
    check("\u{E9}\0\n", 2, "`id` cannot contain a NUL (at byte 2)");
    for id in ["", " ", ":", "\u{FEFF}", "\u{2028}", "\u{85}\u{B}\u{C}", "42"] {
        assert_eq!(Decoder::new().with_last_event_id(id).expect(id).last_event_id(), id);
    }
}

/// The box prints what the error in it prints, which can be downcast.
#[test]
fn a_boxed_error_is_the_error_in_it() {
    let boxed = Error::Transport(Box::from(Layered(Failure("refused")))).map_transport(BoxError::from);
    assert_eq!(boxed.to_string(), "the request failed: refused");
    let Error::Transport(inside) = &boxed else { panic!("{boxed:?}") };
    assert_eq!(format!("{inside:?}"), "BoxError(Layered(Failure(\"refused\")))");
    assert!(inside.0.is::<Layered>());
    let boxed: Box<dyn std::error::Error + Send + Sync> = boxed.into();
    assert!(boxed.is::<Error<BoxError>>());
}
