//! The parser of rust-mcp-transport, with eventwire in it. `.ci/long parsers` adds the tests of that crate.

use super::SseEvent;
use bytes::Bytes;
use eventwire::{BlockRef, Decoder};

#[derive(Debug)]
pub struct SseParser {
    decoder: Decoder,
}

impl SseParser {
    pub fn new() -> Self {
        Self { decoder: Decoder::new().without_comments() }
    }

    pub fn process_new_chunk(&mut self, bytes: Bytes) -> Vec<SseEvent> {
        let (mut input, mut events) = (&*bytes, Vec::new());
        while let Some(item) = self.decoder.decode_block(&mut input).transpose() {
            // An event over the limit is skipped.
            events.extend(item.ok().and_then(|item| item.block()).map(sse_event));
        }
        events
    }
}

/// A block has the fields of the wire, as `SseEvent` has them. Only the data differs: it ends with a line end, and
/// `None` stands for empty data as well.
fn sse_event(block: BlockRef<'_>) -> SseEvent {
    SseEvent {
        event: block.event_type().map(str::to_owned),
        data: block.data().filter(|data| !data.is_empty()).map(|data| Bytes::from(format!("{data}\n"))),
        id: block.id().map(str::to_owned),
        retry: block.retry().and_then(|time| time.as_millis().try_into().ok()),
    }
}
