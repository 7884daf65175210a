//! What a channel has.

use crate::stream_position::StreamPosition;

/// What a [`Channel`](crate::Channel) has, for metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// The subscriptions that have not been dropped.
    pub readers: usize,
    /// The events that are kept.
    pub events: usize,
    /// The bytes that are kept, those of transient items included.
    pub bytes: usize,
    /// The position of the oldest event that is kept, if any is.
    pub oldest: Option<StreamPosition>,
    /// The position of the newest event. Its [number](StreamPosition::sequence) is how many events there were.
    pub newest: StreamPosition,
    /// How many gap events readers have got so far.
    pub gaps: u64,
    /// How many readers were ended so far because they were too slow; see [`Lag::End`](crate::Lag::End).
    pub ended: u64,
}
