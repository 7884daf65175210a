//! eventsource-stream 0.2.3.

use super::{chunks, data, events, ready};
use eventsource_stream::{Event, EventStreamError};
use eventwire::{DecodeError, Decoder, Error, EventsExt};
use futures_util::{FutureExt, StreamExt, stream};
use std::{convert::Infallible, panic, time::Duration};

fn theirs(of: &[&'static [u8]]) -> Vec<Result<Event, EventStreamError<Infallible>>> {
    ready(eventsource_stream::EventStream::new(chunks(of)).collect())
}

#[test]
fn a_byte_order_mark_panics() {
    const MARKED: &[&[u8]] = &["\u{feff}data: a\n\n".as_bytes()];
    assert!(panic::catch_unwind(|| theirs(MARKED)).is_err());
    assert_eq!(data(MARKED), ["a"]);
}

#[test]
fn an_event_that_a_carriage_return_completes_waits_for_the_next_byte() {
    let open = || chunks(&[b"data: a\r\r"]).chain(stream::pending());
    assert!(eventsource_stream::EventStream::new(open()).next().now_or_never().is_none());
    let event = eventwire::Events::new(open()).next().now_or_never();
    assert_eq!(event.expect("ready").expect("an item").expect("an event").data(), "a");
}

#[test]
fn no_event_follows_a_byte_that_is_not_utf_8() {
    const INVALID: &[&[u8]] = &[b"data: a\n\n", b"data: \xff\n\n", b"data: b\n\n"];
    let theirs = theirs(INVALID);
    assert!(matches!(&theirs[..], [Ok(event), Err(EventStreamError::Utf8(_))] if event.data == "a"), "{theirs:?}");
    assert_eq!(data(INVALID), ["a", "\u{fffd}", "b"]);
}

#[test]
fn the_first_event_without_an_id_erases_a_seeded_one() {
    const NO_ID: &[&[u8]] = &[b"data: a\n\n"];
    let mut theirs = eventsource_stream::EventStream::new(chunks(NO_ID));
    theirs.set_last_event_id("7");
    assert_eq!(ready(theirs.next()).expect("an item").expect("an event").id, "");
    assert_eq!(theirs.last_event_id(), "");

    let decoder = Decoder::new().with_last_event_id("7").expect("an ID");
    let mut ours = eventwire::Events::new(chunks(NO_ID)).with_decoder(decoder);
    assert_eq!(ready(ours.next()).expect("an item").expect("an event").last_event_id(), "7");
    assert_eq!(ours.decoder().last_event_id(), "7");
}

#[test]
fn an_id_counts_only_from_the_next_event_on() {
    const ID_ALONE: &[&[u8]] = &[b"id: 7\n\n"];
    const EVENT_AFTER_IT: &[&[u8]] = &[b"id: 7\n\ndata: a\n\n"];
    let mut theirs = eventsource_stream::EventStream::new(chunks(ID_ALONE));
    assert!(ready(theirs.next()).is_none());
    assert_eq!(theirs.last_event_id(), "");
    let mut theirs = eventsource_stream::EventStream::new(chunks(EVENT_AFTER_IT));
    assert!(ready(theirs.next()).is_some());
    assert_eq!(theirs.last_event_id(), "7");

    let mut ours = eventwire::Events::new(chunks(ID_ALONE));
    assert!(ready(ours.next()).is_none());
    assert_eq!(ours.decoder().last_event_id(), "7");
}

#[test]
fn a_reconnection_time_without_an_event_is_lost() {
    const RETRY_ALONE: &[&[u8]] = &[b"retry: 10000\n\ndata: a\n\n"];
    let theirs = theirs(RETRY_ALONE);
    assert!(matches!(&theirs[..], [Ok(event)] if event.retry.is_none()), "{theirs:?}");

    let mut ours = eventwire::Events::new(chunks(RETRY_ALONE));
    assert_eq!(ready(ours.next()).expect("an item").expect("an event").retry(), None);
    assert_eq!(ours.decoder().reconnection_time(), Some(Duration::from_secs(10)));
}

#[test]
fn a_reconnection_time_may_have_a_sign() {
    const SIGNED: &[&[u8]] = &[b"retry: +5\ndata: a\n\n"];
    let theirs = theirs(SIGNED);
    assert!(matches!(&theirs[..], [Ok(event)] if event.retry == Some(Duration::from_millis(5))), "{theirs:?}");
    assert_eq!(events(SIGNED)[0].retry(), None);
}

#[test]
fn no_event_is_too_large() {
    let large = [&b"data: "[..], &vec![b'x'; 17 << 20], b"\n\n"].concat();
    let source = || stream::iter([Ok::<_, Infallible>(large.clone())]);
    let event = ready(eventsource_stream::EventStream::new(source()).next()).expect("an item").expect("an event");
    assert_eq!(event.data.len(), 17 << 20);
    let error = ready(EventsExt::events(source()).next()).expect("an item").expect_err("a limit");
    assert!(matches!(error, Error::Decode(DecodeError::EventTooLarge { .. })), "{error:?}");
}
