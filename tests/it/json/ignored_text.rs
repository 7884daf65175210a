//! Errors that the end shows in text that is no field, and a stream whose values panic. `answers` has the texts.

use crate::{
    always_ready,
    scripted_source::{
        Answer::{Chunk, Failure},
        Script,
    },
};
use eventwire::{Dialect, Error, Events, EventsExt, JsonError, JsonStream};
use futures_util::{FutureExt, StreamExt, future, stream::FusedStream};
use serde::{Deserialize, Deserializer};
use std::{
    convert::Infallible,
    panic::{self, AssertUnwindSafe},
    time::Duration,
};

const STREAM: &str = "data: 1\n\nerror: overloaded\n\n";

/// The event of a report is what the server should have sent.
#[test]
fn the_event_of_a_report() {
    let body = "error: {\"code\":400,\"message\":\"m\"}\n\ndata: [DONE]\n\n";
    let mut values = super::events(body).json_with::<i64>(Dialect::OPENAI);
    let Some(Err(JsonError::Reported { message, event, .. })) = values.next() else { panic!() };
    assert_eq!((&*message, event.event_type(), event.data()), ("m", "error", "{\"code\":400,\"message\":\"m\"}"));
    assert!(values.next().is_none());
}

/// The stream has not terminated before its last error is returned.
#[test]
fn a_late_error_is_an_item() {
    let dialect = Dialect::new().with_error_reports().with_end_data("END").with_last_type("last");
    for (end, later) in [
        ("data: END\n\n", &["the server reported an error: overloaded"][..]),
        ("event: last\ndata: 2\n\n", &["the server reported an error: overloaded"]),
        ("data: {\"type\":\"last\"}\n\n", &["the server reported an error: overloaded"]),
        (
            "",
            &["the server reported an error: overloaded", "the stream is truncated: it ended without `END` or `last`"],
        ),
    ] {
        let chunk = format!("{STREAM}{end}").leak();
        let mut values = Events::new(Script::new(&[Chunk(chunk)])).json_with::<serde_json::Value>(dialect.clone());
        let mut count = 1 + usize::from(end.contains("last"));
        let mut found = Vec::new();
        while !values.is_terminated() {
            match values.next().now_or_never().unwrap() {
                Some(Ok(_)) => count -= 1,
                Some(Err(error)) => found.push(error.to_string()),
                None => break,
            }
        }
        assert_eq!(count, 0, "{end:?}");
        assert_eq!(found, later, "{end:?}");
        assert!(values.is_terminated() && always_ready::run(values.next()).is_none());
    }
    // An event may be the last one twice: by its own type, and by that of its JSON. The error is one.
    let body = "error: overloaded\n\ndata: {\"type\":\"last\"}\n\n";
    let twice =
        Events::new(Script::new(&[Chunk(body)])).json_with::<serde_json::Value>(dialect.clone().with_last_type(""));
    assert_eq!(always_ready::run(twice.map(|value| value.is_ok()).collect::<Vec<_>>()), [true, false]);
    // Without such text, the last item ends it.
    let body = "event: last\ndata: 2\n\ntimestamp: 1\n\n";
    let mut values = Events::new(Script::new(&[Chunk(body)])).json_with::<i64>(dialect);
    assert!(matches!(always_ready::run(values.next()), Some(Ok(2))));
    assert!(values.is_terminated());
}

/// After a failure of the source, the server's words come second.
#[test]
fn after_a_failure() {
    let values =
        Events::new(Script::new(&[Chunk(STREAM), Failure("reset")]).blocking()).json_with::<i64>(Dialect::OPENAI);
    let found: Vec<_> = values.filter_map(|value| value.err().map(|error| error.to_string())).collect();
    assert_eq!(
        found,
        ["reset", "the server reported an error: overloaded", "the stream is truncated: it ended without `[DONE]`"]
    );
}

/// With a progress timeout too, but a stream of another type has no decoder.
#[test]
fn which_sources_know_it() {
    let events = || Events::new(Script::new(&[Chunk(STREAM)]));
    let timer = |_: Duration| future::pending();
    let day = Duration::from_secs(86_400);
    let timed = || events().with_progress_timeout(day, day, timer, |_| true);
    let text = "received text that is not an event stream: `error: overloaded`";
    let collect = |values: Vec<Result<i64, JsonError<_>>>| {
        let errors = values.into_iter().filter_map(Result::err).map(|error| error.to_string());
        errors.collect::<Vec<_>>()
    };
    assert_eq!(collect(always_ready::run(events().json().collect())), [text]);
    assert_eq!(collect(always_ready::run(events().with_idle_timeout(day, timer).json().collect())), [text]);
    assert_eq!(collect(always_ready::run(timed().json().collect())), [text]);
    let reported = "the server reported an error: overloaded";
    assert_eq!(collect(always_ready::run(timed().json_with(Dialect::GEMINI).collect())), [reported]);
    assert_eq!(
        collect(always_ready::run(Script::new(&[Chunk(STREAM)]).events().json_with(Dialect::GEMINI).collect())),
        [reported]
    );
    assert_eq!(collect(always_ready::run(JsonStream::new(events(), Dialect::new()).collect())), [""; 0]);
}

/// An error of the source that the body is something else is replaced by the server's message.
#[test]
fn a_source_that_is_something_else() {
    let source = |text: &str| {
        let errors: [Result<eventwire::Event, Error<Infallible>>; 1] =
            [Err(Error::NotEventStream(text.as_bytes().into()))];
        errors.into_iter().chain(std::iter::from_fn(|| panic!("it is read after its end")))
    };
    let found = |text: &str, dialect| -> Vec<String> {
        let values = JsonStream::<_, i64>::new(source(text), dialect);
        values.map(|value| value.unwrap_err().to_string()).collect()
    };
    let truncated = "the stream is truncated: it ended without `[DONE]`";
    assert_eq!(found("error: m", Dialect::OPENAI), ["the server reported an error: m", truncated]);
    assert_eq!(found("{}", Dialect::GEMINI), ["received text that is not an event stream: `{}`"]);
    assert_eq!(found("\u{1f}", Dialect::OPENAI), ["received text that is not an event stream: `\\u{1f}`", truncated]);
}

#[derive(Debug)]
struct Fuse;

impl<'de> Deserialize<'de> for Fuse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fuse, D::Error> {
        let number = u32::deserialize(deserializer)?;
        if number == 2 { panic!("a value that panics") } else { Ok(Fuse) }
    }
}

/// A lost value is not a hole between two others.
#[test]
fn a_panic_of_a_value_ends_the_stream() {
    let body = [Chunk("data: 1\n\ndata: 2\n\ndata: 3\n\n"), Chunk("data: 4\n\n")];
    let mut values = Events::new(Script::new(&body).blocking()).json::<Fuse>();
    assert!(matches!(values.next(), Some(Ok(Fuse))));
    panic::catch_unwind(AssertUnwindSafe(|| values.next())).unwrap_err();
    assert!(values.next().is_none() && values.next().is_none());
    assert_eq!(values.get_ref().get_ref().asked(), 1);

    let mut values = Events::new(Script::new(&body)).json_with::<eventwire::WithEvent<Fuse>>(Dialect::OPENAI);
    assert!(matches!(always_ready::run(values.next()), Some(Ok(_))));
    panic::catch_unwind(AssertUnwindSafe(|| always_ready::run(values.next()))).unwrap_err();
    assert!(values.is_terminated() && always_ready::run(values.next()).is_none());
}
