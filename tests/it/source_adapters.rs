//! `Events` over a source of chunks. Every case runs over an iterator and over a stream.

use crate::scripted_source::{
    Answer::{self, Chunk, Failure, Pending},
    Blocking, Script,
};
use bytes::Bytes;
use eventwire::{DecodeError, Decoder, Eof, Error, Event, Events, EventsExt, Position};
use futures_util::{FutureExt, Stream, StreamExt, stream, stream::FusedStream};
use std::{convert::Infallible, pin::pin, time::Duration};

type Item = Result<Event, Error<crate::scripted_source::Failure>>;

/// An item as a short text: the event's data, or the error.
fn word(item: Item) -> String {
    match item {
        Ok(event) => event.data().to_owned(),
        Err(Error::Transport(failure)) => format!("failure: {failure}"),
        Err(Error::Decode(DecodeError::EventTooLarge { .. })) => "too large".to_owned(),
        Err(Error::Decode(DecodeError::Truncated)) => "cut off".to_owned(),
        Err(other) => panic!("an unexpected error: {other:?}"),
    }
}

/// Checks the adapter over a source with these answers: the items, and how often the source was polled when each
/// was returned. The source itself checks that it is not polled after its end.
#[track_caller]
fn check(answers: &[Answer], decoder: &Decoder, expected: &[(&str, usize)]) {
    let expected: Vec<_> = expected.iter().map(|(item, asked)| ((*item).to_owned(), *asked)).collect();

    let mut events = Events::new(Script::new(answers).blocking()).with_decoder(decoder.clone());
    let mut items = Vec::new();
    while let Some(item) = events.next() {
        items.push((word(item), events.get_ref().asked()));
    }
    assert_eq!(items, expected, "over an iterator");
    assert_eq!(events.get_ref().asked(), answers.len() + 1, "the end counts as a poll");
    assert!(events.next().is_none() && events.next().is_none(), "the iterator is not fused");

    // Once with a source that is always ready, once with one that is pending before each answer.
    let hesitant: Vec<_> = answers.iter().flat_map(|answer| [Pending, *answer]).chain([Pending]).collect();
    for (answers, waits) in [(answers, 0), (&hesitant, answers.len() + 1)] {
        let mut events = Events::new(Script::new(answers)).with_decoder(decoder.clone());
        let (mut items, mut waited) = (Vec::new(), 0);
        loop {
            // Here a pending `next()` is dropped, and must lose nothing.
            match events.next().now_or_never() {
                None => waited += 1,
                Some(Some(item)) => items.push((word(item), events.get_ref().asked())),
                Some(None) => break,
            }
        }
        assert_eq!(items, expected, "over a stream");
        assert_eq!(waited, waits, "pending exactly when the source is");
        assert!(events.is_terminated());
        assert!(events.next().now_or_never().is_some_and(|item| item.is_none()), "the stream is not fused");
    }
}

#[test]
fn the_source_is_polled_only_when_its_bytes_are_consumed() {
    let decoder = Decoder::new();
    check(&[], &decoder, &[]);
    check(&[Chunk("data: 1\n\ndata: 2\n\ndata: 3\n\n")], &decoder, &[("1", 1), ("2", 1), ("3", 1)]);
    check(
        &[Chunk("data: 1\n\ndata: 2\n\nda"), Chunk("ta: 3\n\n: c\n\n"), Chunk("data: 4\n\n")],
        &decoder,
        &[("1", 1), ("2", 1), ("3", 2), ("4", 3)],
    );
    check(&[Chunk(""), Chunk(""), Chunk("data: 1\n\n"), Chunk("")], &decoder, &[("1", 3)]);
    // The LF after the last CR is in the same chunk, or in a separate one.
    check(&[Chunk("data: 1\r\n\r\n"), Chunk("data: 2\r\n\r"), Chunk("\n")], &decoder, &[("1", 1), ("2", 2)]);
    check(
        &[Chunk("data: 123\n\ndata: 4\n\ndata: 567")],
        &decoder.with_max_event_size(8),
        &[("too large", 1), ("4", 1), ("too large", 1)],
    );
}

#[test]
fn the_source_decides_whether_it_continues_after_a_failure() {
    check(
        &[Chunk("data: 1\n\nda"), Failure("slow"), Failure("slower"), Chunk("ta: 2\n\n"), Failure("reset")],
        &Decoder::new(),
        &[("1", 1), ("failure: slow", 2), ("failure: slower", 3), ("2", 4), ("failure: reset", 5)],
    );
}

#[test]
fn after_a_final_failure_the_rest_is_dropped() {
    let answers = [Chunk("data: 1\n\nid: 7\ndata: 2\n"), Failure("reset")];
    for eof in [Eof::Discard, Eof::Dispatch, Eof::Error] {
        check(&answers, &Decoder::new().with_eof(eof), &[("1", 1), ("failure: reset", 2)]);
    }
    let decoder = Decoder::new().with_eof(Eof::Dispatch);
    let mut events = Events::new(Script::new(&answers).blocking()).with_decoder(decoder);
    assert_eq!(events.by_ref().count(), 2);
    assert_eq!(events.decoder().last_event_id(), "");
    assert_eq!(events.decoder().position(), Position::BetweenBlocks, "ready for the next connection");
}

