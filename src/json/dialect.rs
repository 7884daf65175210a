//! What a service adds to a stream of JSON.

use crate::event::MESSAGE;
use alloc::{
    borrow::{Cow, ToOwned},
    string::String,
};

type Text = Cow<'static, str>;

/// What a service adds to a stream of JSON: how its streams end, what only keeps the connection open, and how it
/// reports errors.
///
/// Pass one to `.json_with::<T>(..)`. There is a constant for each format that is in wide use:
///
/// ```
/// # #[cfg(feature = "std")] {
/// use eventwire::{Dialect, Events};
///
/// let body = &b"data: 1\n\n: wait\n\ndata: 2\n\ndata: [DONE]\n\n"[..];
/// let values: Vec<u32> =
///     Events::from_reader(body).json_with(Dialect::OPENAI).collect::<Result<_, _>>()?;
/// assert_eq!(values, [1, 2]);
///
/// let truncated = &b"data: 1\n\n"[..]; // without `[DONE]`
/// let mut values = Events::from_reader(truncated).json_with::<u32>(Dialect::OPENAI);
/// assert_eq!(values.next().unwrap()?, 1);
/// let error = values.next().unwrap().unwrap_err();
/// assert_eq!(error.to_string(), "the stream is truncated: it ended without `[DONE]`");
/// # }
/// # Ok::<(), eventwire::JsonError<std::io::Error>>(())
/// ```
///
/// | service | how its stream ends | dialect |
/// |---|---|---|
/// | OpenAI and Azure: chat, completions | `data: [DONE]` | [`OPENAI`](Dialect::OPENAI) |
/// | Groq, DeepSeek, Mistral, OpenRouter, Hugging Face, vLLM, Snowflake, Z.ai | `data: [DONE]` | [`OPENAI`](Dialect::OPENAI) |
/// | Cohere v2 | type `message-end`, with the token usage; then `data: [DONE]` | [`COHERE`](Dialect::COHERE) |
/// | OpenAI Responses, also from Amazon Bedrock and DeepSeek | type `response.completed`, `response.incomplete`, `response.failed`, `response.cancelled` or `response.done`, with the complete response | [`OPENAI_RESPONSES`](Dialect::OPENAI_RESPONSES) |
/// | Anthropic | `event: message_stop` | [`ANTHROPIC`](Dialect::ANTHROPIC) |
/// | Gemini | no mark; the last payload has a `finishReason` | [`GEMINI`](Dialect::GEMINI) |
/// | watsonx | no mark; the last payload has a `stop_reason` | [`GEMINI`](Dialect::GEMINI) |
/// | Writer | no mark; the last payload has a `finish_reason` | [`GEMINI`](Dialect::GEMINI) |
/// | a gateway in front of several of these | any of their ends | [`ANY_MODEL`](Dialect::ANY_MODEL) |
/// | Replicate | `event: done`; the events before it are plain text, not JSON | [`with_dialect`](crate::Events::with_dialect), with `Dialect::new().with_end_type("done").with_error_reports()` |
/// | Ollama: chat, generate | lines of JSON; the last one has `"done": true` | [`OLLAMA`](Dialect::OLLAMA), with [`json_lines_with`](crate::Events::json_lines_with) |
/// | Docker: pull, build, push | lines of JSON; no mark; an error is a line with an `error` | `Dialect::new().with_error_reports()`, with [`json_lines_with`](crate::Events::json_lines_with) |
/// | Kubernetes: watch | lines of JSON; no mark; an error is a value whose `type` is `ERROR`, and whose `object` has the `message` | none: [`json_lines`](crate::Events::json_lines) |
/// | MCP (Model Context Protocol) | no mark; the last payload is the response | none: [`json`](crate::Events::json) |
///
/// For another service, add what it has to a constant, or to [`new`](Dialect::new):
///
/// ```
/// # #[cfg(feature = "std")] {
/// use eventwire::{Dialect, Events, JsonError};
///
/// // A job's progress: `tick` is its keep-alive, and `finished` its last event, with the
/// // result.
/// let jobs = Dialect::new()
///     .with_keep_alive_type("tick")
///     .with_last_type("finished")
///     .with_error_reports();
/// let body = &b"data: 10\n\nevent: tick\ndata\n\nevent: finished\ndata: 100\n\n"[..];
/// let progress: Vec<u32> =
///     Events::from_reader(body).json_with(jobs.clone()).collect::<Result<_, _>>()?;
/// assert_eq!(progress, [10, 100]);
///
/// let body = &b"data: 10\n\ndata: {\"error\":\"out of memory\"}\n\n"[..];
/// let mut progress = Events::from_reader(body).json_with::<u32>(jobs);
/// assert_eq!(progress.next().unwrap()?, 10);
/// let Some(Err(JsonError::Reported { message, .. })) = progress.next() else { panic!() };
/// assert_eq!(&*message, "out of memory");
/// # }
/// # Ok::<(), eventwire::JsonError<std::io::Error>>(())
/// ```
///
/// # The end
///
/// An event that is the end of the stream ends it at once; the connection may stay open. There are three kinds of ends:
/// certain [data](Dialect::with_end_data), a certain [type](Dialect::with_end_type), and the type of an event that is
/// also [the last item](Dialect::with_last_type). Each call adds a way to end, in any order. An event that is both a
/// mark and a last item counts as a mark.
///
/// If a dialect has an end, a stream without it is [truncated](crate::JsonError::Truncated), unless the end is
/// [optional](Dialect::with_optional_end). HTTP detects only some early ends: when bytes of a known length, or the last
/// chunk, are missing, the source returns an error first. If the server ends the response properly, but too early, only
/// the missing end shows it.
///
/// Many gateways send `data: [DONE]` after every answer, whatever format it has. So it ends the stream in each
/// constant, also in those that have another end. It does not show, though, that the answer is complete: with
/// [`ANTHROPIC`](Dialect::ANTHROPIC) and [`OPENAI_RESPONSES`](Dialect::OPENAI_RESPONSES), a stream with `[DONE]` but
/// without an end of their own is truncated. A dialect that is made of [`new`](Dialect::new) knows only what it is
/// told.
///
/// The type of an event is its `event` field. If it has no such field, or the default `event: message`, its type is the
/// `type` at the top level of its JSON object. The reason is that some gateways send only
/// `data: {"type":"response.completed", ...}`. The same holds for the types of keep-alives.
#[derive(Clone, Debug)]
pub struct Dialect {
    marks: Cow<'static, [Mark]>,
    /// Whether an object whose `done` is `true` is an end as well, and the last item.
    pub(super) ends_when_done: bool,
    /// Whether a stream without any of its marks is truncated.
    requires_end: bool,
    keep_alives: Cow<'static, [Text]>,
    pub(super) reports: Reports,
}

