//! The types that can be written instead of a block or after it.

use crate::{
    encoding::Encoded,
    event::{Block, BlockRef, Comment, Event, EventRef},
};
use alloc::vec::Vec;

/// A type that an [`Edit`](super::Edit) can write: an event, a comment or any other block, owned or borrowed.
///
/// This trait is sealed.
pub trait Encode: sealed::Sealed {}

impl Encode for Event {}
impl Encode for EventRef<'_> {}
impl Encode for Comment {}
impl Encode for Block {}
impl Encode for BlockRef<'_> {}
impl Encode for Encoded {}

mod sealed {
    use super::{Block, BlockRef, Comment, Encoded, Event, EventRef, Vec};

    pub trait Sealed {
        fn encode_into(&self, buffer: &mut Vec<u8>);
    }

    impl Sealed for Event {
        fn encode_into(&self, buffer: &mut Vec<u8>) {
            self.encode(buffer);
        }
    }

    impl Sealed for EventRef<'_> {
        fn encode_into(&self, buffer: &mut Vec<u8>) {
            self.encode(buffer);
        }
    }

    impl Sealed for Comment {
        fn encode_into(&self, buffer: &mut Vec<u8>) {
            self.encode(buffer);
        }
    }

    impl Sealed for Block {
        fn encode_into(&self, buffer: &mut Vec<u8>) {
            self.encode(buffer);
        }
    }

    impl Sealed for BlockRef<'_> {
        fn encode_into(&self, buffer: &mut Vec<u8>) {
            self.encode(buffer);
        }
    }

    impl Sealed for Encoded {
        fn encode_into(&self, buffer: &mut Vec<u8>) {
            self.encode(buffer);
        }
    }
}
