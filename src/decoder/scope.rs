//! What the caller of the decoder wants of a stream.

/// Chosen at compile time, so that whoever reads events only pays nothing for the rest.
pub(super) trait Scope {
    /// Whether comments and blocks without data come out, too.
    const HAS_ALL: bool;
}

/// Events only.
pub(super) struct EventsOnly;

impl Scope for EventsOnly {
    const HAS_ALL: bool = false;
}

/// All that the stream says.
pub(super) struct AllBlocks;

impl Scope for AllBlocks {
    const HAS_ALL: bool = true;
}
