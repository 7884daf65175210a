//! eventwire's ways to read events, used as in a program. Each counts the events.

use std::hint::black_box;

use bytes::Bytes;
use eventwire::{Decoder, Events, Tap};

use crate::consume::{self, debug, look};

pub(crate) fn decode(chunks: &[Bytes]) -> Result<usize, String> {
    let mut decoder = Decoder::new();
    let mut events = 0;
    for chunk in chunks {
        let mut input = &chunk[..];
        while let Some(event) = decoder.decode(&mut input).map_err(debug)? {
            look(event.event_type(), event.data(), event.last_event_id());
            events += 1;
        }
    }
    Ok(events)
}

pub(crate) fn decode_bytes(chunks: &[Bytes]) -> Result<usize, String> {
    let mut decoder = Decoder::new();
    let mut events = 0;
    for chunk in chunks {
        let mut input = chunk.clone();
        while let Some(event) = decoder.decode_bytes(&mut input).map_err(debug)? {
            look(event.event_type(), event.data(), event.last_event_id());
            events += 1;
        }
    }
    Ok(events)
}

pub(crate) fn events(chunks: &[Bytes]) -> Result<usize, String> {
    let mut events = 0;
    for event in Events::new(consume::iterator(chunks)) {
        let event = event.map_err(debug)?;
        look(event.event_type(), event.data(), event.last_event_id());
        events += 1;
    }
    Ok(events)
}

pub(crate) fn stream(chunks: &[Bytes]) -> Result<usize, String> {
    let mut events = 0;
    consume::poll_each(Events::new(consume::stream(chunks)), |event| {
        let event = event.map_err(debug)?;
        look(event.event_type(), event.data(), event.last_event_id());
        events += 1;
        Ok(())
    })?;
    Ok(events)
}

pub(crate) fn tap(chunks: &[Bytes]) -> Result<usize, String> {
    tap_with(chunks, Decoder::new())
}

/// Sends the chunks through a `Tap` with this decoder.
pub(crate) fn tap_with(chunks: &[Bytes], decoder: Decoder) -> Result<usize, String> {
    let mut events = 0;
    let tap = Tap::new(consume::stream(chunks), |item| {
        if let Ok(item) = item
            && let Some(event) = item.event()
        {
            look(event.event_type(), event.data(), event.last_event_id());
            events += 1;
        }
    })
    .with_decoder(decoder);
    consume::poll_each(tap, |chunk| {
        black_box(chunk.map_err(debug)?);
        Ok(())
    })?;
    Ok(events)
}
