//! Answers of models, as services and gateways send them: by every route, and in every cut.

use crate::{always_ready, fixture_folder};
use bytes::Bytes;
use eventwire::{Decoder, Dialect, Error, Event, Events, JsonError, JsonStream};
use futures_util::{StreamExt, stream};
use serde::Deserialize;
use serde_json::Value;
use std::{convert::Infallible, fs};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/json/answers");

#[derive(Deserialize)]
struct Expected {
    dialect: String,
    items: Vec<Item>,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Item {
    Value(Value),
    Error(String),
    /// An error that comes from text that is no field.
    Ignored(String),
}

impl From<Result<Value, JsonError<Infallible>>> for Item {
    fn from(item: Result<Value, JsonError<Infallible>>) -> Item {
        item.map_or_else(|error| Item::Error(error.to_string()), Item::Value)
    }
}

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

fn by_iterator(chunks: &[&[u8]], dialect: &Dialect) -> Vec<Item> {
    let chunks = chunks.iter().map(|chunk| Ok(Bytes::copy_from_slice(chunk)));
    Events::new(chunks).json_with(dialect.clone()).map(Item::from).collect()
}

fn by_stream(chunks: &[&[u8]], dialect: &Dialect) -> Vec<Item> {
    let chunks = stream::iter(chunks.iter().map(|chunk| Ok(Bytes::copy_from_slice(chunk))));
    always_ready::run(Events::new(chunks).json_with(dialect.clone()).map(Item::from).collect())
}

/// Over events that were decoded by hand. What is unfinished at the end, or ignored, is then not known.
fn by_decoder(chunks: &[&[u8]], dialect: &Dialect) -> Vec<Item> {
    let mut decoder = Decoder::new();
    let mut events: Vec<Result<Event, Error<Infallible>>> = Vec::new();
    for chunk in chunks {
        let mut chunk = &**chunk;
        while let Some(event) = decoder.decode(&mut chunk).unwrap() {
            events.push(Ok(event.to_event()));
        }
    }
    events.extend(decoder.finish().unwrap().map(Ok));
    JsonStream::new(events.into_iter(), dialect.clone()).map(Item::from).collect()
}

#[test]
fn each_answer_in_any_cut() {
    let names = fixture_folder::names(FOLDER, ".sse");
    assert!(names.len() >= 39, "{names:?}");
    let mut failures = String::new();
    for name in names {
        let stream = fs::read(format!("{FOLDER}/{name}.sse")).unwrap();
        let expected = fs::read_to_string(format!("{FOLDER}/{name}.json")).unwrap();
        let Expected { dialect, items } = serde_json::from_str(&expected).expect(&name);
        let dialect = self::dialect(&dialect);
        let before = failures.len();
        let has_ignored = items.iter().any(|item| matches!(item, Item::Ignored(_)));
        let mut without_rest: Vec<Item> =
            items.iter().filter(|item| !matches!(item, Item::Ignored(_))).cloned().collect();
        if let Some(Item::Error(text)) = without_rest.last_mut() {
            let rest = text.find("; the unfinished data").or(text.find("; it contains text"));
            text.truncate(rest.unwrap_or(text.len()));
        }
        let as_error = |item| if let Item::Ignored(text) = item { Item::Error(text) } else { item };
        let items: Vec<Item> = items.into_iter().map(as_error).collect();
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        let cuts = (0..=stream.len()).step_by(if cfg!(miri) { 50 } else { 1 }).flat_map(|at| {
            let (head, tail) = stream.split_at(at);
            // The text that is ignored may be cut twice.
            let twice = if has_ignored && !cfg!(miri) { tail.len() } else { 0 };
            (0..=twice).map(move |at| {
                let (middle, tail) = tail.split_at(at);
                vec![head, middle, tail]
            })
        });
        for chunks in cuts.chain([bytes]) {
            for (route, seen, expected) in [
                ("iterator", by_iterator(&chunks, &dialect), &items),
                ("stream", by_stream(&chunks, &dialect), &items),
                ("decoder", by_decoder(&chunks, &dialect), &without_rest),
            ] {
                if &seen != expected {
                    failures += &format!("{name}, {route}, {} chunks: {seen:#?}\n", chunks.len());
                }
            }
            if failures.len() > before {
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
