//! What becomes of the unfinished end of a stream.

/// What [`Decoder::finish`](super::Decoder::finish) does with what is unfinished when the stream ends.
///
/// [`finish_block`](super::Decoder::finish_block) and all adapters do the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Eof {
    /// It is discarded: the [standard's rule](https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation).
    #[default]
    Discard,
    /// It is dispatched, as if the unfinished line had ended and a blank line had followed. For servers that leave
    /// out the last blank line.
    Dispatch,
    /// It is discarded and reported as [`DecodeError::UnexpectedEof`](super::DecodeError::UnexpectedEof), so that a stream that was cut off does not pass for
    /// one that ended. An unfinished comment is not reported.
    Error,
}
