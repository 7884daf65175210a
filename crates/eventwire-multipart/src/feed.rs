//! A decoder and its chunks, without the source that they come from.

use super::{DecodeError, Error, PartDecoder, Piece};
use bytes::Bytes;
use core::task::{Poll, ready};

/// What makes items of chunks: of pieces, or of complete parts.
pub(super) trait Decode {
    type Item;

    /// Returns the next item in `rest`, the rest of a chunk of `chunk_len` bytes. `None` asks for the next chunk.
    fn decode<E>(&mut self, rest: &mut Bytes, chunk_len: usize) -> Result<Option<Self::Item>, Error<E>>;

    /// Returns what is unfinished at the end of the source, item by item.
    fn finish<E>(&mut self) -> Result<Option<Self::Item>, Error<E>>;

    fn decoder(&self) -> &PartDecoder;
}

impl Decode for PartDecoder {
    type Item = Piece;

    #[inline]
    fn decode<E>(&mut self, rest: &mut Bytes, _: usize) -> Result<Option<Piece>, Error<E>> {
        self.decode_bytes(rest).map_err(Error::Decode)
    }

    fn finish<E>(&mut self) -> Result<Option<Piece>, Error<E>> {
        last_piece(self).map_err(Error::Decode)
    }

    fn decoder(&self) -> &PartDecoder {
        self
    }
}

// Not inlined, so that the loop over the pieces is: 7 % of the speed of `Parts`.
#[cold]
pub(super) fn last_piece(decoder: &mut PartDecoder) -> Result<Option<Piece>, DecodeError> {
    Ok(decoder.finish()?.map(Piece::from))
}

/// The decoder, its current chunk, and the state of the source.
#[derive(Clone, Debug)]
pub(super) struct Feed<D> {
    decoder: D,
    /// The part of the current chunk that has not been decoded.
    chunk: Bytes,
    /// The length of the complete chunk in bytes.
    chunk_len: usize,
    source: SourceState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SourceState {
    Open,
    /// The source's last item was an error.
    Failed,
    /// The source has ended, and the decoder may have items left.
    Ending,
    /// Everything has been returned.
    Ended,
}

impl<D: Decode> Feed<D> {
    pub(super) fn new(decoder: D) -> Feed<D> {
        Feed { decoder, chunk: Bytes::new(), chunk_len: 0, source: SourceState::Open }
    }

    /// Continues in the same place with another decoder, made of this one.
    pub(super) fn map<F>(self, map: impl FnOnce(D) -> F) -> Feed<F> {
        Feed { decoder: map(self.decoder), chunk: self.chunk, chunk_len: self.chunk_len, source: self.source }
    }

    pub(super) fn decoder(&self) -> &D {
        &self.decoder
    }

    pub(super) fn decoder_mut(&mut self) -> &mut D {
        &mut self.decoder
    }

    /// Returns the length in bytes of the chunk that the last piece is a slice of.
    pub(super) fn chunk_len(&self) -> usize {
        self.chunk_len
    }

    pub(super) fn has_ended(&self) -> bool {
        self.source == SourceState::Ended
    }

    /// Returns the next item: from the rest of the chunk, or else from the next chunks of the source, which `next`
    /// polls.
    #[inline]
    pub(super) fn poll<B: Into<Bytes>, E>(
        &mut self,
        mut next: impl FnMut() -> Poll<Option<Result<B, E>>>,
    ) -> Poll<Option<Result<D::Item, Error<E>>>> {
        loop {
            if let Some(item) = self.item() {
                return Poll::Ready(Some(item));
            }
            if self.has_ended() {
                return Poll::Ready(None);
            }
            match ready!(next()) {
                Some(Ok(chunk)) => {
                    self.chunk = chunk.into();
                    self.chunk_len = self.chunk.len();
                    self.source = SourceState::Open;
                }
                Some(Err(error)) => {
                    self.source = SourceState::Failed;
                    return Poll::Ready(Some(Err(Error::Transport(error))));
                }
                // After an error it is unknown what is missing, so the decoder is not finished: its last items could
                // be wrong.
                None if self.source == SourceState::Failed => self.source = SourceState::Ended,
                None => self.source = SourceState::Ending,
            }
        }
    }

    /// Returns the next item in the rest of the chunk, or at the end of the stream. `None` means that the next chunk
    /// is needed, or that everything has been returned.
    #[inline]
    fn item<E>(&mut self) -> Option<Result<D::Item, Error<E>>> {
        let item = match self.source {
            SourceState::Open | SourceState::Failed => self.decoder.decode(&mut self.chunk, self.chunk_len),
            SourceState::Ending => self.decoder.finish(),
            SourceState::Ended => return None,
        };
        if self.decoder.decoder().is_closed() {
            self.source = SourceState::Ended;
        }
        item.transpose()
    }
}
