//! What the two adapters share: the decoder, the chunk it is at, and how far its source has come.

use crate::decoder::{DecodeError, Decoder};
use crate::event::Event;
use bytes::Bytes;

/// Why an adapter's item is not an event.
///
/// A transport error is the [`source`](core::error::Error::source) of this one, whose own text does not repeat it: print the
/// chain. It is a [`core::error::Error`] if `E` is one, which `Box<dyn Error>` is not; match on
/// [`Transport`](Error::Transport) for that.
///
/// ```
/// use eventwire::{Error, Events};
/// use std::io;
///
/// let chunks = [Ok("data: 1\n\ndata: 2"), Err(io::Error::other("connection reset"))];
/// let mut events = Events::new(chunks.into_iter());
/// assert_eq!(events.next().unwrap()?.data(), "1"); // what came before the error is not lost
/// let error = events.next().unwrap().unwrap_err();
/// assert!(matches!(&error, Error::Transport(source) if source.to_string() == "connection reset"));
/// assert!(events.next().is_none());
/// # Ok::<(), Error<io::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error<E> {
    /// The source of the chunks has failed, with this error. Whether it goes on after that is for the source to say.
    #[error("the event stream's source failed")]
    Transport(#[source] E),
    /// The decoder reported this. The events after it come out as ever.
    #[error(transparent)]
    Decode(#[from] DecodeError),
}

#[derive(Debug)]
pub(crate) struct Feed {
    pub(crate) decoder: Decoder,
    /// What is left of the chunk.
    pub(crate) chunk: Bytes,
    source: Source,
}

/// How far the source has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Open,
    /// Its last word was an error.
    Failed,
    Ended,
}

impl Feed {
    pub(crate) fn new(decoder: Decoder) -> Feed {
        Feed { decoder, chunk: Bytes::new(), source: Source::Open }
    }

    /// The next event of the bytes that are there; `None` asks for the next chunk.
    #[inline]
    pub(crate) fn event<E>(&mut self) -> Option<Result<Event, Error<E>>> {
        // The decoder would say the same, but is too large to be called for it twice a chunk.
        if self.chunk.is_empty() {
            return None;
        }
        match self.decoder.decode_bytes(&mut self.chunk) {
            Ok(Some(event)) => Some(Ok(event)),
            Ok(None) => None,
            Err(error) => Some(Err(Error::Decode(error))),
        }
    }

    /// Takes in the next chunk; the last is used up.
    #[inline]
    pub(crate) fn take_in(&mut self, chunk: Bytes) {
        self.chunk = chunk;
        self.source = Source::Open;
    }

    pub(crate) fn fail<E>(&mut self, error: E) -> Result<Event, Error<E>> {
        self.source = Source::Failed;
        Err(Error::Transport(error))
    }

    /// Takes in that the source has ended: what the decoder makes of the unfinished rest. After an error there is no telling
    /// what the rest would have been, so that nothing is made of it.
    pub(crate) fn end<E>(&mut self) -> Option<Result<Event, Error<E>>> {
        let failed = self.source == Source::Failed;
        self.source = Source::Ended;
        if failed {
            self.decoder.abandon();
            return None;
        }
        match self.decoder.finish() {
            Ok(event) => event.map(Ok),
            Err(error) => Some(Err(Error::Decode(error))),
        }
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.source == Source::Ended
    }
}
