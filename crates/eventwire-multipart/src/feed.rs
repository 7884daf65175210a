//! A decoder and its chunks, without the source that they come from.

use super::{Error, Headers, PartDecoder, Piece, part_decoder::Found};
use bytes::Bytes;
use core::task::{Poll, ready};

/// What makes items of chunks: of pieces, or of complete parts.
pub(super) trait Decode {
    type Item;

    /// An item whose bytes may still be in the chunk. They become `Bytes` where these are returned, because each move
    /// of words that were just written takes about 5 ns.
    type Found;

    /// Takes a chunk that is an item as a whole, and returns how it becomes one.
    #[inline]
    fn take(&mut self, _: &[u8]) -> Option<fn(Bytes) -> Self::Found> {
        None
    }

    /// Finds the next item in a chunk, of which `used` bytes have been read. `None` asks for the next chunk.
    fn find<E>(&mut self, chunk: &Bytes, used: &mut usize) -> Result<Option<Self::Found>, Error<E>>;

    /// Finds what is unfinished at the end of the source, item by item.
    fn finish<E>(&mut self) -> Result<Option<Self::Found>, Error<E>>;

    /// Returns an item that was found in this chunk.
    fn own(&self, found: Self::Found, chunk: &Bytes) -> Self::Item;

    fn decoder(&self) -> &PartDecoder;
}

/// What has been found in the stream: a chunk that is data as a whole, or a piece.
#[derive(Debug)]
pub(super) enum Step {
    Chunk(Bytes),
    Found(Found),
}

impl Decode for PartDecoder {
    type Item = Piece;
    type Found = Step;

    #[inline]
    fn take(&mut self, chunk: &[u8]) -> Option<fn(Bytes) -> Step> {
        if PartDecoder::take(self, chunk) { Some(Step::Chunk) } else { None }
    }

    #[inline]
    fn find<E>(&mut self, chunk: &Bytes, used: &mut usize) -> Result<Option<Step>, Error<E>> {
        match PartDecoder::find(self, chunk, used, false) {
            Ok(found) => Ok(found.map(Step::Found)),
            Err(error) => Err(Error::Decode(error)),
        }
    }

    // Not inlined, so that the loop over the pieces is: 7 % of the speed of `Parts`.
    #[cold]
    fn finish<E>(&mut self) -> Result<Option<Step>, Error<E>> {
        Ok(PartDecoder::find(self, &[], &mut 0, true)?.map(Step::Found))
    }

    #[inline]
    fn own(&self, step: Step, chunk: &Bytes) -> Piece {
        match step {
            Step::Chunk(chunk) => Piece::Data(chunk),
            Step::Found(Found::PartBegin(place)) => Piece::PartBegin(Headers::decoded(self.bytes(place, chunk))),
            Step::Found(Found::Data(place)) => Piece::Data(self.bytes(place, chunk)),
            Step::Found(Found::PartEnd(end)) => Piece::PartEnd(end),
            Step::Found(Found::Close) => Piece::Close,
        }
    }

    fn decoder(&self) -> &PartDecoder {
        self
    }
}

/// The decoder, its current chunk, and the state of the source.
#[derive(Clone, Debug)]
pub(super) struct Feed<D> {
    decoder: D,
    /// The current chunk, until it has been decoded.
    chunk: Bytes,
    /// How many bytes of the chunk have been decoded.
    used: usize,
    /// The length in bytes of the chunk that the last item was found in.
    chunk_len: usize,
    source: SourceState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SourceState {
    /// The chunk may have further items.
    Open,
    /// There are no further items before the next chunk.
    Waiting,
    /// The source's last item was an error.
    Failed,
    /// The source has ended, and the decoder may have items left.
    Ending,
    /// Everything has been returned.
    Ended,
}

impl<D: Decode> Feed<D> {
    pub(super) fn new(decoder: D) -> Feed<D> {
        Feed { decoder, chunk: Bytes::new(), used: 0, chunk_len: 0, source: SourceState::Open }
    }

    /// Continues in the same place with another decoder, made of this one.
    pub(super) fn map<F>(self, map: impl FnOnce(D) -> F) -> Feed<F> {
        let Feed { decoder, chunk, used, chunk_len, source } = self;
        Feed { decoder: map(decoder), chunk, used, chunk_len, source }
    }

    pub(super) fn decoder(&self) -> &D {
        &self.decoder
    }

    pub(super) fn decoder_mut(&mut self) -> &mut D {
        &mut self.decoder
    }

    /// Returns the current chunk. What was found last is in it.
    pub(super) fn chunk(&self) -> &Bytes {
        &self.chunk
    }

    /// Returns the length in bytes of the chunk that the last piece is a slice of.
    pub(super) fn chunk_len(&self) -> usize {
        self.chunk_len
    }

    pub(super) fn has_ended(&self) -> bool {
        self.source == SourceState::Ended
    }

    /// Returns the next item; see `poll_found`.
    #[inline]
    pub(super) fn poll<B: Into<Bytes>, E>(
        &mut self,
        next: impl FnMut() -> Poll<Option<Result<B, E>>>,
    ) -> Poll<Option<Result<D::Item, Error<E>>>> {
        Poll::Ready(match ready!(self.poll_found(next)) {
            Some(Ok(found)) => Some(Ok(self.decoder.own(found, &self.chunk))),
            Some(Err(error)) => Some(Err(error)),
            None => None,
        })
    }

    /// Finds the next item: in the rest of the chunk, or else in the next chunks of the source, which `next` polls.
    #[inline(always)]
    pub(super) fn poll_found<B: Into<Bytes>, E>(
        &mut self,
        mut next: impl FnMut() -> Poll<Option<Result<B, E>>>,
    ) -> Poll<Option<Result<D::Found, Error<E>>>> {
        loop {
            if self.source != SourceState::Waiting {
                match self.find() {
                    Ok(None) => {}
                    found => return Poll::Ready(found.transpose()),
                }
                if self.has_ended() {
                    return Poll::Ready(None);
                }
                (self.chunk, self.used) = (Bytes::new(), 0);
            }
            match ready!(next()) {
                Some(Ok(chunk)) => {
                    let chunk = chunk.into();
                    self.chunk_len = chunk.len();
                    if let Some(found) = self.decoder.take(&chunk) {
                        self.source = SourceState::Waiting;
                        return Poll::Ready(Some(Ok(found(chunk))));
                    }
                    self.source = SourceState::Open;
                    self.chunk = chunk;
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

    /// Finds the next item in the rest of the chunk, or at the end of the stream. `None` means that the next chunk
    /// is needed, or that everything has been returned.
    #[inline]
    fn find<E>(&mut self) -> Result<Option<D::Found>, Error<E>> {
        let found = match self.source {
            SourceState::Open | SourceState::Waiting | SourceState::Failed => {
                self.decoder.find(&self.chunk, &mut self.used)
            }
            SourceState::Ending => self.decoder.finish(),
            SourceState::Ended => return Ok(None),
        };
        if self.decoder.decoder().is_closed() {
            self.source = SourceState::Ended;
        } else if self.source == SourceState::Open && matches!(found, Ok(None)) {
            self.source = SourceState::Waiting;
        }
        found
    }
}