#[test]
fn after_a_failure_and_another_item_the_end_is_normal() {
    let answers = [Failure("slow"), Chunk("data: 1\n\ndata: 2")];
    let before = [("failure: slow", 1), ("1", 2)];
    check(&answers, &Decoder::new(), &before);
    check(&answers, &Decoder::new().with_eof(Eof::Dispatch), &[before[0], before[1], ("2", 3)]);
    check(&answers, &Decoder::new().with_eof(Eof::Error), &[before[0], before[1], ("cut off", 3)]);
    // An empty chunk counts as an item.
    let answers = [Chunk("data: 1"), Failure("slow"), Chunk("")];
    check(&answers, &Decoder::new().with_eof(Eof::Error), &[("failure: slow", 2), ("cut off", 4)]);
}

/// Checks the accessors of the adapter over the source that `$source` makes of a script, after its first item.
macro_rules! check_accessors {
    ($source:expr, $next:expr) => {{
        let last = Chunk("data: 4\n\nid: 8\ndata: ");
        let answers = [Chunk("retry: 30\nid: 7\ndata: 1\n\nda"), Chunk("ta: 2\n\n"), Chunk("data: 3\n\n"), last];
        let decoder = Decoder::new().with_last_event_id("seed").unwrap();
        let mut events = Events::new($source(Script::new(&answers))).with_decoder(decoder);
        let known = |decoder: &Decoder| (decoder.last_event_id().to_owned(), decoder.reconnection_time());
        assert_eq!(known(events.decoder()), ("seed".into(), None));
        assert_eq!((events.get_ref().asked(), &events.remaining()[..]), (0, &b""[..]));

        assert_eq!($next(&mut events).unwrap().unwrap().last_event_id(), "7");
        assert_eq!(known(events.decoder()), ("7".into(), Some(Duration::from_millis(30))));
        assert_eq!(events.decoder().position(), Position::BetweenBlocks);
        assert_eq!(events.remaining(), "da");

        assert_eq!($next(&mut events).unwrap().unwrap().data(), "2");
        assert_eq!(events.remaining(), "");
        assert_eq!($next(&mut events).unwrap().unwrap().data(), "3");

        // The decoder continues without the adapter.
        assert_eq!($next(&mut events).unwrap().unwrap().data(), "4");
        let rest = events.remaining().clone();
        assert_eq!(rest, "id: 8\ndata: ");
        let mut decoder = events.decoder().clone();
        assert_eq!(events.into_inner().asked(), 4);
        assert_eq!(decoder.decode(&mut &rest[..]), Ok(None));
        assert_eq!(decoder.decode(&mut &b"5\n\n"[..]).unwrap().unwrap().data(), "5");
        assert_eq!(decoder.last_event_id(), "8");

        assert_eq!(Events::new($source(Script::new(&answers))).into_inner().asked(), 0);
        assert_eq!(Events::new($source(Script::new(&answers))).decoder().last_event_id(), "");
    }};
}

#[test]
fn accessors_over_an_iterator() {
    check_accessors!(Script::blocking, |events: &mut Events<Blocking>| events.next());
}

#[test]
fn accessors_over_a_stream() {
    check_accessors!(std::convert::identity, |events: &mut Events<Script>| events.next().now_or_never().unwrap());
}

#[test]
fn a_source_that_cannot_be_moved() {
    // An `async` block is not `Unpin`, and so neither is the adapter.
    let once = stream::once(async { Ok::<_, Infallible>("data: 1\n\ndata: 2\n\n") });
    let mut events = pin!(once.events());
    assert_eq!(events.next().now_or_never().unwrap().unwrap().unwrap().data(), "1");
    assert_eq!(events.get_ref().size_hint(), (0, Some(0)));
    assert_eq!(events.next().now_or_never().unwrap().unwrap().unwrap().data(), "2");
}

#[test]
fn a_chunk_is_anything_that_becomes_bytes() {
    #[track_caller]
    fn check<B: Into<Bytes> + Clone>(chunk: B) {
        let chunks = [Ok::<_, Infallible>(chunk)];
        let mut events = Events::new(chunks.clone().into_iter());
        assert_eq!(events.next().unwrap().unwrap().data(), "1");
        let mut events = stream::iter(chunks).events();
        assert_eq!(events.next().now_or_never().unwrap().unwrap().unwrap().data(), "1");
    }
    const CHUNK: &str = "data: 1\n\n";
    check(bytes::BytesMut::from(CHUNK));
    check(CHUNK.to_owned());
    check(CHUNK);
}

#[test]
fn after_a_decoder_that_has_ended_the_source_is_not_polled() {
    let polls = std::cell::Cell::new(0);
    let source = || {
        let chunks = [&b"data: 1\n\n: \xFF\ndata: 2\n\n"[..], b"data: 3\n\n"];
        chunks.into_iter().inspect(|_| polls.set(polls.get() + 1)).map(Ok::<_, Infallible>)
    };
    let decoder = Decoder::new().with_utf8_policy(eventwire::Utf8Policy::Stop);
    let check = |items: &[Result<Event, Error<Infallible>>]| {
        assert!(matches!(items, [Ok(event), Err(Error::Decode(DecodeError::InvalidUtf8(_)))] if event.data() == "1"));
        assert_eq!(polls.replace(0), 1);
    };
    check(&Events::new(source()).with_decoder(decoder.clone()).collect::<Vec<_>>());
    let mut events = Events::new(stream::iter(source())).with_decoder(decoder);
    check(&events.by_ref().collect::<Vec<_>>().now_or_never().unwrap());
    assert!(events.is_terminated());
    // The decoder is ready for the next connection.
    let decoder = events.decoder().clone();
    let next = [Ok::<_, Infallible>("data: 4\n\n")];
    assert_eq!(Events::new(next.into_iter()).with_decoder(decoder).next().unwrap().unwrap().data(), "4");
}
