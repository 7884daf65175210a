//! What is read from the connections of an event source.

use super::Item;
#[cfg(any(feature = "json", panic = "unwind"))]
use alloc::boxed::Box;
#[cfg(feature = "json")]
use alloc::string::String;
use bytes::Bytes;
#[cfg(panic = "unwind")]
use core::mem;
#[cfg(feature = "json")]
use eventwire::Eof;
use eventwire::{BlockItem, DecodeError, Decoder, Event, InvalidField, Position};

/// Reads events or blocks from the chunks of one body after another.
#[derive(Debug)]
pub(super) struct Reader {
    decoder: Decoder,
    /// The rest of the chunk, which has not been decoded yet.
    chunk: Bytes,
    contents: Contents,
    /// The beginning of the data that was unfinished at the end of the last body.
    #[cfg(feature = "json")]
    unfinished: Box<str>,
}

/// What is read next.
#[derive(Debug)]
pub(super) enum Contents {
    Events,
    Blocks(BlockMethods),
    /// First what was in hand during a panic. Nothing is decided about it again.
    #[cfg(panic = "unwind")]
    Kept(Box<(Found, Contents)>),
}

/// The decoder's methods for blocks, as pointers, so that a program that does not read blocks does not contain them.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockMethods {
    decode: fn(&mut Decoder, &mut Bytes) -> Result<Option<BlockItem>, DecodeError>,
    finish: fn(&mut Decoder) -> Result<Option<BlockItem>, DecodeError>,
}

/// What was found in a body.
#[derive(Clone, Debug)]
pub(super) enum Found {
    Event(Event),
    Item(BlockItem),
}

impl Found {
    pub(super) fn into_item<E>(self) -> Item<E> {
        match self {
            Found::Event(event) => Item::Event(event),
            Found::Item(BlockItem::Block(block)) => Item::Block(block),
            Found::Item(BlockItem::Comment(comment)) => Item::Comment(comment),
        }
    }
}

impl Reader {
    /// Returns a reader of events, before the first chunk.
    pub(super) fn new() -> Reader {
        Reader {
            decoder: Decoder::new(),
            chunk: Bytes::new(),
            contents: Contents::Events,
            #[cfg(feature = "json")]
            unfinished: Box::default(),
        }
    }

    pub(super) fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// A decoder without an ID gets that of the one before.
    pub(super) fn set_decoder(&mut self, mut decoder: Decoder) {
        if decoder.last_event_id().is_empty() {
            // The ID of one decoder is valid in another.
            let _ = decoder.set_last_event_id(self.decoder.last_event_id());
        }
        self.decoder = decoder;
    }

    pub(super) fn set_last_event_id(&mut self, id: &str) -> Result<(), InvalidField> {
        self.decoder.set_last_event_id(id)
    }

    /// From now on, reads blocks and comments instead of events.
    pub(super) fn read_blocks(&mut self) {
        let methods = BlockMethods { decode: Decoder::decode_block_bytes, finish: Decoder::finish_block };
        let contents = match &mut self.contents {
            #[cfg(panic = "unwind")]
            Contents::Kept(kept) => &mut kept.1,
            contents => contents,
        };
        *contents = Contents::Blocks(methods);
    }

    #[inline(always)]
    pub(super) fn contents(&self) -> &Contents {
        &self.contents
    }

    /// Sets the next chunk. The one before must be used up.
    pub(super) fn set_chunk(&mut self, chunk: Bytes) {
        self.chunk = chunk;
    }

    #[inline(always)]
    pub(super) fn decode_event(&mut self) -> Result<Option<Event>, DecodeError> {
        if self.chunk.is_empty() { Ok(None) } else { self.decoder.decode_bytes(&mut self.chunk) }
    }

    /// Even when the chunk is used up, the decoder may have another block.
    #[inline]
    pub(super) fn decode_block(&mut self, methods: BlockMethods) -> Result<Option<BlockItem>, DecodeError> {
        (methods.decode)(&mut self.decoder, &mut self.chunk)
    }

    /// Notes what is unfinished at the end of a body.
    #[cfg(feature = "json")]
    pub(super) fn note_end(&mut self) {
        let data = match self.decoder.eof() {
            Eof::Dispatch => &[],
            _ => self.decoder.unfinished_data(),
        };
        self.unfinished = String::from_utf8_lossy(&data[..data.len().min(1000)]).into();
    }

    /// Forgets that, because another body begins.
    #[cfg(feature = "json")]
    pub(super) fn note_begin(&mut self) {
        self.unfinished = Box::default();
    }

    #[cfg(feature = "json")]
    pub(super) fn unfinished(&self) -> &str {
        &self.unfinished
    }

    /// Returns what the decoder completes at the end of a body.
    pub(super) fn finish(&mut self) -> Result<Option<Found>, DecodeError> {
        match self.contents {
            Contents::Blocks(methods) => Ok((methods.finish)(&mut self.decoder)?.map(Found::Item)),
            _ => Ok(self.decoder.finish()?.map(Found::Event)),
        }
    }

    /// Returns whether the decoder returns nothing more of this body.
    pub(super) fn has_ended(&self) -> bool {
        self.decoder.position() == Position::Ended
    }

    /// Drops the rest of the chunk.
    pub(super) fn drop_chunk(&mut self) {
        self.chunk = Bytes::new();
    }

    /// Begins a new body. The rest of the chunk may begin inside an event.
    pub(super) fn reset(&mut self) {
        self.drop_chunk();
        self.decoder.reset();
    }

    /// Returns whether there is something that was in hand during a panic.
    pub(super) fn has_kept(&self) -> bool {
        match self.contents {
            #[cfg(panic = "unwind")]
            Contents::Kept(_) => true,
            _ => false,
        }
    }

    /// Keeps what was in hand during a panic. Its ID has become the last event ID, so it would not be sent again.
    #[cfg(panic = "unwind")]
    pub(super) fn keep(&mut self, found: Found) {
        let contents = mem::replace(&mut self.contents, Contents::Events);
        self.contents = Contents::Kept(Box::new((found, contents)));
    }

    #[cfg(not(panic = "unwind"))]
    pub(super) fn keep(&mut self, _: Found) {}

    /// Takes what was in hand during a panic.
    #[cfg(panic = "unwind")]
    #[cold]
    pub(super) fn take_kept(&mut self) -> Option<Found> {
        match mem::replace(&mut self.contents, Contents::Events) {
            Contents::Kept(kept) => {
                let (found, contents) = *kept;
                self.contents = contents;
                Some(found)
            }
            contents => {
                self.contents = contents;
                None
            }
        }
    }

    #[cfg(not(panic = "unwind"))]
    pub(super) fn take_kept(&mut self) -> Option<Found> {
        None
    }
}
