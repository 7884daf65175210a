//! How the reading of a stream ended.

/// Whether the end of the stream has been seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Reached,
    NotSeen,
}
