//! A contender: one way to decode, of one crate.

use bytes::Bytes;

use crate::{entries, rivals};

/// One entry point of one crate, as a user of that crate would call it.
pub(crate) struct Contender {
    pub(crate) of: &'static str,
    pub(crate) entry: &'static str,
    pub(crate) level: Level,
    /// Decodes the chunks with a new decoder, inspects each event, and returns their number.
    pub(crate) run: fn(&[Bytes]) -> Result<usize, String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    /// Called with bytes.
    Sync,
    /// Polled for events, over a stream of bytes.
    Stream,
}

impl Contender {
    pub(crate) fn name(&self) -> String {
        format!("{}/{}", self.of, self.entry)
    }
}

/// The name of eventwire's contenders.
pub(crate) const OURS: &str = "eventwire";

/// Returns all contenders, in the order of their turns.
pub(crate) fn all() -> Vec<Contender> {
    use Level::{Stream, Sync};

    let one = |of, entry, level, run| Contender { of, entry, level, run };
    vec![
        one(OURS, "decode", Sync, entries::decode as fn(&[Bytes]) -> _),
        one(OURS, "decode_bytes", Sync, entries::decode_bytes),
        one(OURS, "events", Sync, entries::events),
        one(OURS, "stream", Stream, entries::stream),
        one("sse-core", "decoder", Sync, rivals::sse_core_decoder),
        one("sse-core", "stream", Stream, rivals::sse_core_stream),
        one("sse-parse", "parser", Sync, rivals::sse_parse_parser),
        one("sse-parse", "stream", Stream, rivals::sse_parse_stream),
        one("sse-stream", "stream", Stream, rivals::sse_stream_stream),
        one("sseer", "stream", Stream, rivals::sseer_stream),
        one("eventsource-stream", "stream", Stream, rivals::eventsource_stream_stream),
    ]
}
