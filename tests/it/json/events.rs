//! A dialect over plain events: its end, its keep-alives and its error reports, but the items are the events.

use super::{events, strict, word};
use crate::{always_ready, law, stream_generator::cut};
use bytes::Bytes;
use eventwire::{Decoder, Dialect, Eof, Event, Events, EventsExt, JsonError};
use futures_util::{StreamExt, stream};
use std::{convert::Infallible, future, time::Duration};

/// The items as `type: data`, or as the error.
fn words(items: impl IntoIterator<Item = Result<Event, JsonError<Infallible>>>) -> Vec<String> {
    let text = |event: Event| format!("{}: {}", event.event_type(), event.data());
    items.into_iter().map(|item| item.map(text).unwrap_or_else(|error| word::<(), _>(Err(error)))).collect()
}

#[track_caller]
fn check(body: &'static str, dialect: &Dialect, expected: &[&str]) {
    assert_eq!(words(events(body).with_dialect(dialect.clone())), expected, "{body}");
}

#[test]
fn the_data_is_not_parsed() {
    check(
        "data: Hi\n\ndata: {\n\ndata:  \n\ndata\n\nevent: x\nid: 7\ndata: 1\ndata: 2\n\n",
        &Dialect::new(),
        &["message: Hi", "message: {", "message:  ", "message: ", "x: 1\n2"],
    );
    let mut events = events("event: x\nid: 7\nretry: 1\ndata: a\n\n").with_dialect(Dialect::ANY_MODEL);
    let expected = Event::new("a").with_event_type("x").unwrap().with_id("7").unwrap();
    assert_eq!(events.next().unwrap().unwrap(), expected.with_retry(Duration::from_millis(1)));
}

#[test]
fn a_dialect_ends_skips_and_reports_as_with_values() {
    let replicate = Dialect::new().with_end_type("done").with_error_reports();
    check("data: Hi\n\nevent: done\ndata: {}\n\ndata: late\n\n", &replicate, &["message: Hi"]);
    check(
        "data: Hi\n\nevent: error\ndata: no memory\n\n",
        &replicate,
        &["message: Hi", "reported: no memory", "truncated"],
    );
    check("data: Hi\n\n", &replicate, &["message: Hi", "truncated"]);
    check(
        "event: ping\ndata\n\n: comment\n\ndata: a\n\ndata: {\"error\":1}\n\ndata: [DONE]\n\n",
        &strict(),
        &["message: a", "reported: {\"error\":1}"],
    );
    // A last item may be an event without data.
    let last = Dialect::new().with_last_type("total");
    check("event: total\ndata\n\ndata: late\n\n", &last, &["total: "]);
    check("data: {\"type\":\"total\",\"n\":1}\n\ndata: late\n\n", &last, &["message: {\"type\":\"total\",\"n\":1}"]);
}

#[test]
fn text_that_is_no_field_is_an_error_at_the_end() {
    check(
        "data: a\n\nerror: overloaded\n\ndata: [DONE]\n\n",
        &Dialect::OPENAI,
        &["message: a", "reported: overloaded"],
    );
    let decoder = Decoder::new().with_eof(Eof::Error);
    let mut cut = events("data: a\n\ndata: b").with_decoder(decoder).with_dialect(strict());
    assert!(cut.next().unwrap().is_ok() && matches!(cut.next(), Some(Err(JsonError::Stream(_)))));
    let Some(Err(JsonError::Truncated { unfinished, .. })) = cut.next() else { panic!("not truncated") };
    assert_eq!(&*unfinished, "b");
}

#[test]
fn a_stream_with_timeouts() {
    let body = || stream::iter([Ok::<_, Infallible>("data: a\n\n")]).chain(stream::pending()).events();
    let timer = |_: Duration| future::ready(());
    let second = Duration::from_secs(1);
    let mut idle = body().with_idle_timeout(second, timer).with_dialect(Dialect::OPENAI);
    let mut progress = body().with_progress_timeout(second, second, timer, |_| true).with_dialect(Dialect::OPENAI);
    for message in ["", "no data received for 1s", "the stream is truncated: it ended without `[DONE]`"] {
        let item = always_ready::run(idle.next()).unwrap();
        assert_eq!(item.err().map(|error| error.to_string()).unwrap_or_default(), message);
    }
    for message in ["", "no progress for 1s", "the stream is truncated: it ended without `[DONE]`"] {
        let item = always_ready::run(progress.next()).unwrap();
        assert_eq!(item.err().map(|error| error.to_string()).unwrap_or_default(), message);
    }
}

/// In the neutral dialect, these are the events of the stream.
#[test]
fn any_split_yields_the_same_events() {
    law::check(256, |random| {
        let script = random
            .list(12, |random| random.one_of(&["data: a\n\n", "event: x\ndata\n\n", ": c\n\n", "id: 1\ndata: \n\n"]));
        let stream = script.concat().into_bytes();
        let chunks: Vec<_> = cut(&stream, &random.cut()).into_iter().map(Bytes::copy_from_slice).collect();
        let chunks = || chunks.clone().into_iter().map(Ok::<_, Infallible>);
        let expected: Vec<_> = events(stream.clone()).map(|event| event.unwrap()).collect();
        let found = Events::new(chunks()).with_dialect(Dialect::new());
        assert_eq!(found.map(|event| event.unwrap()).collect::<Vec<_>>(), expected);
        let found = Events::new(stream::iter(chunks())).with_dialect(Dialect::new());
        assert_eq!(always_ready::run(found.map(|event| event.unwrap()).collect::<Vec<_>>()), expected);
    });
}
