//! The settings of a decoder that an input's header selects.

use crate::naive::{Eof, Options};

pub fn options(mode: u8, max_event_size: usize) -> Options<'static> {
    Options {
        last_event_id: if mode < 0x80 { "" } else { "seed" },
        max_event_size,
        eof: [Eof::Discard, Eof::Dispatch, Eof::Error][usize::from(mode % 3)],
        ..Options::default()
    }
}
