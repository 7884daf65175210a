//! Answers of models, and other typed streams, over the client. `tests/it/json` has what is the same over any stream of
//! events.

use crate::fake::{
    Answer::{self, Stream},
    Fake,
    Step::{Chunk, Failure, Hang},
    source,
};
use bytes::Bytes;
use eventwire::{Dialect, Error, JsonError, WithEvent};
use eventwire_client::{Connector, EventSource, ReconnectPolicy, Resend, Timer, connector_fn, open_chunks};
use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use serde_json::{Value, json};
use std::{cell::Cell, convert::Infallible, fs, future};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../it/json/answers");
const GONE: Answer = Answer::Refusal(204, &[], &[]);

fn dialect(name: &str) -> Dialect {
    match name {
        "ANTHROPIC" => Dialect::ANTHROPIC,
        "ANY_MODEL" => Dialect::ANY_MODEL,
        "COHERE" => Dialect::COHERE,
        "GEMINI" => Dialect::GEMINI,
        "OPENAI" => Dialect::OPENAI,
        "OPENAI_RESPONSES" => Dialect::OPENAI_RESPONSES,
        "new" => Dialect::new(),
        other => panic!("no dialect {other}"),
    }
}

fn item<E: std::error::Error>(value: Result<Value, E>) -> Value {
    value.map_or_else(|error| json!({ "error": error.to_string() }), |value| json!({ "value": value }))
}

type Chunks = stream::Iter<std::vec::IntoIter<Result<Bytes, Infallible>>>;

fn response(stream: &[u8], at: usize) -> http::Response<Chunks> {
    let (head, tail) = stream.split_at(at);
    let chunks = vec![Ok(Bytes::copy_from_slice(head)), Ok(Bytes::copy_from_slice(tail))];
    http::Response::builder().header("content-type", "text/event-stream").body(stream::iter(chunks)).unwrap()
}

/// A source that sends its request once.
fn once(stream: &[u8], at: usize) -> EventSource<impl Connector<Error = Infallible>, impl Timer> {
    let connector = connector_fn(move |_| future::ready(Ok::<_, Infallible>(response(stream, at))));
    let source = EventSource::with_connector(connector, |_| future::ready(()));
    source.with_policy(ReconnectPolicy::new().with_resend(Resend::UnlessSent))
}

fn by_events(stream: &[u8], at: usize, dialect: Dialect) -> Vec<Value> {
    let values = once(stream, at).events().json_with::<Value>(dialect);
    // The policy that sends the request once is an error at the end.
    let values = values.filter(|value| future::ready(!matches!(value, Err(JsonError::Stream(Error::Transport(_))))));
    values.map(item).collect::<Vec<_>>().now_or_never().expect("nothing is waited for")
}

fn by_open(stream: &[u8], at: usize, dialect: Dialect) -> Vec<Value> {
    let (head, chunks) = response(stream, at).into_parts();
    let opened = open_chunks(head, chunks, |_| future::pending::<()>()).now_or_never().unwrap().unwrap();
    opened.json_with::<Value>(dialect).map(item).collect::<Vec<_>>().now_or_never().expect("nothing is waited for")
}

/// What is unfinished or ignored at the end is known by both routes.
#[test]
fn each_answer_in_any_cut() {
    let mut count = 0;
    for file in fs::read_dir(FOLDER).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "sse") {
            continue;
        }
        count += 1;
        let bytes = fs::read(&path).unwrap();
        let expected = fs::read_to_string(path.with_extension("json")).unwrap().replace("{\"ignored\":", "{\"error\":");
        let expected: Value = serde_json::from_str(&expected).unwrap();
        let dialect = dialect(expected["dialect"].as_str().unwrap());
        for at in 0..=bytes.len() {
            for by_route in [by_events, by_open] {
                let seen = by_route(&bytes, at, dialect.clone());
                assert_eq!(Value::Array(seen), expected["items"], "{}, cut at {at}", path.display());
            }
        }
    }
    assert!(count >= 39, "{count}");
}

