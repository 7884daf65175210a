//! Whether a caller of the decoder reads events or all blocks.

/// Chosen at compile time, so that callers who read only events do not pay for comments.
pub(super) trait Scope {
    /// Whether comments and blocks without data are returned.
    const HAS_ALL: bool;
    /// Whether every blank line is returned, and all lines but comments count towards the limit.
    const HAS_BOUNDARIES: bool = false;
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

/// All boundaries between blocks and comments.
pub(super) struct Boundaries;

impl Scope for Boundaries {
    const HAS_ALL: bool = true;
    const HAS_BOUNDARIES: bool = true;
}
