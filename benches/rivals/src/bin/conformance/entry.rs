//! The entry points of each crate, with their output in a common form.

use crate::fixture::Event;
use bytes::Bytes;
use futures_util::stream::{self, Stream};
use sse_core::SseEvent;
use std::{
    convert::Infallible,
    fmt::Debug,
    pin::Pin,
    task::{Context, Poll, Waker},
};

/// One entry point of one crate.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) of: &'static str,
    pub(crate) name: &'static str,
    pub(crate) run: fn(&[Bytes]) -> Told,
}

/// What a reader learns from a stream.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) events: Vec<Event>,
    pub(crate) errors: Vec<String>,
}

impl Told {
    fn event(&mut self, event_type: &str, data: &str, id: &str) {
        self.events.push(Event::new(event_type, data, id));
    }

    fn error(&mut self, error: impl Debug) {
        self.errors.push(format!("{error:?}").chars().take(80).collect());
    }
}

/// The name of eventwire in the list of entries.
pub(crate) const OURS: &str = "eventwire";

pub(crate) fn all() -> Vec<Entry> {
    let one = |of, name, run| Entry { of, name, run };
    vec![
        one(OURS, "Decoder", decoder as fn(&[Bytes]) -> Told),
        one(OURS, "EventStream", event_stream),
        one("eventsource-stream", "EventStream", eventsource_stream_stream),
        one("sse-core", "SseDecoder", sse_core_decoder),
        one("sse-core", "SseStream", sse_core_stream),
        one("sse-stream", "SseByteStream", sse_stream_stream),
        one("sseer", "EventStream", sseer_stream),
        one("sse-parse", "SseParser", sse_parse_parser),
        one("sse-parse", "EventStream", sse_parse_stream),
    ]
}

pub(crate) fn crates() -> Vec<&'static str> {
    let mut crates: Vec<&str> = all().iter().map(|entry| entry.of).collect();
    crates.dedup();
    crates
}

fn decoder(chunks: &[Bytes]) -> Told {
    let mut told = Told::default();
    let mut decoder = eventwire::Decoder::new();
    for chunk in chunks {
        let mut input = &chunk[..];
        for _ in 0..most_items(chunk.len()) {
            match decoder.decode(&mut input) {
                Ok(Some(event)) => told.event(event.event_type(), event.data(), event.id()),
                Ok(None) => break,
                Err(error) => told.error(error),
            }
        }
    }
    match decoder.finish() {
        Ok(Some(event)) => told.event(event.event_type(), event.data(), event.id()),
        Ok(None) => {}
        Err(error) => told.error(error),
    }
    told
}

fn event_stream(chunks: &[Bytes]) -> Told {
    let mut told = Told::default();
    for item in items(chunks, eventwire::EventStream::new(source(chunks))) {
        match item {
            Ok(event) => told.event(event.event_type(), event.data(), event.id()),
            Err(error) => told.error(error),
        }
    }
    told
}

fn eventsource_stream_stream(chunks: &[Bytes]) -> Told {
    let mut told = Told::default();
    for item in items(chunks, eventsource_stream::EventStream::new(source(chunks))) {
        match item {
            Ok(event) => told.event(&event.event, &event.data, &event.id),
            Err(error) => told.error(error),
        }
    }
    told
}

/// A reconnection time is a separate item, not an event. The decoder has no call for the end of the stream.
fn sse_core_decoder(chunks: &[Bytes]) -> Told {
    let mut told = Told::default();
    let mut decoder = sse_core::SseDecoder::new();
    for chunk in chunks {
        let mut input = &chunk[..];
        for _ in 0..most_items(chunk.len()) {
            match decoder.next(&mut input) {
                Some(item) => tell_sse_core(&mut told, item),
                None => break,
            }
        }
    }
    told
}

fn sse_core_stream(chunks: &[Bytes]) -> Told {
    let mut told = Told::default();
    for item in items(chunks, sse_core::SseStream::new(source(chunks))) {
        tell_sse_core(&mut told, item);
    }
    told
}

fn tell_sse_core(told: &mut Told, item: Result<SseEvent, impl Debug>) {
    match item {
        Ok(SseEvent::Message(event)) => {
            told.event(&event.event, &event.data, event.last_event_id.as_deref().unwrap_or_default());
        }
        Ok(SseEvent::Retry(_)) => {}
        Err(error) => told.error(error),
    }
}

/// The items are blocks, as the documentation says: they have only the ID of their own block, with data or without.
/// The user has to carry the ID over and to skip blocks without data.
fn sse_stream_stream(chunks: &[Bytes]) -> Told {
    let mut told = Told::default();
    let mut last_event_id = String::new();
    for item in items(chunks, sse_stream::SseByteStream::new(source(chunks))) {
        match item {
            Ok(block) => {
                last_event_id = block.id.unwrap_or(last_event_id);
                if let Some(data) = block.data {
                    told.event(&block.event.unwrap_or_default(), &data, &last_event_id);
                }
            }
            Err(error) => told.error(error),
        }
    }
    told
}

fn sseer_stream(chunks: &[Bytes]) -> Told {
    let mut told = Told::default();
    for item in items(chunks, sseer::EventStream::new(source(chunks))) {
        match item {
            Ok(event) => told.event(&event.event, &event.data, &event.id),
            Err(error) => told.error(error),
        }
    }
    told
}

fn sse_parse_parser(chunks: &[Bytes]) -> Told {
    let mut told = Told::default();
    let mut parser = sse_parse::SseParser::new();
    for chunk in chunks {
        parser.feed(chunk);
        tell_sse_parse(&mut told, &mut parser, chunk.len());
    }
    parser.finish();
    tell_sse_parse(&mut told, &mut parser, 0);
    told
}

fn tell_sse_parse(told: &mut Told, parser: &mut sse_parse::SseParser, bytes: usize) {
    for _ in 0..most_items(bytes) {
        match parser.next_event() {
            Some(event) => told.event(&event.event, &event.data, &event.id),
            None => break,
        }
    }
}

fn sse_parse_stream(chunks: &[Bytes]) -> Told {
    let mut told = Told::default();
    for item in items(chunks, sse_parse::EventStream::new(source(chunks))) {
        match item {
            Ok(event) => told.event(&event.event, &event.data, &event.id),
            Err(error) => told.error(error),
        }
    }
    told
}

/// The chunks as a client's body returns them, always ready.
fn source(chunks: &[Bytes]) -> impl Stream<Item = Result<Bytes, Infallible>> {
    stream::iter(chunks.iter().cloned().map(Ok))
}

/// Polls `stream` up to its first `None`, or until it has returned more items than possible.
fn items<S: Stream>(chunks: &[Bytes], stream: S) -> impl Iterator<Item = S::Item> {
    let mut stream = Box::pin(stream);
    let next = move || match Pin::as_mut(&mut stream).poll_next(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(item) => item,
        Poll::Pending => panic!("pending, although all chunks are ready"),
    };
    std::iter::from_fn(next).take(most_items(chunks.iter().map(Bytes::len).sum()))
}

/// Each item takes at least one byte, except an error at the end. A stream that returns more items would never end.
fn most_items(bytes: usize) -> usize {
    bytes + 8
}
