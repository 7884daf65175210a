//! Streams of JSON. Every case runs over an iterator and over a stream of events.

mod answers;
mod any_cut;
mod async_openai;
mod end_marker;
mod errors;
mod frames;
mod hostile;
mod ignored_text;
mod payload_type;
mod serialized_events;
mod sources;
mod value_memory;
mod values;

use crate::scripted_source::{
    Answer::{self, Chunk, Pending},
    Script,
};
use eventwire::{DecodeError, Decoder, Dialect, Error, Events, JsonError};
use futures_util::{FutureExt, StreamExt, stream::FusedStream};
use serde::de::DeserializeOwned;
use std::fmt;

/// A setting.
#[derive(Clone, Copy, Debug)]
enum Setting {
    EndMarker(&'static str),
    EndEventType(&'static str),
    LastEventTypes(&'static [&'static str]),
    WithoutEndMarker,
    RequireEndMarker,
    KeepAlives(&'static [&'static str]),
    WithoutKeepAlives,
    WithoutErrorReports,
}

/// Returns OpenAI's dialect with these settings, which apply in order. Its end is optional.
fn dialect(settings: &[Setting]) -> Dialect {
    let position = |wanted: fn(&Setting) -> bool| settings.iter().rposition(wanted);
    let without_ends = position(|setting| matches!(setting, Setting::WithoutEndMarker));
    let without_keep_alives = position(|setting| matches!(setting, Setting::WithoutKeepAlives));
    let mut dialect = Dialect::new();
    if without_ends.is_none() {
        dialect = dialect.with_end_data("[DONE]");
    }
    if without_keep_alives.is_none() {
        dialect = dialect.with_keep_alive_type("ping").with_keep_alive_type("keepalive");
    }
    if !settings.iter().any(|setting| matches!(setting, Setting::WithoutErrorReports)) {
        dialect = dialect.with_error_reports();
    }
    if !settings.iter().any(|setting| matches!(setting, Setting::RequireEndMarker)) {
        dialect = dialect.with_optional_end();
    }
    for (at, setting) in settings.iter().enumerate() {
        let (is_end, is_keep_alive) = (Some(at) > without_ends, Some(at) > without_keep_alives);
        dialect = match *setting {
            Setting::EndMarker(data) if is_end => dialect.with_end_data(data),
            Setting::EndEventType(event_type) if is_end => dialect.with_end_type(event_type),
            Setting::LastEventTypes(types) if is_end => types.iter().fold(dialect, |it, name| it.with_last_type(name)),
            Setting::KeepAlives(types) if is_keep_alive => {
                types.iter().fold(dialect, |it, name| it.with_keep_alive_type(name))
            }
            _ => dialect,
        };
    }
    dialect
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
fn check<T>(answers: &[Answer], decoder: &Decoder, settings: &[Setting], expected: &[&str], asked: usize)
where
    T: DeserializeOwned + fmt::Debug,
{
    let events = Events::new(Script::new(answers).blocking()).with_decoder(decoder.clone());
    let mut values = events.json_with::<T>(dialect(settings));
    let items: Vec<_> = values.by_ref().map(word).collect();
    assert_eq!(items, expected, "over Events, {settings:?}");
    assert_eq!(values.get_ref().get_ref().asked(), asked, "over Events: polls of the source");
    assert!(values.next().is_none() && values.next().is_none(), "over Events: fused");
    assert_eq!(values.into_inner().into_inner().asked(), asked, "polled after the end");

    let hesitant: Vec<_> = answers.iter().flat_map(|answer| [Pending, *answer]).chain([Pending]).collect();
    for answers in [answers, &hesitant] {
        let events = Events::new(Script::new(answers)).with_decoder(decoder.clone());
        let mut values = events.json_with::<T>(dialect(settings));
        let mut items = Vec::new();
        while !values.is_terminated() {
            if let Some(item) = values.next().now_or_never().flatten() {
                items.push(word(item));
            }
        }
        assert_eq!(items, expected, "over Events, {settings:?}");
        assert_eq!(values.get_ref().get_ref().asked(), asked, "over Events: polls of the source");
        assert!(matches!(values.next().now_or_never(), Some(None)), "over Events: fused");
        assert_eq!(values.into_inner().into_inner().asked(), asked, "polled after the end");
    }
}

/// Like `check`, for numbers in a single chunk.
#[track_caller]
fn numbers(stream: &'static str, settings: &[Setting], expected: &[&str]) {
    let ends_by_marker = !expected.contains(&"truncated") && stream.contains("END");
    check::<i64>(&[Chunk(stream)], &Decoder::new(), settings, expected, if ends_by_marker { 1 } else { 2 });
}