/// The mark of an event that ends the stream, and of which kind the end is.
#[derive(Clone, Debug)]
enum Mark {
    /// The event's data, without white space around it.
    Data(Text, Finality),
    /// The event's type.
    Type(Text, Finality),
}

/// What the event that ends a stream is. If it is several, the smallest value counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Finality {
    /// Only a marker.
    Marker,
    /// The last item.
    Item,
    /// Like the end of the source: nothing follows, but the stream may not be complete.
    Close,
}

/// Which events report an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reports {
    /// None: each is a value.
    Nothing,
    /// Those that say so themselves: with the type `error`, or with an `error`.
    Errors,
    /// Also those that services and gateways of models send for it.
    ErrorsOfModels,
}

const fn last(event_type: &'static str) -> Mark {
    Mark::Type(Cow::Borrowed(event_type), Finality::Item)
}

const DONE: Mark = Mark::Data(Cow::Borrowed("[DONE]"), Finality::Marker);
/// The `[DONE]` that a gateway adds to a stream with another end, or with none.
const CLOSE: Mark = Mark::Data(Cow::Borrowed("[DONE]"), Finality::Close);
const STOP: Mark = Mark::Type(Cow::Borrowed("message_stop"), Finality::Marker);
const MESSAGE_END: Mark = Mark::Type(Cow::Borrowed("message-end"), Finality::Item);

