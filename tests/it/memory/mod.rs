//! The memory that a decoder and its events use: guarantees 5, 6 and 7.

mod allocation_counts;
#[cfg(feature = "http-body")]
mod body_frames;
mod chunk_sharing;
mod peak_usage;
mod released_buffers;
mod search;

use bytes::Bytes;
use eventwire::{Decoder, Event};

/// Decodes borrowed events, and returns their number.
fn decode_all<'c>(decoder: &mut Decoder, chunks: impl IntoIterator<Item = &'c [u8]>) -> usize {
    let mut events = 0;
    for mut chunk in chunks {
        while !chunk.is_empty() {
            events += usize::from(decoder.decode(&mut chunk).is_ok_and(|event| event.is_some()));
        }
    }
    events
}

#[track_caller]
fn next(decoder: &mut Decoder, input: &mut Bytes) -> Event {
    decoder.decode_bytes(input).expect("within the limit").expect("an event")
}
