//! Recorded streams of language models, read as typed streams with the examples' types.

#[path = "../../examples/types/anthropic.rs"]
#[expect(dead_code, reason = "only the text is used here")]
mod anthropic;
#[path = "../../examples/types/openai.rs"]
#[expect(dead_code, reason = "only the text is used here")]
mod openai;
#[path = "../../examples/types/responses.rs"]
#[expect(dead_code, reason = "only the text is used here")]
mod responses;

use crate::{
    naive::{Event, Item},
    recordings::{Recording, recordings},
};
use anthropic::{Delta, MessageEvent};
use bytes::Bytes;
use eventwire::{Dialect, Events, JsonError};
use openai::Chunk;
use responses::ResponseEvent;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::{collections::BTreeSet, convert::Infallible, iter, path::Path};

/// The format of a service's payloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    OpenAi,
    Responses,
    Anthropic,
    Gemini,
    Cohere,
    Watsonx,
    JsonRpc,
    /// Not JSON.
    Text,
}

/// What the documentation of `Dialect` says of the services, by the names of their recordings.
const SERVICES: &[(&str, Kind, Dialect)] = &[
    ("openai", Kind::OpenAi, Dialect::OPENAI),
    ("azure-openai", Kind::OpenAi, Dialect::OPENAI),
    ("crusoe", Kind::OpenAi, Dialect::OPENAI), // vLLM
    ("deepseek-2", Kind::OpenAi, Dialect::OPENAI),
    ("groq", Kind::OpenAi, Dialect::OPENAI),
    ("huggingface", Kind::OpenAi, Dialect::OPENAI),
    ("local", Kind::OpenAi, Dialect::OPENAI),
    ("mistral", Kind::OpenAi, Dialect::OPENAI),
    ("openrouter", Kind::OpenAi, Dialect::OPENAI),
    ("snowflake", Kind::OpenAi, Dialect::OPENAI),
    ("vercel-local", Kind::OpenAi, Dialect::OPENAI),
    ("zai", Kind::OpenAi, Dialect::OPENAI),
    ("writer", Kind::OpenAi, Dialect::GEMINI),
    ("bedrock", Kind::Responses, Dialect::OPENAI_RESPONSES),
    ("deepseek-1", Kind::Responses, Dialect::OPENAI_RESPONSES),
    ("anthropic", Kind::Anthropic, Dialect::ANTHROPIC),
    ("cohere", Kind::Cohere, Dialect::COHERE),
    ("gemini", Kind::Gemini, Dialect::GEMINI),
    ("watsonx", Kind::Watsonx, Dialect::GEMINI),
    ("mcp-deepwiki", Kind::JsonRpc, Dialect::new()),
    ("replicate", Kind::Text, Dialect::new()),
];

/// Returns what is known of the recording's service, or `None` if it is not in the table.
fn service(recording: &Recording) -> Option<&'static (&'static str, Kind, Dialect)> {
    let stem = Path::new(&recording.name).file_stem()?.to_str()?;
    let name = stem.trim_end_matches(|char: char| char.is_ascii_digit()).trim_end_matches('-');
    SERVICES.iter().find(|(service, ..)| *service == stem || *service == name)
}

/// A text, and the number of payloads that it consists of.
type Story = (String, usize);

/// Returns the text that the naive twin and `serde_json::Value` yield.
fn expected(recording: &Recording, kind: Kind) -> Story {
    let mut story = Story::default();
    for (_, item) in &recording.expected.items {
        let Item::Event(Event { data, event_type, .. }) = item else { panic!("{}: {item:?}", recording.name) };
        if data == "[DONE]" || event_type == "ping" || (kind == Kind::Anthropic && event_type == "message_stop") {
            continue;
        }
        let value: Value = serde_json::from_str(data).unwrap_or_else(|error| panic!("{}: {error}", recording.name));
        story.0 += &text(&value, kind);
        story.1 += 1;
    }
    assert!(story.1 > 0, "{}: no payload", recording.name);
    story
}

/// Returns the text that a payload adds.
fn text(value: &Value, kind: Kind) -> String {
    let all = |list: &str, paths: &[&str]| {
        let items = value.pointer(list).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(|item| paths.iter().find_map(|path| item.pointer(path)?.as_str())).collect()
    };
    let one = |path: &str| value.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    match kind {
        Kind::OpenAi => all("/choices", &["/delta/content", "/text"]),
        Kind::Responses if value["type"] == "response.output_text.delta" => one("/delta"),
        Kind::Anthropic if value["delta"]["type"] == "text_delta" => one("/delta/text"),
        Kind::Gemini => all("/candidates/0/content/parts", &["/text"]),
        Kind::Cohere => one("/delta/message/content/text"),
        Kind::Watsonx => all("/results", &["/generated_text"]),
        Kind::JsonRpc => all("/result/content", &["/text"]),
        Kind::Responses | Kind::Anthropic | Kind::Text => String::new(),
    }
}

