//! Where in a stream the bytes so far end.

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
    /// At the end: the decoder returns nothing more, because of [`InvalidUtf8::Stop`](super::InvalidUtf8::Stop).
    Ended,
}
