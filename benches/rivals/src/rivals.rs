//! The rivals, each called as in its own documentation, by the entry points that do the least besides decoding.

use std::{fmt::Debug, num::NonZeroUsize};

use bytes::Bytes;
use futures_util::stream::Stream;
use sse_core::{MessageEvent, SseDecoder, SseEvent};

use eventwire_rivals::consume::{self, debug, look, poll_each};

/// `&[u8]` is the cheapest `Buf` that it accepts.
pub(crate) fn sse_core_decoder(chunks: &[Bytes]) -> Result<usize, String> {
    let mut decoder = sse_core_with_room();
    let mut events = 0;
    for chunk in chunks {
        let mut input = &chunk[..];
        while let Some(event) = decoder.next(&mut input) {
            if let SseEvent::Message(event) = event.map_err(debug)? {
                look_at_sse_core(&event);
                events += 1;
            }
        }
    }
    Ok(events)
}

pub(crate) fn sse_core_stream(chunks: &[Bytes]) -> Result<usize, String> {
    let mut stream = sse_core::SseStream::with_decoder(sse_core_with_room());
    stream.attach(consume::stream(chunks));
    let mut events = 0;
    poll_each(stream, |event| {
        if let SseEvent::Message(event) = event.map_err(debug)? {
            look_at_sse_core(&event);
            events += 1;
        }
        Ok(())
    })?;
    Ok(events)
}

/// Its default limit of 512 KiB would reject the events of 1 MiB.
fn sse_core_with_room() -> SseDecoder {
    SseDecoder::with_limit(NonZeroUsize::new(16 << 20).unwrap())
}

fn look_at_sse_core(event: &MessageEvent) {
    let id = event.last_event_id.as_deref().unwrap_or_default();
    look(&event.event, &event.data, id);
}

pub(crate) fn sse_parse_parser(chunks: &[Bytes]) -> Result<usize, String> {
    let mut parser = sse_parse::SseParser::new();
    let mut events = 0;
    for chunk in chunks {
        parser.feed(chunk);
        while let Some(event) = parser.next_event() {
            look(&event.event, &event.data, &event.id);
            events += 1;
        }
    }
    Ok(events)
}

pub(crate) fn sse_parse_stream(chunks: &[Bytes]) -> Result<usize, String> {
    each(sse_parse::EventStream::new(consume::stream(chunks)), |event| look(&event.event, &event.data, &event.id))
}

/// The byte stream without the HTTP body around it. A block without data is not an event.
pub(crate) fn sse_stream_stream(chunks: &[Bytes]) -> Result<usize, String> {
    let mut events = 0;
    poll_each(sse_stream::SseByteStream::new(consume::stream(chunks)), |block| {
        let block = block.map_err(debug)?;
        if let Some(data) = &block.data {
            let event_type = block.event.as_deref().unwrap_or_default();
            look(event_type, data, block.id.as_deref().unwrap_or_default());
            events += 1;
        }
        Ok(())
    })?;
    Ok(events)
}

/// Below the stream it has only lines, which are not events.
pub(crate) fn sseer_stream(chunks: &[Bytes]) -> Result<usize, String> {
    each(sseer::EventStream::new(consume::stream(chunks)), |event| look(&event.event, &event.data, &event.id))
}

pub(crate) fn eventsource_stream_stream(chunks: &[Bytes]) -> Result<usize, String> {
    each(eventsource_stream::EventStream::new(consume::stream(chunks)), |event| {
        look(&event.event, &event.data, &event.id)
    })
}

fn each<T, E: Debug>(stream: impl Stream<Item = Result<T, E>>, mut look: impl FnMut(T)) -> Result<usize, String> {
    let mut events = 0;
    poll_each(stream, |event| {
        look(event.map_err(debug)?);
        events += 1;
        Ok(())
    })?;
    Ok(events)
}
