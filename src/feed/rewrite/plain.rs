//! A run of plain blocks and comments in a chunk, which need not be held.

use super::{output::Output, rewriter::Rule};
use crate::{decoder::Decoder, event::BlockItemRef};
use core::ops::Range;

/// What was read of a chunk. Up to the item that is changed, all is kept.
pub(super) struct Plain {
    /// The end of the part of the chunk that the decoder has read.
    pub(super) at: usize,
    /// The end of the last item that is kept, if that is a comment.
    pub(super) last_comment: Option<usize>,
    pub(super) changed: Option<Changed>,
}

/// The last item, if the function removes it or writes something.
pub(super) struct Changed {
    pub(super) place: Range<usize>,
    pub(super) is_comment: bool,
    pub(super) is_kept: bool,
}

impl Plain {
    /// Calls the function with each plain block and comment that begins at `at` in the chunk, up to one that it
    /// changes.
    pub(super) fn read(
        decoder: &mut Decoder,
        output: &mut Output,
        chunk: &[u8],
        at: usize,
        rule: &mut Rule<'_>,
    ) -> Plain {
        let mut rest = chunk.get(at..).unwrap_or_default();
        let mut plain = Plain { at, last_comment: None, changed: None };
        decoder.decode_plain(&mut rest, |place, item| {
            let place = at + place.start..at + place.end;
            let is_comment = matches!(item, BlockItemRef::Comment(_));
            let is_kept = output.ask(item, rule);
            if is_kept && !output.has_written() {
                plain.last_comment = is_comment.then_some(place.end);
                return true;
            }
            plain.changed = Some(Changed { place, is_comment, is_kept });
            false
        });
        plain.at = chunk.len() - rest.len();
        plain
    }

    /// The end of what is kept.
    pub(super) fn end(&self) -> usize {
        self.changed.as_ref().map_or(self.at, |changed| changed.place.start)
    }
}
