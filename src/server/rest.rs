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
    /// Returns the first frame of a block, and stores the rest.
    #[inline]
    pub(super) fn begin(&mut self, block: &mut Outgoing) -> Bytes {
        match block.frames() {
            Ok(event) if event.data().len() >= LARGE => self.begin_large(event),
            Ok(event) => event.to_bytes(),
            Err([frame, blocks]) => {
                if !blocks.is_empty() {
                    *self = Rest::Blocks(blocks);
                }
                frame
            }
        }
    }

    #[cold]
    fn begin_large(&mut self, event: &Event) -> Bytes {
        if memchr::memchr2(b'\n', b'\r', event.data().as_bytes()).is_some() {
            return event.to_bytes();
        }
        let mut head = event.clone().with_data("").to_bytes();
        head.truncate(head.len() - END.len());
        *self = Rest::Data(event.clone().into_data().into_bytes());
        head
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
