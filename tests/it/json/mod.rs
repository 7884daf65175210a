//! Streams of JSON. Every case runs over an iterator and over a stream of events.

mod answers;
mod any_cut;
mod end_marker;
mod errors;
mod events;
mod frames;
mod hostile;
mod ignored_text;
mod lines;
mod serialized_events;
mod sources;
mod value_memory;
mod values;

use crate::scripted_source::{
    Answer::{self, Chunk, Pending},
    Script,
};
use bytes::Bytes;
use eventwire::{DecodeError, Decoder, Dialect, Error, Events, JsonError};
use futures_util::{FutureExt, stream::FusedStream};
use serde::de::DeserializeOwned;
use std::{convert::Infallible, fmt, iter};

/// The events of a body of one chunk. All tests have the same type of source, because each type is compiled for itself.
fn events(body: impl Into<Bytes>) -> Events<iter::Once<Result<Bytes, Infallible>>> {
    Events::new(iter::once(Ok(body.into())))
}

/// A dialect with the end, the keep-alives and the error reports of OpenAI.
fn strict() -> Dialect {
    let dialect = Dialect::new().with_end_data("[DONE]").with_error_reports();
    dialect.with_keep_alive_type("ping").with_keep_alive_type("keepalive")
}

/// The same, but its streams may end without their end.
fn lenient() -> Dialect {
    strict().with_optional_end()
}

/// An item as a short text.
fn word<T: fmt::Debug, E: fmt::Display + fmt::Debug>(item: Result<T, JsonError<E>>) -> String {
    match item {
        Ok(value) => format!("{value:?}"),
        Err(JsonError::Stream(Error::Transport(failure))) => format!("failure: {failure}"),
        Err(JsonError::Stream(Error::Decode(DecodeError::EventTooLarge { .. }))) => "too large".to_owned(),
        Err(JsonError::Stream(Error::Decode(DecodeError::Truncated))) => "cut off".to_owned(),
        Err(JsonError::Truncated { .. }) => "truncated".to_owned(),
        Err(JsonError::Reported { event, .. }) => format!("reported: {}", event.data()),
        Err(JsonError::Payload { event, .. }) => format!("payload: {}", event.data()),
        Err(other) => panic!("an unexpected error: {other:?}"),
    }
}

/// Checks both over a source with these answers: the items, and how often the source was polled when all were
/// returned.
#[track_caller]
fn check<T>(answers: &[Answer], decoder: &Decoder, dialect: &Dialect, expected: &[&str], asked: usize)
where
    T: DeserializeOwned + fmt::Debug,
{
    let events = Events::new(Script::new(answers).blocking()).with_decoder(decoder.clone());
    let mut values = events.json_with::<T>(dialect.clone());
    let items: Vec<_> = values.by_ref().map(word).collect();
    assert_eq!(items, expected, "over Events, {dialect:?}");
    assert_eq!(values.get_ref().get_ref().asked(), asked, "over Events: polls of the source");
    assert!(values.next().is_none() && values.next().is_none(), "over Events: fused");
    assert_eq!(values.into_inner().into_inner().asked(), asked, "polled after the end");

    let hesitant: Vec<_> = answers.iter().flat_map(|answer| [Pending, *answer]).chain([Pending]).collect();
    for answers in [answers, &hesitant] {
        let events = Events::new(Script::new(answers)).with_decoder(decoder.clone());
        let mut values = events.json_with::<T>(dialect.clone());
        let mut items = Vec::new();
        while !values.is_terminated() {
            if let Some(item) = values.next().now_or_never().flatten() {
                items.push(word(item));
            }
        }
        assert_eq!(items, expected, "over Events, {dialect:?}");
        assert_eq!(values.get_ref().get_ref().asked(), asked, "over Events: polls of the source");
        assert!(matches!(values.next().now_or_never(), Some(None)), "over Events: fused");
        assert_eq!(values.into_inner().into_inner().asked(), asked, "polled after the end");
    }
}

/// Like `check`, for numbers in a single chunk.
#[track_caller]
fn numbers(stream: &'static str, dialect: &Dialect, expected: &[&str]) {
    let ends_by_marker = !expected.contains(&"truncated") && stream.contains("END");
    check::<i64>(&[Chunk(stream)], &Decoder::new(), dialect, expected, if ends_by_marker { 1 } else { 2 });
}