/// Returns the text that an application reads from chunks.
fn told(chunks: &[&[u8]], kind: Kind, dialect: &Dialect) -> Result<Story, JsonError<Infallible>> {
    let chunks = chunks.iter().map(|chunk| Ok::<_, Infallible>(Bytes::copy_from_slice(chunk)));
    let mut story = Story::default();
    for value in Events::new(chunks).json_with(dialect.clone()) {
        story.0 += &typed_text(value?, kind);
        story.1 += 1;
    }
    Ok(story)
}

/// Returns what the examples' types read of a payload's text.
fn typed_text(value: Value, kind: Kind) -> String {
    fn read<T: DeserializeOwned>(value: Value) -> T {
        serde_json::from_value(value).expect("the type of an example fits")
    }
    match kind {
        Kind::OpenAi => read::<Chunk>(value).choices.iter().flatten().map(openai::Choice::token).collect(),
        Kind::Responses => match read(value) {
            ResponseEvent::TextDelta { delta } => delta.unwrap_or_default(),
            _ => String::new(),
        },
        Kind::Anthropic => match read(value) {
            MessageEvent::ContentBlockDelta { delta: Some(Delta::TextDelta { text }) } => text,
            _ => String::new(),
        },
        _ => text(&value, kind),
    }
}

/// Returns whether a stream without any event is truncated.
fn requires_end(dialect: &Dialect) -> bool {
    told(&[], Kind::Text, dialect).is_err()
}

/// Returns the recordings that are streams of JSON, with what is known of them.
fn typed() -> impl Iterator<Item = (Recording, Kind, Dialect)> {
    recordings().into_iter().filter_map(|recording| match service(&recording) {
        Some((_, Kind::Text, _)) => None,
        Some((_, kind, dialect)) => Some((recording, *kind, dialect.clone())),
        None => panic!("{} is not in the table of services", recording.name),
    })
}

#[test]
fn their_text_is_assembled() {
    let mut letters = 0;
    let mut seen = BTreeSet::new();
    for (recording, kind, dialect) in typed() {
        let expected = expected(&recording, kind);
        let bytes: Vec<&[u8]> = recording.stream.chunks(1).collect();
        for (chunks, dialect) in [
            (&[&recording.stream[..]][..], &dialect),
            (&bytes, &dialect),
            (&bytes, &Dialect::ANY_MODEL), // which knows them all
        ] {
            assert_eq!(told(chunks, kind, dialect).unwrap(), expected, "{}, {dialect:?}", recording.name);
        }
        letters += expected.0.len();
        seen.extend(service(&recording).map(|(name, ..)| *name));
        // Without its end, the stream is reported as truncated.
        if requires_end(&dialect) {
            let whole = recording.stream.trim_ascii_end();
            let end = memchr::memmem::rfind(whole, b"event: message-end").filter(|_| kind == Kind::Cohere);
            let cut = told(&[&whole[..end.unwrap_or(whole.len() - 1)]], kind, &dialect);
            assert!(matches!(cut, Err(JsonError::Truncated { .. })), "{}: {cut:?}", recording.name);
        }
    }
    eprintln!("{letters} bytes of text");
    for (name, ..) in SERVICES.iter().filter(|(name, kind, _)| *kind != Kind::Text && !seen.contains(name)) {
        eprintln!("not tested because there is no recording: {name}");
    }
}

/// Some gateways leave out the `event` lines, so the type is only in the JSON.
#[test]
fn without_event_lines_the_same_text_and_the_same_end() {
    let mut count = 0;
    for (recording, kind, dialect) in typed().filter(|(_, kind, _)| matches!(kind, Kind::Responses | Kind::Anthropic)) {
        let lines = recording.stream.split_inclusive(|&byte| byte == b'\n');
        let bare: Vec<u8> = lines.filter(|line| !line.starts_with(b"event:")).flatten().copied().collect();
        assert!(bare.len() < recording.stream.len(), "{}: no `event` line", recording.name);
        let (text, _) = expected(&recording, kind);
        assert_eq!(told(&[&bare], kind, &dialect).unwrap().0, text, "{}", recording.name);
        let cut = bare.trim_ascii_end();
        let cut = told(&[&cut[..cut.len() - 1]], kind, &dialect);
        assert!(matches!(cut, Err(JsonError::Truncated { .. })), "{}: {cut:?}", recording.name);
        count += 1;
    }
    eprintln!("{count} recordings");
}

#[test]
fn plain_text_that_ends_with_its_event() {
    for recording in recordings() {
        if matches!(service(&recording), Some((_, Kind::Text, _))) {
            let expected: usize = recording
                .expected
                .items
                .iter()
                .filter(|(_, item)| {
                    matches!(item, Item::Event(Event { event_type, data, .. }) if event_type == "output" && !data.trim().is_empty())
                })
                .count();
            // The text is not JSON, so each payload is an error, but the end is recognised.
            let chunk = Bytes::copy_from_slice(&recording.stream);
            let chunks = iter::once(Ok::<_, Infallible>(chunk));
            let values = Events::new(chunks).json_with::<Value>(Dialect::new().with_end_type("done"));
            let errors = values.filter(|value| matches!(value, Err(JsonError::Payload { .. }))).count();
            assert_eq!(errors, expected, "{}", recording.name);
        }
    }
}
