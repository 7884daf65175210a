//! How far the lines of a chunk have led.

/// What is there after lines have been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// An event, whose values are borrowed or in the buffers.
    Event,
    /// The end of the chunk.
    NeedsMore,
    /// A block that is larger than the limit.
    TooLarge,
}
