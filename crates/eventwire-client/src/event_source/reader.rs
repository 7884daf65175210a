//! What is read from the connections of an event source.

#[cfg(feature = "json")]
use alloc::{boxed::Box, string::String};
use bytes::Bytes;
use eventwire::{BlockItem, DecodeError, Decoder, Event, Position};
#[cfg(feature = "json")]
use eventwire::{Eof, internal::Rest};

/// Reads events or blocks from the chunks of one body after another.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) decoder: Decoder,
    /// The rest of the chunk, which has not been decoded yet.
    chunk: Bytes,
    pub(super) contents: Contents,
    /// The beginning of the data that was unfinished at the end of the last body.
    #[cfg(feature = "json")]
    unfinished: Box<str>,
    /// Whether the last body has begun and has had no byte. What the decoder has ignored is then an earlier one's.
    #[cfg(feature = "json")]
    is_empty: bool,
}

/// What is read next.
#[derive(Clone, Copy, Debug)]
pub(super) enum Contents {
    Events,
    Blocks(BlockMethods),
}

/// The decoder's methods for blocks, as pointers, so that a program that does not read blocks does not contain them.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockMethods {
    decode: fn(&mut Decoder, &mut Bytes) -> Result<Option<BlockItem>, DecodeError>,
    finish: fn(&mut Decoder) -> Result<Option<BlockItem>, DecodeError>,
}

/// What was found at the end of a body.
pub(super) enum Found {
    Event(Event),
    Item(BlockItem),
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
            #[cfg(feature = "json")]
            is_empty: true,
        }
    }

    /// A decoder without an ID gets that of the one before.
    pub(super) fn set_decoder(&mut self, mut decoder: Decoder) {
        if decoder.last_event_id().is_empty() {
            // The ID of one decoder is valid in another.
            let _ = decoder.set_last_event_id(self.decoder.last_event_id());
        }
        self.decoder = decoder;
    }

    /// From now on, reads blocks and comments instead of events.
    pub(super) fn read_blocks(&mut self) {
        let methods = BlockMethods { decode: Decoder::decode_block_bytes, finish: Decoder::finish_block };
        self.contents = Contents::Blocks(methods);
    }

    /// Sets the next chunk. The one before must be used up.
    pub(super) fn set_chunk(&mut self, chunk: Bytes) {
        #[cfg(feature = "json")]
        {
            self.is_empty &= chunk.is_empty();
        }
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
        self.is_empty = true;
    }

    /// Returns what is known of the text of the last body that was in no event.
    #[cfg(feature = "json")]
    pub(super) fn rest(&self) -> Rest<'_> {
        let ignored = if self.is_empty { &[] } else { self.decoder.ignored() };
        Rest { unfinished: &self.unfinished, ignored, ..Rest::default() }
    }

    /// Returns what the decoder completes at the end of a body.
    pub(super) fn finish(&mut self) -> Result<Option<Found>, DecodeError> {
        match self.contents {
            Contents::Blocks(methods) => Ok((methods.finish)(&mut self.decoder)?.map(Found::Item)),
            Contents::Events => Ok(self.decoder.finish()?.map(Found::Event)),
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
}
