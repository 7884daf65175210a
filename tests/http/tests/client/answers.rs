//! Answers of models, as services and gateways send them, over the client. `tests/it/json/answers` has them.

use bytes::Bytes;
use eventwire_client::{Dialect, EventSource, Item, ReconnectPolicy, Resend, connector_fn, open_chunks};
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
        "MISTRAL" => Dialect::MISTRAL,
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

/// The values and errors among the items of a source that sends its request once.
fn by_source(stream: &[u8], at: usize, dialect: Dialect) -> Vec<Value> {
    let connector = connector_fn(|_| future::ready(Ok::<_, Infallible>(response(stream, at))));
    let source = EventSource::with_connector(connector, |_| future::ready(()));
    let items = source.with_policy(ReconnectPolicy::new().with_resend(Resend::UnlessSent)).json_with::<Value>(dialect);
    let events = items.filter_map(|found| {
        future::ready(match found {
            Item::Event(value) => Some(item(value)),
            _ => None,
        })
    });
    events.collect::<Vec<_>>().now_or_never().expect("nothing is waited for")
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
        let expected: Value = serde_json::from_slice(&fs::read(path.with_extension("json")).unwrap()).unwrap();
        let dialect = dialect(expected["dialect"].as_str().unwrap());
        for at in 0..=bytes.len() {
            for seen in [by_source(&bytes, at, dialect.clone()), by_open(&bytes, at, dialect.clone())] {
                assert_eq!(Value::Array(seen), expected["items"], "{}, cut at {at}", path.display());
            }
        }
    }
    assert!(count >= 28, "{count}");
}
