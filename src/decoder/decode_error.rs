//! What may go wrong in decoding.

/// Why the bytes did not become an event.
///
/// No input is malformed: these two come from a limit and from [`Eof::Error`](super::Eof::Error) only. Decoding goes on after both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The event's data, event and id lines have more bytes than the limit.
    ///
    /// Reported once, at the first byte beyond it. The rest of the block is passed over and nothing of it takes hold, its ID
    /// least of all; the next event comes out as ever.
    #[error("the event is larger than the limit of {limit} bytes")]
    #[non_exhaustive]
    EventTooLarge {
        /// The limit, in bytes.
        limit: usize,
    },
    /// The stream ended inside an event or a line.
    #[error("the stream ended in the middle of an event")]
    UnexpectedEof,
}
