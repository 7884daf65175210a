//! What happens to the unfinished end of a stream.

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
