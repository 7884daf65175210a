//! Where a stream ends, and what happens to its unfinished end.

/// What [`Decoder::finish`](super::Decoder::finish) does with an event that is unfinished when the stream ends; set
/// by [`with_eof`](super::Decoder::with_eof).
///
/// [`finish_block`](super::Decoder::finish_block) and all adapters use the setting as well. To set it for an adapter,
/// configure a decoder and pass it to [`Events::with_decoder`](crate::Events::with_decoder).
///
/// ```
/// use eventwire::{DecodeError, Decoder, Eof};
///
/// let finish = |eof| {
///     let mut decoder = Decoder::new().with_eof(eof);
///     decoder.decode(&mut &b"data: 1"[..])?;
///     decoder.finish()
/// };
/// assert_eq!(finish(Eof::Discard), Ok(None));
/// assert_eq!(finish(Eof::Dispatch)?.unwrap().data(), "1");
/// assert_eq!(finish(Eof::Error), Err(DecodeError::Truncated));
/// # Ok::<(), DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Eof {
    /// The event is discarded, as [the standard
    /// requires](https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation).
    #[default]
    Discard,
    /// The event is dispatched, as if its last line had ended and a blank line had followed. Use it for servers that
    /// omit the last blank line.
    Dispatch,
    /// The event is discarded and reported as [`DecodeError::Truncated`](super::DecodeError::Truncated), so
    /// that a truncated stream is not mistaken for a complete one. An unfinished line outside an event is reported as
    /// well, unless it is a comment.
    Error,
}

/// Where the bytes that a decoder has read so far end; [`Decoder::position`](super::Decoder::position) returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Position {
    /// Between two blocks: at the start of a line, with no `data`, `event` or `id` line pending.
    ///
    /// The stream can end here, and a comment can be inserted. A `retry` line or an unknown one may be pending: an
    /// inserted block would take it over.
    BetweenBlocks,
    /// Inside a comment between two blocks. A stream that ends here is not truncated.
    WithinComment,
    /// Inside a block, or inside any line that is not a comment. A stream that ends here is truncated.
    WithinBlock,
    /// At the end: the decoder returns nothing more, because of [`Utf8Policy::Stop`](super::Utf8Policy::Stop).
    Ended,
}
