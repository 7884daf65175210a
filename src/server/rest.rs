//! Frames of a block whose data is large.

use crate::event::{Block, Event};
use bytes::Bytes;
use core::mem;

/// Data of this many bytes takes longer to copy than a server takes for two more frames.
const LARGE: usize = 64 * 1024;

/// The last line's end, and the blank line.
const END: &[u8] = b"\n\n";

/// What is left of a block whose first frame has been sent.
#[derive(Debug, Default)]
pub(super) enum Rest {
    #[default]
    Nothing,
    Data(Bytes),
    End,
}

impl Rest {
    /// The first frame of an event with one large line of data, whose rest this becomes; `None` for any other block.
    ///
    /// The block is borrowed because moving events costs more than anything else here.
    #[inline]
    pub(super) fn begin(&mut self, block: &Block) -> Option<Bytes> {
        match block {
            Block::Event(event) if event.data().len() >= LARGE => self.begin_large(event),
            _ => None,
        }
    }

    #[cold]
    fn begin_large(&mut self, event: &Event) -> Option<Bytes> {
        if memchr::memchr2(b'\n', b'\r', event.data().as_bytes()).is_some() {
            return None;
        }
        let mut head = event.clone().with_data("").to_bytes();
        head.truncate(head.len() - END.len());
        *self = Rest::Data(event.clone().into_data().into_bytes());
        Some(head)
    }

    #[inline]
    pub(super) fn is_nothing(&self) -> bool {
        matches!(self, Rest::Nothing)
    }

    #[cold]
    pub(super) fn next_frame(&mut self) -> Option<Bytes> {
        match mem::take(self) {
            Rest::Nothing => None,
            Rest::Data(data) => {
                *self = Rest::End;
                Some(data)
            }
            Rest::End => Some(Bytes::from_static(END)),
        }
    }
}
