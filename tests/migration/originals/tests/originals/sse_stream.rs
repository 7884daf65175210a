//! sse-stream 0.2.4 and 0.3.0.

use super::{chunks, data, events, ready};
use bytes::Bytes;
use eventwire::{BlockItem, DecodeError, Decoder, Error, Event, EventsExt};
use futures_util::{StreamExt, stream};
use sse_stream as new;
use sse_stream_0_2 as old;
use std::convert::Infallible;

fn with_old(of: &[&'static [u8]]) -> Vec<Result<old::Sse, old::Error>> {
    ready(old::SseStream::from_bytes_stream(chunks(of)).collect())
}

fn with_new(of: &[&'static [u8]]) -> Vec<Result<new::Sse, new::Error>> {
    ready(new::SseByteStream::new(chunks(of)).collect())
}

/// The data of the items, or `None` for an error.
fn old_data(of: &[&'static [u8]]) -> Vec<Option<String>> {
    with_old(of).into_iter().map(|item| item.ok().and_then(|sse| sse.data)).collect()
}

fn new_data(of: &[&'static [u8]]) -> Vec<Option<String>> {
    with_new(of).into_iter().map(|item| item.ok().and_then(|sse| sse.data)).collect()
}

fn some(data: &str) -> Option<String> {
    Some(data.to_owned())
}

#[test]
fn what_0_2_refuses_is_ignored_by_0_3_and_by_the_standard() {
    const LINES: &[&[u8]] =
        &[b"colour: red\n", b"nothing\n", b"retry: soon\n", b"id: 1\nid: 2\n", b"event: a\nevent: b\n"];
    for &line in LINES {
        let stream = [line, b"data: a\n\n"];
        assert!(with_old(&stream)[0].is_err(), "{}", line.escape_ascii());
        assert_eq!(new_data(&stream), [some("a")]);
        assert_eq!(data(&stream), ["a"]);
    }
}

#[test]
fn after_an_error_0_2_loses_the_rest_of_the_chunk() {
    const TWO: &[&[u8]] = &[b"colour: red\n\ndata: a\n\n", b"data: b\n\n"];
    assert_eq!(old_data(TWO), [None, some("b")]);
    assert_eq!(new_data(TWO), [some("a"), some("b")]);
    assert_eq!(data(TWO), ["a", "b"]);
}

#[test]
fn invalid_utf_8_is_an_error_after_which_0_3_ends() {
    const INVALID: &[&[u8]] = &[b"data: \xff\n\n", b"data: b\n\n"];
    assert!(matches!(with_old(INVALID)[..], [Err(old::Error::Utf8Parse(_)), Ok(_)]));
    assert!(matches!(with_new(INVALID)[..], [Err(new::Error::Utf8Parse(_))]));
    assert_eq!(data(INVALID), ["\u{fffd}", "b"]);
}

#[test]
fn an_item_is_a_block_with_its_own_fields_and_so_is_a_block_of_eventwire() {
    const BLOCKS: &[&[u8]] = &[b"retry: 7\nid: 1\n\nevent: tick\n\n: no\n\ndata: a\n\ndata:\n\n"];
    let due = [
        new::Sse::default().retry(7).id("1"),
        new::Sse::default().event("tick"),
        new::Sse::default().data("a"),
        new::Sse::default().data(""),
    ];
    let of_new: Vec<_> = with_new(BLOCKS).into_iter().map(|item| item.expect("a block")).collect();
    assert_eq!(of_new, due);
    let of_old = with_old(BLOCKS).into_iter().map(|item| item.expect("a block"));
    let of_old = of_old.map(|old::Sse { event, data, id, retry }| new::Sse { event, data, id, retry });
    assert_eq!(of_old.collect::<Vec<_>>(), due);

    let ours = events(BLOCKS);
    let ours: Vec<_> = ours.iter().map(|event| (event.event_type(), event.data(), event.last_event_id())).collect();
    assert_eq!(ours, [("message", "a", "1"), ("message", "", "1")]);

    let items: Vec<_> = ready(chunks(BLOCKS).events().blocks().map(|item| item.expect("an item")).collect());
    assert!(matches!(&items[2], BlockItem::Comment(comment) if comment.text() == "no"), "{items:?}");
    let blocks = items.into_iter().filter_map(|item| match item {
        BlockItem::Block(block) => Some(new::Sse {
            event: block.event_type().map(str::to_owned),
            data: block.data().map(str::to_owned),
            id: block.id().map(str::to_owned),
            retry: block.retry().map(|time| time.as_millis() as u64),
        }),
        BlockItem::Comment(_) => None,
    });
    assert_eq!(blocks.collect::<Vec<_>>(), due);
}

#[test]
fn eventwire_keeps_the_last_event_id() {
    let mut ours = chunks(&[b"id: 1\ndata: a\n\ndata: b\n\n"]).events();
    while ready(ours.next()).is_some() {}
    assert_eq!(ours.decoder().last_event_id(), "1");
}

#[test]
fn no_event_is_too_large() {
    let large = [&b"data: "[..], &vec![b'x'; 17 << 20], b"\n\n"].concat();
    let source = || stream::iter([Ok::<_, Infallible>(Bytes::from(large.clone()))]);
    let sse = ready(old::SseStream::from_bytes_stream(source()).next()).expect("an item").expect("an event");
    assert_eq!(sse.data.expect("data").len(), 17 << 20);
    let sse = ready(new::SseByteStream::new(source()).next()).expect("an item").expect("an event");
    assert_eq!(sse.data.expect("data").len(), 17 << 20);
    let error = ready(source().events().next()).expect("an item").expect_err("a limit");
    assert!(matches!(error, Error::Decode(DecodeError::EventTooLarge { .. })), "{error:?}");
    let decoder = Decoder::new().with_max_event_size(usize::MAX);
    let event = ready(eventwire::Events::new(source()).with_decoder(decoder).next()).expect("an item");
    assert_eq!(event.expect("an event").data().len(), 17 << 20);
}

#[test]
fn line_ends_in_what_is_written() {
    let sse = old::Sse::default().data("a\nevent: b");
    assert_eq!(Bytes::from(sse), "data: a\nevent: b\n\n"); // it is read as another event
    let sse = new::Sse::default().data("a\nevent: b");
    assert_eq!(sse.encode().expect("bytes"), "data: a\ndata: event: b\n\n");
    assert_eq!(Event::new("a\nevent: b").to_bytes(), "data: a\ndata: event: b\n\n");

    assert_eq!(Bytes::from(old::Sse::default().event("a\ndata: b")), "event: a\ndata: b\n\n");
    assert_eq!(new::Sse::default().event("a\ndata: b").encode(), Err(new::EncodeError::InvalidEvent));
    assert!(Event::default().with_event_type("a\ndata: b").is_err());
}