const RESPONSES: &[Mark] = &[
    last("response.completed"),
    last("response.incomplete"),
    last("response.failed"),
    last("response.cancelled"),
    last("response.done"),
    CLOSE,
];
const ANY: &[Mark] = &[
    DONE,
    STOP,
    MESSAGE_END,
    last("response.completed"),
    last("response.incomplete"),
    last("response.failed"),
    last("response.cancelled"),
    last("response.done"),
];
const PINGS: &[Text] = &[Cow::Borrowed("ping"), Cow::Borrowed("keepalive")];

impl Dialect {
    /// OpenAI's chat and completions, and the many services with the same format: ends with `data: [DONE]`, which is
    /// required.
    pub const OPENAI: Dialect = Dialect::model(&[DONE]);

    /// OpenAI's Responses: ends with an event of the type `response.completed`, `response.incomplete`,
    /// `response.failed` or `response.cancelled`, or of the type `response.done`, which some gateways send for each of
    /// them. One of them is required. It is the last item, because it has the complete response.
    pub const OPENAI_RESPONSES: Dialect = Dialect::model(RESPONSES);

    /// Anthropic's Messages: ends with an event of the type `message_stop`, which is required.
    pub const ANTHROPIC: Dialect = Dialect::model(&[STOP, CLOSE]);

    /// Cohere v2: ends with an event of the type `message-end`, which is the last item because it has the token usage,
    /// or with `data: [DONE]`. One of them is required.
    pub const COHERE: Dialect = Dialect::model(&[MESSAGE_END, DONE]);

    /// Gemini. Its streams have no end, so **a truncated stream looks like a complete one**: look for a `finishReason`
    /// in the last payload. Errors and keep-alives, and the `[DONE]` of a gateway, are recognised as in the other
    /// dialects.
    pub const GEMINI: Dialect = Dialect::model(&[CLOSE]);

    /// Ollama's `/api/chat` and `/api/generate`, which send [JSON lines](crate::Events::json_lines): ends with an
    /// object whose `done` is `true`, which is required. It is the last item, because it has the token usage. An error
    /// is an object with an `error`.
    ///
    /// ```
    /// use eventwire::{Dialect, Events, JsonError};
    /// # use std::convert::Infallible;
    ///
    /// let body = concat!(
    ///     "{\"message\":{\"content\":\"Hi\"},\"done\":false}\n",
    ///     "{\"message\":{\"content\":\"\"},\"done\":true,\"eval_count\":2}\n",
    /// );
    /// let chunks = [Ok::<_, Infallible>(body)].into_iter();
    /// let answer: Vec<serde_json::Value> =
    ///     Events::new(chunks).json_lines_with(Dialect::OLLAMA).collect::<Result<_, _>>()?;
    /// assert_eq!(answer[1]["eval_count"], 2);
    /// # Ok::<(), JsonError<Infallible>>(())
    /// ```
    pub const OLLAMA: Dialect = Dialect {
        marks: Cow::Borrowed(&[CLOSE]),
        ends_when_done: true,
        requires_end: true,
        keep_alives: Cow::Borrowed(&[]),
        reports: Reports::Errors,
    };

    /// All of the dialects above at once, except Ollama's, for a gateway that does not know its upstream. Each of their
    /// ends ends the stream. None is required, because Gemini has none, so **a truncated stream looks like a complete
    /// one**.
    pub const ANY_MODEL: Dialect = Dialect::model(ANY).with_optional_end();

