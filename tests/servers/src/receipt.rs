//! What a client learns from a stream.

use crate::{excerpt::Excerpt, message::Message};
use bytes::Bytes;
use eventwire::{Decoder, Eof, Event, Events, Position};
use futures_util::{FutureExt, TryStreamExt, stream};
use std::{convert::Infallible, slice, time::Duration};

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

/// A body of up to this many bytes is split in two at every place.
const SHORT: usize = 512;

type Way = fn(&[Bytes]) -> Receipt;

const WAYS: [(&str, Way); 3] = [("borrowed", borrowed), ("owned", owned), ("streamed", streamed)];

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

    /// Decodes a body in every way and with every split, and asserts that the result is always the same. The chunks
    /// are the server's own, each of them a block, so the decoder must not keep anything back after one. The stream
    /// must not end within an event.
    #[track_caller]
    pub fn of(chunks: &[Bytes]) -> Receipt {
        assert_nothing_kept_back(chunks);
        let receipt = borrowed(chunks);
        assert_all_ways(chunks, &receipt, "in the server's chunks");

        let whole = Bytes::from(chunks.concat());
        assert_all_ways(slice::from_ref(&whole), &receipt, "not split");
        let bytes: Vec<Bytes> = (0..whole.len()).map(|at| whole.slice(at..=at)).collect();
        assert_all_ways(&bytes, &receipt, "byte by byte");
        if whole.len() <= SHORT {
            for at in 0..=whole.len() {
                assert_all_ways(&[whole.slice(..at), whole.slice(at..)], &receipt, &format!("split at byte {at}"));
            }
        }
        receipt
    }

    fn new(events: Vec<Received>, decoder: &Decoder) -> Receipt {
        let last_event_id = decoder.last_event_id().to_owned();
        Receipt { events, last_event_id, reconnection_time: decoder.reconnection_time() }
    }
}

/// A `retry` field is in whole milliseconds, and eventwire's maximum is `u64::MAX`.
fn to_millis(retry: Duration) -> Duration {
    Duration::from_millis(u64::try_from(retry.as_millis()).unwrap_or(u64::MAX))
}

#[track_caller]
fn assert_all_ways(chunks: &[Bytes], due: &Receipt, split: &str) {
    for (way, decode) in WAYS {
        let receipt = decode(chunks);
        assert!(receipt == *due, "{way}, {split}: {} instead of {}", Excerpt(&receipt), Excerpt(due));
    }
}

#[track_caller]
fn assert_nothing_kept_back(chunks: &[Bytes]) {
    let mut decoder = decoder();
    for chunk in chunks {
        let mut input = &chunk[..];
        while decoder.decode(&mut input).expect("an event below the limit").is_some() {}
        assert!(decoder.position() == Position::BetweenBlocks, "bytes kept back after {}", Excerpt(chunk));
    }
}

fn decoder() -> Decoder {
    Decoder::new().with_eof(Eof::Error)
}

fn borrowed(chunks: &[Bytes]) -> Receipt {
    let mut decoder = decoder();
    let mut events = Vec::new();
    for chunk in chunks {
        let mut input = &chunk[..];
        while let Some(event) = decoder.decode(&mut input).expect("an event below the limit") {
            events.push(Received::from(&event.to_event()));
        }
    }
    assert_eq!(decoder.finish(), Ok(None), "the end");
    Receipt::new(events, &decoder)
}

fn owned(chunks: &[Bytes]) -> Receipt {
    let mut decoder = decoder();
    let mut events = Vec::new();
    for chunk in chunks {
        let mut input = chunk.clone();
        while let Some(event) = decoder.decode_bytes(&mut input).expect("an event below the limit") {
            events.push(Received::from(&event));
        }
    }
    assert_eq!(decoder.finish(), Ok(None), "the end");
    Receipt::new(events, &decoder)
}

fn streamed(chunks: &[Bytes]) -> Receipt {
    let source = stream::iter(chunks.iter().cloned().map(Ok::<_, Infallible>));
    let mut stream = Events::new(source).with_decoder(decoder());
    let mut events = Vec::new();
    loop {
        // The source never waits, but other tasks get a turn.
        let Some(event) = stream.try_next().now_or_never() else { continue };
        match event.expect("a complete stream") {
            Some(event) => events.push(Received::from(&event)),
            None => return Receipt::new(events, stream.decoder()),
        }
    }
}

impl From<&Event> for Received {
    fn from(event: &Event) -> Received {
        Received {
            event_type: event.event_type().to_owned(),
            id: event.last_event_id().to_owned(),
            retry: event.retry(),
            data: event.data().to_owned(),
        }
    }
}
