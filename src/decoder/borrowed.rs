//! What a block borrows from the present chunk.

/// The values of a block that lie whole in the present chunk. Each takes precedence over what is buffered.
#[derive(Clone, Copy, Default)]
pub(super) struct Borrowed<'c> {
    /// The only data line so far; no data is buffered then.
    pub(super) data: Option<&'c [u8]>,
    pub(super) event_type: Option<&'c [u8]>,
    pub(super) id: Option<&'c [u8]>,
}