    const fn model(marks: &'static [Mark]) -> Dialect {
        Dialect {
            marks: Cow::Borrowed(marks),
            ends_when_done: false,
            requires_end: true,
            keep_alives: Cow::Borrowed(PINGS),
            reports: Reports::ErrorsOfModels,
        }
    }

    /// Returns the neutral dialect, that of `.json::<T>()`: no end, no keep-alives and no errors. Each event is a
    /// value.
    #[must_use]
    pub const fn new() -> Dialect {
        Dialect {
            marks: Cow::Borrowed(&[]),
            ends_when_done: false,
            requires_end: true,
            keep_alives: Cow::Borrowed(&[]),
            reports: Reports::Nothing,
        }
    }

    /// Adds an end: an event with this data, which is not an item. White space around the data is ignored.
    ///
    /// ```
    /// # use eventwire::{Dialect, Events, JsonError};
    /// # use std::convert::Infallible;
    /// let body = "data: 1\n\ndata: END\n\ndata: 2\n\n";
    /// let events = Events::new([Ok::<_, Infallible>(body)].into_iter());
    /// let values = events.json_with::<u32>(Dialect::new().with_end_data("END"));
    /// assert_eq!(values.collect::<Result<Vec<_>, _>>()?, [1]);
    /// # Ok::<(), JsonError<Infallible>>(())
    /// ```
    #[must_use]
    pub fn with_end_data(mut self, data: &str) -> Dialect {
        self.marks.to_mut().push(Mark::Data(data.trim_ascii().to_owned().into(), Finality::Marker));
        self
    }

    /// Adds an end: an event of this type, such as `message_stop` or `done`. It is not an item, and its data is not
    /// read. The type `""` means `"message"`, as everywhere.
    #[must_use]
    pub fn with_end_type(mut self, event_type: &str) -> Dialect {
        self.marks.to_mut().push(Mark::Type(type_name(event_type), Finality::Marker));
        self
    }

    /// Adds an end: an event of this type, which is the last item. Use it if the event contains data that you need,
    /// such as the token usage.
    ///
    /// ```
    /// # use eventwire::{Dialect, Events, JsonError};
    /// # use std::convert::Infallible;
    /// let body = "data: 1\n\nevent: total\ndata: 2\n\ndata: 3\n\n";
    /// let events = Events::new([Ok::<_, Infallible>(body)].into_iter());
    /// let values = events.json_with::<u32>(Dialect::new().with_last_type("total"));
    /// assert_eq!(values.collect::<Result<Vec<_>, _>>()?, [1, 2]);
    /// # Ok::<(), JsonError<Infallible>>(())
    /// ```
    #[must_use]
    pub fn with_last_type(mut self, event_type: &str) -> Dialect {
        self.marks.to_mut().push(Mark::Type(type_name(event_type), Finality::Item));
        self
    }

    /// Lets a stream end without any of its ends, for a server that omits it. A truncated stream then looks like a
    /// complete one.
    #[must_use]
    pub const fn with_optional_end(mut self) -> Dialect {
        self.requires_end = false;
        self
    }

    /// Adds a type of events that only keep the connection open. They are skipped. The models' dialects have `ping` and
    /// `keepalive`. The type may also be [in the JSON](Dialect#the-end): `data: {"type":"ping"}`.
    #[must_use]
    pub fn with_keep_alive_type(mut self, event_type: &str) -> Dialect {
        self.keep_alives.to_mut().push(type_name(event_type));
        self
    }

