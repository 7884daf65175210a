//! What may go wrong in decoding.

/// Why the bytes did not become an event.
///
/// No input is malformed: these two come from a limit and from [`Eof::Error`](super::Eof::Error) only. Decoding goes on after both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The event's data, event and id lines have more bytes than the limit.
    ///
    /// Reported once, in the event's place among the results. The rest of the block is skipped and nothing of it takes effect, neither
    /// its ID nor its type. The events after it follow as usual.
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