/// What is unfinished at the end of one response, and what it has besides its events, is no part of the next one.
#[tokio::test(start_paused = true)]
async fn an_error_at_the_end_is_that_of_the_last_response() {
    const WHOLE: Answer = Stream(&[Chunk("data: 2\n\n")]);
    const DONE: Answer = Stream(&[Chunk(""), Chunk("data: [DONE]\n\n")]);
    const RESET: Answer = Stream(&[Chunk(""), Failure("reset")]);
    const CUT: Answer = Stream(&[Chunk("data: 1\n\ndata: {\"cut")]);
    const RESET_IN_A_FIELD: Answer = Stream(&[Chunk("data: 2\n\nda"), Failure("reset")]);
    const TEXT: Answer = Stream(&[Chunk("data: 1\n\nerror: overloaded\n\n")]);
    const EMPTY: Answer = Stream(&[]);
    const WITHOUT: &str = "the stream is truncated: it ended without `message_stop`";
    let with = format!("{WITHOUT}; the unfinished data at its end is `{{\"cut`");
    let overloaded = "the server reported an error: overloaded";
    for (dialect, answers, expected) in [
        (Dialect::ANTHROPIC, &[CUT, DONE][..], Some(WITHOUT)),
        (Dialect::ANTHROPIC, &[CUT, WHOLE, GONE], Some(WITHOUT)),
        (Dialect::ANTHROPIC, &[CUT, RESET_IN_A_FIELD, GONE], Some(WITHOUT)),
        (Dialect::ANTHROPIC, &[WHOLE, CUT, GONE], Some(&with)),
        (Dialect::ANTHROPIC, &[CUT, GONE], Some(&with)),
        (Dialect::GEMINI, &[TEXT, GONE], Some(overloaded)),
        (Dialect::GEMINI, &[DONE, TEXT, GONE], None),
        (Dialect::GEMINI, &[TEXT, DONE], None),
        (Dialect::GEMINI, &[TEXT, EMPTY, GONE], None),
        (Dialect::GEMINI, &[TEXT, RESET, GONE], None),
        (Dialect::GEMINI, &[TEXT, RESET, TEXT, GONE], Some(overloaded)),
    ] {
        let values = Fake::new(answers).source().events().json_with::<Value>(dialect);
        let errors = values.filter_map(|value| future::ready(value.err().map(|error| error.to_string())));
        assert_eq!(errors.collect::<Vec<_>>().await.last().map(String::as_str), expected, "{answers:?}");
    }
}

#[test]
fn the_client_reconnects_within_a_typed_stream_and_not_after_it() {
    let attempts = Cell::new(0);
    let connector = connector_fn(|attempt| {
        attempts.set(attempts.get() + 1);
        let stream = match attempt.last_event_id().map(|id| id.to_str().unwrap()) {
            None => "id: a\ndata: 1\n\ndata: [1]\n\ndata: cut off",
            Some("a") => "id: b\ndata: 2\n\ndata: [DONE]\n\ndata: 3\n\n",
            other => panic!("{other:?}"),
        };
        async { Ok::<_, Infallible>(response(stream.as_bytes(), 0)) }
    });
    let source = EventSource::with_connector(connector, |_| future::ready(()));
    let mut values = source.events().json_with::<WithEvent<i64>>(Dialect::OPENAI);
    let mut next = || values.next().now_or_never().expect("nothing is waited for");
    assert!(matches!(next(), Some(Ok(WithEvent { value: 1, event })) if event.last_event_id() == "a"));
    assert!(matches!(next(), Some(Err(JsonError::Payload { event, .. })) if event.data() == "[1]"));
    assert!(matches!(next(), Some(Ok(WithEvent { value: 2, event })) if event.last_event_id() == "b"));
    assert!(next().is_none() && next().is_none());
    assert_eq!(attempts.get(), 2);
}

/// There is no new connection, nor the delay before one, whether the body ends, fails or hangs.
#[test]
fn a_complete_answer_is_not_requested_again() {
    const DONE: &str = "data: 1\n\ndata: [DONE]\n\n";
    for answers in
        [&[Stream(&[Chunk(DONE)])], &[Stream(&[Chunk(DONE), Failure("reset")])], &[Stream(&[Chunk(DONE), Hang])]]
    {
        let mut numbers = source(answers).events().json_with::<u32>(Dialect::OPENAI);
        assert_eq!(numbers.by_ref().try_collect::<Vec<_>>().now_or_never().unwrap().unwrap(), [1]);
        assert_eq!(numbers.get_ref().get_ref().connector().attempts().len(), 1);
    }
}

/// A dialect over the events themselves also ends the source.
#[test]
fn events_in_a_dialect() {
    let fake = Fake::new(&[Stream(&[Chunk("data: Hi\n\nevent: ping\ndata\n\nevent: done\ndata\n\ndata: late\n\n")])]);
    let dialect = Dialect::new().with_end_type("done").with_keep_alive_type("ping");
    let mut events = fake.source().events().with_dialect(dialect);
    assert_eq!(events.next().now_or_never().unwrap().unwrap().unwrap().data(), "Hi");
    assert!(events.next().now_or_never().unwrap().is_none());
    assert_eq!(events.get_ref().get_ref().connector().attempts().len(), 1);
}

#[test]
fn a_refusal_comes_with_its_body() {
    let fake = Fake::new(&[Answer::Refusal(404, &[], &[Chunk("no such model")])]);
    let mut values = fake.source().events().json_with::<i64>(Dialect::OPENAI);
    let mut next = || values.next().now_or_never().expect("nothing is waited for");
    let Some(Err(JsonError::Stream(Error::Transport(stopped)))) = next() else { panic!("not a refusal") };
    let refusal = stopped.response().unwrap();
    assert_eq!((refusal.status().as_u16(), refusal.body()), (404, &b"no such model"[..]));
    assert!(matches!(next(), Some(Err(JsonError::Truncated { .. }))));
    assert!(next().is_none());
}
