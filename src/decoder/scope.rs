//! Whether a caller of the decoder reads events or all blocks.

/// Chosen at compile time, so that callers who read only events do not pay for comments.
pub(super) trait Scope {
    /// Whether comments and blocks without data are returned.
    const HAS_ALL: bool;
}

/// Only events.
pub(super) struct EventsOnly;

impl Scope for EventsOnly {
    const HAS_ALL: bool = false;
}

/// All blocks of the stream.
pub(super) struct AllBlocks;

impl Scope for AllBlocks {
    const HAS_ALL: bool = true;
}
