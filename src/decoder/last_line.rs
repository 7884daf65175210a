//! Where a decoder of lines is.

/// The last line that was returned as an event, or as an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastLine {
    /// Its number, counted from 1.
    pub number: u64,
    /// Whether the stream ended before it did.
    pub is_cut: bool,
}