    /// Returns an event that reports an error as [`JsonError::Reported`](crate::JsonError::Reported) instead of as a
    /// value. The models' dialects have this setting. Such an event is:
    ///
    /// * an event of type `error`: `event: error`;
    /// * a JSON object with an `error` that says something: `data: {"error":{"message":"overloaded"}}`. One that is
    ///   `null`, `false`, `0`, `""`, `[]` or `{}` does not;
    /// * a JSON object of type `error`, in an event without an `event` field (or with `event: message`):
    ///   `data: {"type":"error","message":"overloaded"}`.
    ///
    /// Services and gateways of models have more ways to report an error. The models' dialects, and only they, know
    /// these objects as well:
    ///
    /// | object | example |
    /// |---|---|
    /// | its `object` is `error` | `{"object":"error","message":"too long","type":"BadRequestError"}` |
    /// | a `finish_reason` is `error` or `ERROR`, in it, in its `delta` or in one of its `choices` | `{"choices":[{"finish_reason":"error"}]}` |
    /// | a `code` that is not 0 or 200, with a `message` | `{"code":429,"message":"too many requests"}` |
    /// | a `detail` | `{"detail":"not authenticated"}` |
    /// | an `error_type` with an `error_message` | `{"error_type":"overloaded","error_message":"try again"}` |
    /// | an array around any of these or of the above | `[{"error":{"message":"out of quota"}}]` |
    ///
    /// An answer may have a `code` or a `detail` too, so the last three objects count only if they have none of
    /// `choices`, `candidates`, `delta` and `type`.
    ///
    /// The same objects, and a line `error: ..`, are also recognised in [text that is no
    /// field](crate::JsonError#text-that-is-no-field), at the end of the stream.
    ///
    /// To find all of them, the stream scans each payload for a few words. Only a payload that may contain them as keys
    /// or values is parsed twice.
    #[must_use]
    pub const fn with_error_reports(mut self) -> Dialect {
        if matches!(self.reports, Reports::Nothing) {
            self.reports = Reports::Errors;
        }
        self
    }

    /// Returns the ends of which a stream has to have one, as the text of an error: `` `a`, `b` or `c` ``. It is empty
    /// if none is required.
    pub(super) fn required_ends(&self) -> String {
        let mut text = String::new();
        if !self.requires_end {
            return text;
        }
        let ends = self.marks.iter().filter_map(|mark| match mark {
            Mark::Data(_, Finality::Close) => None,
            Mark::Data(text, _) | Mark::Type(text, _) => Some(&**text),
        });
        let mut ends = ends.chain(self.ends_when_done.then_some("\"done\":true")).peekable();
        while let Some(end) = ends.next() {
            text += match (text.is_empty(), ends.peek()) {
                (true, _) => "`",
                (false, Some(_)) => ", `",
                (false, None) => " or `",
            };
            text += end;
            text += "`";
        }
        text
    }

    /// Returns whether the event is the end, and of which kind. `text` is its data without white space around it.
    #[inline]
    pub(super) fn end_by_event(&self, event_type: &str, text: &str) -> Option<Finality> {
        let found = self.marks.iter().filter_map(|mark| match mark {
            Mark::Data(data, finality) => (text == &**data).then_some(*finality),
            Mark::Type(name, finality) => (event_type == &**name).then_some(*finality),
        });
        found.min()
    }

    /// Does the same for an event of which only the type is known.
    pub(super) fn end_by_type(&self, event_type: &[u8]) -> Option<Finality> {
        let found = self.marks.iter().filter_map(|mark| match mark {
            Mark::Data(..) => None,
            Mark::Type(name, finality) => (event_type == name.as_bytes()).then_some(*finality),
        });
        found.min()
    }

    /// Returns whether the `type` of an object matters.
    #[inline]
    pub(super) fn has_types(&self) -> bool {
        !self.keep_alives.is_empty() || self.marks.iter().any(|mark| matches!(mark, Mark::Type(..)))
    }

    #[inline]
    pub(super) fn is_keep_alive(&self, event_type: &[u8]) -> bool {
        self.keep_alives.iter().any(|keep_alive| event_type == keep_alive.as_bytes())
    }
}

/// The neutral dialect.
impl Default for Dialect {
    fn default() -> Dialect {
        Dialect::new()
    }
}

/// Returns the name of a type in a setting. `""` is the default type, as in a stream.
fn type_name(event_type: &str) -> Text {
    if event_type.is_empty() { Cow::Borrowed(MESSAGE) } else { event_type.to_owned().into() }
}
