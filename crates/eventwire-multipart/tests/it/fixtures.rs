//! Every stream in `tests/fixtures` yields the parts in the file next to it, which are written by hand.

use super::{
    naive::{self, Ending, Item, Kind, Options},
    received, routes,
};
use crate::fixture_folder;
use eventwire_multipart::{Boundary, PartDecoder};
use serde_json::Value;
use std::fs;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
/// The minimum number of pairs. A folder with fewer is an error.
const LEAST_PAIRS: usize = 200;

struct Fixture {
    name: String,
    stream: Vec<u8>,
    content_type: Option<Vec<u8>>,
    options: Options,
    meaning: Meaning,
}

#[derive(Debug, PartialEq)]
struct Meaning {
    parts: Vec<Part>,
    is_closed: bool,
    errors: Vec<(Kind, u64)>,
}

#[derive(Debug, PartialEq)]
struct Part {
    headers: Vec<(Vec<u8>, Vec<u8>)>,
    body: Vec<u8>,
    end: Option<Ending>,
}

/// How the headers of a part are read: by the twin or by the crate.
type ReadHeaders = fn(&[u8]) -> Vec<(Vec<u8>, Vec<u8>)>;

fn as_the_twin(head: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    naive::header_pairs(head).into_iter().map(|(name, value)| (name.to_vec(), value.to_vec())).collect()
}

fn as_the_crate(head: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let headers = received::headers_of(head);
    headers.as_ref().iter().map(|(name, value)| (name.as_bytes().to_vec(), value.to_vec())).collect()
}

fn meant(items: &[Item], read_headers: ReadHeaders) -> Meaning {
    let mut meaning = Meaning { parts: Vec::new(), is_closed: false, errors: Vec::new() };
    for item in items {
        let part = meaning.parts.last_mut();
        match (item, part) {
            (Item::Begin(head), _) => {
                meaning.parts.push(Part { headers: read_headers(head), body: Vec::new(), end: None });
            }
            (Item::Data(data), Some(part)) => part.body.clone_from(data),
            (Item::End(end), Some(part)) => part.end = Some(*end),
            (Item::Close, _) => meaning.is_closed = true,
            (Item::Error { kind, part }, _) => meaning.errors.push((*kind, *part)),
            (item, None) => panic!("{item:?} of no part"),
        }
    }
    meaning
}

fn fixtures() -> Vec<Fixture> {
    let names = fixture_folder::names(FOLDER, ".multipart");
    assert!(names.len() >= LEAST_PAIRS, "{} pairs only", names.len());
    names.into_iter().map(fixture).collect()
}

fn fixture(name: String) -> Fixture {
    let read = |extension| fs::read(format!("{FOLDER}/{name}.{extension}")).expect("a file of the folder");
    let json: Value = serde_json::from_slice(&read("json")).unwrap_or_else(|error| panic!("{name}: {error}"));
    for key in json.as_object().expect("an object").keys() {
        let keys = ["description", "contentType", "boundary", "options", "parts", "close", "errors"];
        assert!(keys.contains(&&**key), "{name}: {key}");
    }
    assert!(!json["description"].as_str().expect("text").is_empty(), "{name}: the description names the rule");
    let meaning = Meaning {
        parts: list(&json["parts"]).map(part).collect(),
        is_closed: json["close"].as_bool().expect("a bool"),
        errors: list(&json["errors"]).map(error).collect(),
    };
    let content_type = json.get("contentType").map(bytes);
    Fixture { stream: read("multipart"), content_type, options: options(&name, &json), meaning, name }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().expect("a list").iter()
}

/// Returns the bytes of a text in which each character is one byte.
fn bytes(value: &Value) -> Vec<u8> {
    let text = value.as_str().expect("a text");
    text.chars().map(|char| u8::try_from(char).expect("a character of one byte")).collect()
}

