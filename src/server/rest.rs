//! The frames of blocks that are sent in several.

use crate::event::{Event, Outgoing};
use bytes::Bytes;
use core::mem;

/// The size of data, in bytes, from which copying takes longer than sending two more frames.
const LARGE: usize = 64 * 1024;

/// The end of the last line, and the blank line.
const END: &[u8] = b"\n\n";

/// The rest of a block whose first frame has been sent.
#[derive(Debug, Default)]
pub(super) enum Rest {
    #[default]
    Nothing,
    Data(Bytes),
    End,
    Blocks(Bytes),
}

impl Rest {
    /// Returns the first frame of an event with one large line of data, or of blocks with a separate ID, and stores the
    /// rest. `None` for any other block.
    ///
    /// The block is borrowed, because moving events costs more than anything else here.
    #[inline]
    pub(super) fn begin(&mut self, outgoing: &Outgoing) -> Option<Bytes> {
        match outgoing.event() {
            Ok(event) if event.data().len() >= LARGE => self.begin_large(event),
            Err(Some([id, blocks])) => {
                *self = Rest::Blocks(blocks);
                Some(id)
            }
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
            Rest::Blocks(blocks) => Some(blocks),
        }
    }
}
