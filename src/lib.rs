//! Server-Sent Events.
#![no_std]
extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod buffer;
mod decoder;
mod digits;
mod event;
mod feed;
mod field;
mod interpreter;
mod iter;
mod label;
pub mod line;
#[cfg(feature = "std")]
mod read;
mod stream;
mod text;

#[cfg(feature = "std")]
pub use crate::read::ReadChunks;
pub use crate::{
    decoder::{DecodeError, Decoder, Eof, InvalidField},
    event::{Event, EventRef},
    feed::Error,
    iter::Events,
    stream::{EventStream, Eventsource},
};
pub use bytestring::ByteString;
