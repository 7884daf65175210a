//! What a client learns from a stream.

use crate::{excerpt::Excerpt, message::Message};
use bytes::Bytes;
use eventwire::{Decoder, Eof, EventRef, Position};
use std::time::Duration;

/// Everything that a client learns from a stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Receipt {
    pub events: Vec<Received>,
    pub last_event_id: String,
    pub reconnection_time: Option<Duration>,
}

/// What a client learns from one event.
#[derive(Clone, Debug, PartialEq)]
pub struct Received {
    pub event_type: String,
    pub id: String,
    pub retry: Option<Duration>,
    pub data: String,
}

impl Receipt {
    /// Returns what a client reads if a server that follows the standard sends these messages. Returns `None` if no
    /// event stream can carry one of the values, so that the server has to refuse it.
    pub fn due(messages: &[Message]) -> Option<Receipt> {
        let mut due = Receipt::default();
        for message in messages {
            if let Some(id) = &message.id {
                due.last_event_id = Some(id).filter(|id| !id.contains(['\r', '\n', '\0']))?.clone();
            }
            let retry = message.retry.map(to_millis);
            due.reconnection_time = retry.or(due.reconnection_time);
            let event_type = message.event_type.as_deref().unwrap_or_default();
            if event_type.contains(['\r', '\n']) {
                return None;
            }
            if let Some(data) = &message.data {
                due.events.push(Received {
                    event_type: if event_type.is_empty() { "message" } else { event_type }.to_owned(),
                    id: due.last_event_id.clone(),
                    retry,
                    // The format does not carry which kind of line break it was.
                    data: data.text().replace("\r\n", "\n").replace('\r', "\n"),
                });
            }
        }
        Some(due)
    }

    /// Decodes a body. The chunks are the server's own, each of them a block, so the decoder must not keep anything
    /// back after one. The stream must not end within an event.
    #[track_caller]
    pub fn of(chunks: &[Bytes]) -> Receipt {
        let mut decoder = Decoder::new().with_eof(Eof::Error);
        let mut events = Vec::new();
        for chunk in chunks {
            let mut input = &chunk[..];
            while let Some(event) = decoder.decode(&mut input).expect("an event below the limit") {
                events.push(Received::from(event));
            }
            assert!(decoder.position() == Position::BetweenBlocks, "bytes kept back after {}", Excerpt(chunk));
        }
        assert_eq!(decoder.finish(), Ok(None), "the end");
        let last_event_id = decoder.last_event_id().to_owned();
        Receipt { events, last_event_id, reconnection_time: decoder.reconnection_time() }
    }
}

/// A `retry` field is in whole milliseconds, and eventwire's maximum is `u64::MAX`.
fn to_millis(retry: Duration) -> Duration {
    Duration::from_millis(u64::try_from(retry.as_millis()).unwrap_or(u64::MAX))
}

impl From<EventRef<'_>> for Received {
    fn from(event: EventRef<'_>) -> Received {
        Received {
            event_type: event.event_type().to_owned(),
            id: event.last_event_id().to_owned(),
            retry: event.retry(),
            data: event.data().to_owned(),
        }
    }
}
