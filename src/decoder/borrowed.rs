//! What a block borrows from the present chunk.

use crate::line::Scanned;

/// The values of a block that lie whole in the present chunk. Each takes precedence over what is buffered.
#[derive(Clone, Copy, Default)]
pub(super) struct Borrowed<'c> {
    /// The only data line so far; no data is buffered then.
    pub(super) data: Option<Scanned<'c>>,
    pub(super) event_type: Option<Scanned<'c>>,
    pub(super) id: Option<Scanned<'c>>,
}
