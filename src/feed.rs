//! What the two adapters share: the decoder, the chunk it is at, and how far its source has come.

mod blocks;
#[cfg(feature = "http-body")]
mod body_chunks;
mod error;
mod event_stream;
mod events;
mod idle_timeout;
#[cfg(feature = "std")]
mod read_chunks;
mod rewrite;
mod tap;

#[cfg(feature = "http-body")]
pub use self::body_chunks::BodyChunks;
#[cfg(feature = "std")]
pub use self::read_chunks::ReadChunks;
pub use self::{
    blocks::Blocks,
    error::Error,
    event_stream::{EventStream, Eventsource},
    events::Events,
    idle_timeout::{IdleTimeout, IdleTimeoutError},
    rewrite::{Edit, Encode, Oversize, Rewrite},
    tap::Tap,
};

use crate::{
    decoder::{DecodeError, Decoder},
    event::Event,
};
use bytes::Bytes;

#[derive(Debug)]
struct Feed {
    decoder: Decoder,
    /// What is left of the chunk.
    chunk: Bytes,
    source: Source,
}

/// How far the source has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Open,
    /// Its last word was an error.
    Failed,
    /// It has ended, and what is left of it has not all been given.
    Ending,
    Ended,
}

impl Feed {
    fn new(decoder: Decoder) -> Feed {
        Feed { decoder, chunk: Bytes::new(), source: Source::Open }
    }

    /// The next event of what is left of the last chunk; `None` asks for the next chunk.
    #[inline(always)]
    fn event<E>(&mut self) -> Option<Result<Event, Error<E>>> {
        // The decoder would return the same, but it is inlined here and too large for that.
        if self.chunk.is_empty() {
            return None;
        }
        self.decoder.decode_bytes_as(&mut self.chunk, item)
    }

    /// The first event of the next chunk, of which only what is left after it is stored.
    #[inline(always)]
    fn first_event<E>(&mut self, chunk: Bytes) -> Option<Result<Event, Error<E>>> {
        self.source = Source::Open;
        self.decoder.decode_chunk_as(chunk, &mut self.chunk, item)
    }

    fn fail<E>(&mut self, error: E) -> Error<E> {
        self.source = Source::Failed;
        Error::Transport(error)
    }

    /// Takes in that the source has ended: what the decoder makes of the unfinished rest. After an error there is no telling
    /// what the rest would have been, so that nothing is made of it.
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