fn options(name: &str, json: &Value) -> Options {
    let mut options = Options::new(&bytes(&json["boundary"]));
    let settings = json.get("options").map(|options| options.as_object().expect("an object"));
    for (key, value) in settings.into_iter().flatten() {
        let size = || usize::try_from(value.as_u64().expect("a number")).expect("a size");
        match &**key {
            "requireClose" => options.requires_close = value.as_bool().expect("a bool"),
            "maxPreambleSize" => options.max_preamble_size = size(),
            "maxHeadersSize" => options.max_headers_size = size(),
            "maxHeaders" => options.max_headers = size(),
            _ => panic!("{name}: {key}"),
        }
    }
    options
}

fn part(json: &Value) -> Part {
    let header = |header: &Value| (bytes(&header[0]), bytes(&header[1]));
    let end = json["end"].as_str().map(|end| match end {
        "delimiter" => Ending::Delimiter,
        "length" => Ending::Length,
        "delimiterBeforeLength" => Ending::DelimiterBeforeLength,
        "endOfStream" => Ending::EndOfStream,
        other => panic!("{other} is no end"),
    });
    Part { headers: list(&json["headers"]).map(header).collect(), body: bytes(&json["body"]), end }
}

fn error(json: &Value) -> (Kind, u64) {
    let kind = match json["kind"].as_str().expect("a kind") {
        "PreambleTooLarge" => Kind::PreambleTooLarge,
        "NoDelimiter" => Kind::NoDelimiter,
        "HeadersTooLarge" => Kind::HeadersTooLarge,
        "TooManyHeaders" => Kind::TooManyHeaders,
        "Truncated" => Kind::Truncated,
        other => panic!("{other} is no kind"),
    };
    (kind, json["part"].as_u64().expect("a number"))
}

#[test]
fn the_twin_yields_the_parts() {
    for Fixture { name, stream, options, meaning, .. } in fixtures() {
        assert_eq!(meant(&naive::interpret(&stream, &options), as_the_twin), meaning, "{name}");
    }
}

#[test]
fn every_route_yields_the_parts() {
    for Fixture { name, stream, options, meaning, .. } in fixtures() {
        let expected = naive::interpret(&stream, &options);
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        for (route_name, route) in routes::ALL {
            let whole = route(&[&stream], &options);
            assert_eq!(meant(&whole, as_the_crate), meaning, "{name}: {route_name}, unsplit");
            assert_eq!(whole, expected, "{name}: {route_name}, unsplit");
            assert_eq!(route(&bytes, &options), expected, "{name}: {route_name}, byte by byte");
        }
        routes::check_parts(&[&stream], &options, &expected);
        routes::check_parts(&bytes, &options, &expected);
    }
}

#[test]
fn split_in_two_they_yield_the_same_parts() {
    for Fixture { name, stream, options, .. } in fixtures() {
        let expected = naive::interpret(&stream, &options);
        let step = if stream.len() < 2000 { 1 } else { 7 };
        for place in (0..=stream.len()).step_by(step) {
            let (head, tail) = stream.split_at(place);
            for (route_name, route) in routes::ALL {
                let outcome = route(&[head, b"", tail], &options);
                assert_eq!(outcome, expected, "{name}: {route_name}, split at {place}");
            }
        }
    }
}

#[test]
fn content_types_name_the_boundary_and_whether_a_close_is_required() {
    let mut count = 0;
    for Fixture { name, stream, content_type, options, .. } in fixtures() {
        let Some(content_type) = content_type else { continue };
        count += 1;
        let boundary = Boundary::from_content_type(&content_type).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(boundary.as_bytes(), options.boundary, "{name}");
        let decoder = PartDecoder::from_content_type(&content_type).expect("the same boundary");
        assert_eq!(routes::decode_with(decoder, &[&stream]), naive::interpret(&stream, &options), "{name}");
    }
    assert!(count >= 30, "{count} only");
}

#[test]
fn the_readme_names_them_all() {
    fixture_folder::check_readme(FOLDER, ".multipart");
}
