//! What is changed about a stream while it is sent. `eventwire serve` has an option for each. The values are the same,
//! except that `keep_alive` is in milliseconds and `--keep-alive` in seconds.

use std::{
    fmt,
    num::{NonZeroU32, NonZeroUsize},
    str::FromStr,
    time::Duration,
};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, DeserializeOwned, IntoDeserializer},
};
use serde_json::Value;

/// The largest chunk, in bytes: it is collected before it is sent.
pub(crate) const MAX_CHUNK: usize = 1024 * 1024;

/// How a response ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// The body ends as HTTP says, and the connection is closed.
    #[default]
    Complete,
    /// The connection is closed (FIN) before the body has ended.
    Close,
    /// The connection is reset (RST). What the client has not read yet may be lost.
    Reset,
    /// Nothing more is sent, and the connection stays open until the client closes it.
    Stall,
}

/// What a server does with the `Last-Event-ID` of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Resume {
    /// Sends the stream from its beginning.
    #[default]
    Ignore,
    /// Continues after the event with the ID. If there is none, the stream is sent from its beginning.
    Exact,
    /// Sends the event with the ID again.
    Repeat,
    /// Leaves out the event after the one with the ID.
    Skip,
}

/// What is changed about the body of an answer.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with faults")]
pub struct Faults {
    /// How the body is cut into chunks. `None`: as it is in the script.
    #[serde(default, deserialize_with = "word")]
    pub chunk: Option<Chunking>,
    /// Where the response ends, by default with [`End::Close`].
    #[serde(default, deserialize_with = "word")]
    pub cut_after: Option<Place>,
    /// How the response ends. `None`: completely, or where it is cut, with [`End::Close`].
    #[serde(default, deserialize_with = "perhaps_named")]
    pub end: Option<End>,
    /// What the server does with the `Last-Event-ID`. `None`: nothing.
    #[serde(default, deserialize_with = "perhaps_named")]
    pub resume: Option<Resume>,
    /// The times between the chunks. `None`: as they are in the script.
    #[serde(default, deserialize_with = "word")]
    pub pace: Option<Pace>,
    /// A comment is sent after each silence of this many milliseconds, between two blocks.
    pub keep_alive: Option<NonZeroU32>,
    /// About one of this many bytes becomes 0xFF, which is never a part of UTF-8. Line ends stay.
    pub garbage: Option<NonZeroU32>,
    /// After its last chunk, the body begins again, without end.
    #[serde(default)]
    pub repeat: bool,
    /// Where the bytes that become garbage are, and how long random chunks are. `None`: 0.
    #[serde(default, deserialize_with = "number")]
    pub seed: Option<u64>,
}

impl Faults {
    /// Returns these faults, and those of the others where there are none here.
    #[must_use]
    pub fn or(self, others: Faults) -> Faults {
        Faults {
            chunk: self.chunk.or(others.chunk),
            cut_after: self.cut_after.or(others.cut_after),
            end: self.end.or(others.end),
            resume: self.resume.or(others.resume),
            pace: self.pace.or(others.pace),
            keep_alive: self.keep_alive.or(others.keep_alive),
            garbage: self.garbage.or(others.garbage),
            repeat: self.repeat || others.repeat,
            seed: self.seed.or(others.seed),
        }
    }
}

/// How a body is cut into chunks. Chunks without a pause between them are joined first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunking {
    /// Chunks of this many bytes.
    Size(NonZeroUsize),
    /// Chunks of random lengths, up to 128 bytes.
    Random,
}

/// A place in a body: a number of bytes after the end of a number of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The events before it.
    pub events: u64,
    /// The bytes between the last of them and the place.
    pub bytes: u64,
}

/// The times between the chunks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// As in the script.
    Recorded,
    /// All at once.
    None,
    /// So many times as fast as in the script.
    Times(f64),
    /// This time before each chunk.
    Every(Duration),
}

/// A value that is not one of those that are possible.
#[derive(Debug)]
pub struct Unexpected {
    found: String,
    expected: &'static str,
}

impl fmt::Display for Unexpected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "found {:?}, expected {}", self.found, self.expected)
    }
}

impl std::error::Error for Unexpected {}

impl FromStr for Chunking {
    type Err = Unexpected;

    fn from_str(text: &str) -> Result<Chunking, Unexpected> {
        if text == "random" {
            return Ok(Chunking::Random);
        }
        let size = digits(text).and_then(|size| usize::try_from(size).ok()).filter(|size| *size <= MAX_CHUNK);
        size.and_then(NonZeroUsize::new).map(Chunking::Size).ok_or_else(|| Unexpected {
            found: text.to_owned(),
            expected: "a number of bytes, from 1 to 1048576, or `random`",
        })
    }
}

impl FromStr for Place {
    type Err = Unexpected;

    fn from_str(text: &str) -> Result<Place, Unexpected> {
        let parse = || {
            Some(match (text.split_once('+'), text.strip_suffix('b')) {
                (Some((events, bytes)), _) => {
                    Place { events: digits(events)?, bytes: digits(bytes.strip_suffix('b')?)? }
                }
                (None, Some(bytes)) => Place { events: 0, bytes: digits(bytes)? },
                (None, None) => Place { events: digits(text)?, bytes: 0 },
            })
        };
        parse().ok_or_else(|| Unexpected {
            found: text.to_owned(),
            expected: "a number of events as in `3`, of bytes as in `100b`, or both as in `3+5b`",
        })
    }
}

impl FromStr for Pace {
    type Err = Unexpected;

    fn from_str(text: &str) -> Result<Pace, Unexpected> {
        let parse = || {
            Some(match text {
                "recorded" => Pace::Recorded,
                "none" => Pace::None,
                _ => {
                    if let Some(times) = text.strip_suffix('x') {
                        Pace::Times(decimal(times).filter(|times| *times > 0.0)?)
                    } else if let Some(milliseconds) = text.strip_suffix("ms") {
                        Pace::Every(Duration::from_millis(digits(milliseconds)?))
                    } else {
                        let seconds = decimal(text.strip_suffix('s')?)?;
                        Pace::Every(Duration::try_from_secs_f64(seconds).ok()?)
                    }
                }
            })
        };
        parse().ok_or_else(|| Unexpected {
            found: text.to_owned(),
            expected: "`recorded`, `none`, a speed as in `4x`, or a time as in `100ms` or `2s`",
        })
    }
}

/// Reads a number of digits only. Rust's own grammar has a sign.
fn digits(text: &str) -> Option<u64> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// Reads a number such as `4` or `2.5`, without a sign or an exponent.
fn decimal(text: &str) -> Option<f64> {
    if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') { text.parse().ok() } else { None }
}

/// Reads a value that is written as a text or a number. What is neither is quoted by the error.
fn word<'de, D: Deserializer<'de>, T: FromStr<Err = Unexpected>>(deserializer: D) -> Result<Option<T>, D::Error> {
    let text = match Value::deserialize(deserializer)? {
        Value::String(text) => text,
        other => other.to_string(),
    };
    text.parse().map(Some).map_err(de::Error::custom)
}

/// Reads a number. `null` is not one.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    u64::deserialize(deserializer).map(Some)
}

/// Reads the name of a variant. serde_json calls anything but a text a mistake of syntax.
pub(crate) fn named<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<T, D::Error> {
    T::deserialize(String::deserialize(deserializer)?.into_deserializer())
}

fn perhaps_named<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Option<T>, D::Error> {
    named(deserializer).map(Some)
}
