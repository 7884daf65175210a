//! Answers of models, as services and gateways send them, over the client. `tests/it/json/answers` has them.

use crate::fake::{
    Answer::{self, Stream},
    Fake,
    Step::{Chunk, Failure},
};
use bytes::Bytes;
use eventwire_client::{
    Connector, Dialect, Error, EventSource, Item, JsonError, ReconnectPolicy, Resend, Timer, connector_fn, open_chunks,
};
use futures_util::{FutureExt, StreamExt, stream};
use serde_json::{Value, json};
use std::{convert::Infallible, fs, future};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../it/json/answers");

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
fn source(stream: &[u8], at: usize) -> EventSource<impl Connector<Error = Infallible>, impl Timer> {
    let connector = connector_fn(move |_| future::ready(Ok::<_, Infallible>(response(stream, at))));
    let source = EventSource::with_connector(connector, |_| future::ready(()));
    source.with_policy(ReconnectPolicy::new().with_resend(Resend::UnlessSent))
}

/// The values and errors among the items of a source.
fn by_source(stream: &[u8], at: usize, dialect: Dialect) -> Vec<Value> {
    let events = source(stream, at).json_with::<Value>(dialect).filter_map(|found| {
        future::ready(match found {
            Item::Event(value) => Some(item(value)),
            _ => None,
        })
    });
    events.collect::<Vec<_>>().now_or_never().expect("nothing is waited for")
}

fn by_events(stream: &[u8], at: usize, dialect: Dialect) -> Vec<Value> {
    let values = source(stream, at).events().json_with::<Value>(dialect);
    // The policy that sends the request once is an error at the end.
    let values = values.filter(|value| future::ready(!matches!(value, Err(JsonError::Stream(Error::Transport(_))))));
    values.map(item).collect::<Vec<_>>().now_or_never().expect("nothing is waited for")
}

fn by_open(stream: &[u8], at: usize, dialect: Dialect) -> Vec<Value> {
    let (head, chunks) = response(stream, at).into_parts();
    let opened = open_chunks(head, chunks, |_| future::pending::<()>()).now_or_never().unwrap().unwrap();
    opened.json_with::<Value>(dialect).map(item).collect::<Vec<_>>().now_or_never().expect("nothing is waited for")
}

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
            for by_route in [by_source, by_events, by_open] {
                let seen = by_route(&bytes, at, dialect.clone());
                assert_eq!(Value::Array(seen), expected["items"], "{}, cut at {at}", path.display());
            }
        }
    }
    assert!(count >= 39, "{count}");
}

/// What is unfinished at the end of one response is no part of the next one.
#[tokio::test(start_paused = true)]
async fn the_unfinished_data_is_that_of_the_last_response() {
    const CUT: Answer = Stream(&[Chunk("data: 1\n\ndata: {\"cut")]);
    const DONE: Answer = Stream(&[Chunk("data: [DONE]\n\n")]);
    const WHOLE: Answer = Stream(&[Chunk("data: 2\n\n")]);
    const RESET: Answer = Stream(&[Chunk("data: 2\n\nda"), Failure("reset")]);
    const GONE: Answer = Answer::Refusal(204, &[], &[]);
    let without = "the stream is truncated: it ended without `message_stop`";
    let with = format!("{without}; the unfinished data at its end is `{{\"cut`");
    for (answers, expected) in [
        (&[CUT, DONE][..], without),
        (&[CUT, WHOLE, GONE], without),
        (&[CUT, RESET, GONE], without),
        (&[WHOLE, CUT, GONE], &with),
        (&[CUT, GONE], &with),
    ] {
        let source = Fake::new(answers).source();
        let items = source.json_with::<Value>(Dialect::ANTHROPIC).filter_map(|item| {
            future::ready(match item {
                Item::Event(Err(error)) => Some(error.to_string()),
                _ => None,
            })
        });
        assert_eq!(items.collect::<Vec<_>>().await, [expected], "{answers:?}");
        let values = Fake::new(answers).source().events().json_with::<Value>(Dialect::ANTHROPIC);
        let errors = values.filter_map(|value| future::ready(value.err().map(|error| error.to_string())));
        assert_eq!(errors.collect::<Vec<_>>().await.last().unwrap(), expected, "{answers:?}");
    }
}

/// What one response has besides its events is no part of the next one.
#[tokio::test(start_paused = true)]
async fn the_ignored_text_is_that_of_the_last_response() {
    const TEXT: Answer = Stream(&[Chunk("data: 1\n\nerror: overloaded\n\n")]);
    const DONE: Answer = Stream(&[Chunk(""), Chunk("data: [DONE]\n\n")]);
    const EMPTY: Answer = Stream(&[]);
    const RESET: Answer = Stream(&[Chunk(""), Failure("reset")]);
    const GONE: Answer = Answer::Refusal(204, &[], &[]);
    const ERROR: &[&str] = &["the server reported an error: overloaded"];
    for (answers, expected) in [
        (&[TEXT, GONE][..], ERROR),
        (&[DONE, TEXT, GONE], &[]),
        (&[TEXT, DONE], &[]),
        (&[TEXT, EMPTY, GONE], &[]),
        (&[TEXT, RESET, GONE], &[]),
        (&[TEXT, RESET, TEXT, GONE], ERROR),
    ] {
        let source = Fake::new(answers).source();
        let items = source.json_with::<Value>(Dialect::GEMINI).filter_map(|item| {
            future::ready(match item {
                Item::Event(Err(error)) => Some(error.to_string()),
                _ => None,
            })
        });
        assert_eq!(items.collect::<Vec<_>>().await, expected, "{answers:?}");
        let values = Fake::new(answers).source().events().json_with::<Value>(Dialect::GEMINI);
        let errors = values.filter_map(|value| future::ready(value.err().map(|error| error.to_string())));
        assert_eq!(errors.collect::<Vec<_>>().await, expected, "{answers:?}");
    }
}
