//! The adapters that read chunks from a source and decode them, and the state that they share.

mod blocks;
#[cfg(feature = "http-body")]
mod body_chunks;
mod box_error;
mod error;
mod event_stream;
mod events;
mod idle_timeout;
mod last_poll;
#[cfg(feature = "std")]
mod read_chunks;
mod rewrite;
mod tap;

#[cfg(feature = "http-body")]
pub use self::body_chunks::BodyChunks;
pub use self::{
    blocks::Blocks,
    box_error::BoxError,
    error::Error,
    event_stream::{EventStream, Eventsource},
    events::Events,
    idle_timeout::{IdleTimeout, IdleTimeoutError},
    last_poll::poll_last,
    rewrite::{Edit, Oversize, Rewrite},
    tap::Tap,
};
#[cfg(feature = "std")]
pub use self::{last_poll::is_last_poll, read_chunks::ReadChunks};

use crate::{
    decoder::{DecodeError, Decoder},
    event::Event,
};
use bytes::Bytes;

#[derive(Debug)]
struct Feed {
    decoder: Decoder,
    /// The rest of the last chunk, not decoded yet.
    chunk: Bytes,
    source: Source,
}

/// The state of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Open,
    /// Its last item was an error.
    Failed,
    /// It has ended. What it left unfinished has not been returned completely.
    Ending,
    Ended,
}

impl Feed {
    fn new(decoder: Decoder) -> Feed {
        Feed { decoder, chunk: Bytes::new(), source: Source::Open }
    }

    /// Returns the next event in the rest of the last chunk. `None` asks for the next chunk.
    #[inline(always)]
    fn event<E>(&mut self) -> Option<Result<Event, Error<E>>> {
        // The decoder would also return `None`, but it is inlined here, and its code is too large to enter for that.
        if self.chunk.is_empty() {
            return None;
        }
        self.decoder.decode_bytes_as(&mut self.chunk, item)
    }

    /// Returns the first event of the next chunk, and stores the rest of the chunk after it.
    #[inline(always)]
    fn first_event<E>(&mut self, chunk: Bytes) -> Option<Result<Event, Error<E>>> {
        self.source = Source::Open;
        self.decoder.decode_chunk_as(chunk, &mut self.chunk, item)
    }

    fn fail<E>(&mut self, error: E) -> Error<E> {
        self.source = Source::Failed;
        Error::Transport(error)
    }

    /// Ends the decoder's stream after the end of the source, and returns what the decoder makes of the unfinished
    /// rest.
    ///
    /// If the source ends after an error, the rest is dropped, because nobody knows how it would have continued.
    fn end<E>(&mut self) -> Option<Result<Event, Error<E>>> {
        let failed = self.source == Source::Failed;
        self.source = Source::Ended;
        if failed {
            self.decoder.reset();
            return None;
        }
        match self.decoder.finish() {
            Ok(event) => event.map(Ok),
            Err(error) => Some(Err(Error::Decode(error))),
        }
    }

    fn has_ended(&self) -> bool {
        matches!(self.source, Source::Ending | Source::Ended)
    }
}

#[inline(always)]
fn item<E>(outcome: Result<Option<Event>, DecodeError>) -> Option<Result<Event, Error<E>>> {
    match outcome {
        Ok(Some(event)) => Some(Ok(event)),
        Ok(None) => None,
        Err(error) => Some(Err(Error::Decode(error))),
    }
}
