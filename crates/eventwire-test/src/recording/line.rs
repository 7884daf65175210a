//! The lines of a recording.

use std::{borrow::Cow, fmt};

use bytes::Bytes;
use http::{HeaderName, HeaderValue};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, IgnoredAny, MapAccess, Visitor},
};

use crate::faults::{End, Faults, named};

/// The version of the format.
pub(super) const VERSION: u32 = 1;

/// A line of a recording.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Line<'a> {
    /// The version of the format.
    Recording(u32),
    Request(Request<'a>),
    Response(Response),
    Chunk(Chunk<'a>),
    End(Ended),
}

/// The key of a line, which says what it is.
#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Key {
    Recording,
    Request,
    Response,
    Chunk,
    End,
}

/// What was asked, for the reader of the file.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, expecting = "an object with `method`, `url` and perhaps `headers`")]
pub(super) struct Request<'a> {
    #[serde(borrow)]
    pub(super) method: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) url: Cow<'a, str>,
    #[serde(default)]
    pub(super) headers: Vec<(String, String)>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, expecting = "an object with `status`, and perhaps `headers` and `faults`")]
pub(super) struct Response {
    #[serde(deserialize_with = "status")]
    pub(super) status: u16,
    #[serde(default, deserialize_with = "headers")]
    pub(super) headers: Vec<(String, String)>,
    #[serde(default, skip_serializing)]
    pub(super) faults: Faults,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, expecting = "an object with `bytes`, and perhaps `ms`")]
pub(super) struct Chunk<'a> {
    /// The time since the line before.
    #[serde(default)]
    pub(super) ms: u64,
    #[serde(borrow)]
    pub(super) bytes: Bits<'a>,
}

/// The bytes of a chunk: a text, or if it is not UTF-8, its texts and the bytes between them.
#[derive(Debug, Deserialize, Serialize)]
#[serde(untagged, expecting = "`bytes` is not a text, or a list of texts and of bytes from 0 to 255")]
pub(super) enum Bits<'a> {
    Text(#[serde(borrow)] Cow<'a, str>),
    Parts(#[serde(borrow)] Vec<Part<'a>>),
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum Part<'a> {
    Byte(u8),
    Text(#[serde(borrow)] Cow<'a, str>),
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, expecting = "an object with `how`, and perhaps `ms`")]
pub(super) struct Ended {
    #[serde(default)]
    pub(super) ms: u64,
    #[serde(deserialize_with = "named")]
    pub(super) how: End,
}

impl<'de: 'a, 'a> Deserialize<'de> for Line<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Line<'a>, D::Error> {
        deserializer.deserialize_map(OneKey)
    }
}

/// Reads an object with one key. serde's own reader of enums has no words for an object with none or two, nor for what
/// is no object.
struct OneKey;

impl<'de> Visitor<'de> for OneKey {
    type Value = Line<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with one key: `recording`, `request`, `response`, `chunk` or `end`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Line<'de>, A::Error> {
        let wrong =
            |count| de::Error::custom(format_args!("found {count} keys, expected {}", &self as &dyn de::Expected));
        let line = match map.next_key()? {
            None => return Err(wrong("no")),
            Some(Key::Recording) => Line::Recording(map.next_value()?),
            Some(Key::Request) => Line::Request(map.next_value()?),
            Some(Key::Response) => Line::Response(map.next_value()?),
            Some(Key::Chunk) => Line::Chunk(map.next_value()?),
            Some(Key::End) => Line::End(map.next_value()?),
        };
        if map.next_key::<IgnoredAny>()?.is_some() { Err(wrong("several")) } else { Ok(line) }
    }
}

/// Reads headers, of which none can contain another one.
fn headers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, String)>, D::Error> {
    let headers = Vec::<(String, String)>::deserialize(deserializer)?;
    for (name, value) in &headers {
        if HeaderName::from_bytes(name.as_bytes()).is_err() || HeaderValue::from_bytes(value.as_bytes()).is_err() {
            return Err(de::Error::custom(format_args!(
                "found {name:?} with {value:?}, expected the name and the value of a header"
            )));
        }
    }
    Ok(headers)
}

/// Reads the status of a response.
fn status<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u16, D::Error> {
    let status = u16::deserialize(deserializer)?;
    if (100..1000).contains(&status) {
        return Ok(status);
    }
    Err(de::Error::custom(format_args!("found the status {status}, expected one from 100 to 999")))
}

impl Bits<'_> {
    pub(super) fn into_bytes(self) -> Bytes {
        match self {
            Bits::Text(text) => text.into_owned().into(),
            Bits::Parts(parts) => {
                let mut bytes = Vec::new();
                for part in parts {
                    match part {
                        Part::Byte(byte) => bytes.push(byte),
                        Part::Text(text) => bytes.extend_from_slice(text.as_bytes()),
                    }
                }
                bytes.into()
            }
        }
    }
}
