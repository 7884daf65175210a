//! What encoded blocks contain.

use eventwire::{Decoder, line::Lines};

/// What bytes contain.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Blocks {
    events: usize,
    /// Comments, and blocks without data.
    others: usize,
    pub(crate) set_id: bool,
}

impl Blocks {
    pub(crate) fn of(mut bytes: &[u8]) -> Blocks {
        let mut blocks = Blocks::default();
        let mut decoder = Decoder::new().with_max_event_size(usize::MAX);
        while let Ok(Some(item)) = decoder.decode_block(&mut bytes) {
            match item.block() {
                Some(block) if block.data().is_some() => blocks.events += 1,
                _ => blocks.others += 1,
            }
            blocks.set_id |= item.block().is_some_and(|block| block.id().is_some());
        }
        blocks
    }

    /// Whether the bytes are exactly one event, without an ID.
    pub(crate) fn are_one_event(bytes: &[u8]) -> bool {
        // Each blank line ends a block, which may have no field that is known.
        let (mut lines, mut input, mut blank_lines) = (Lines::new().with_max_line_len(usize::MAX), bytes, 0);
        while let Ok(Some(line)) = lines.next(&mut input) {
            blank_lines += usize::from(line.is_empty());
        }
        blank_lines == 1 && Blocks::of(bytes) == Blocks { events: 1, others: 0, set_id: false }
    }
}
