//! The decoder turns bytes into events, as the standard describes.

mod block_buffers;
mod borrowed_fields;
mod boundary;
mod comment_buffer;
mod data_buffer;
mod decode_error;
mod digits;
mod eof;
mod finished_block;
mod form;
mod input;
mod interpreter;
mod invalid_text;
mod invalid_utf8;
mod last_event_id;
mod lent_buffer;
mod line_check;
mod open_block;
mod open_line;
mod owned_data;
mod position;
mod progress;
mod recent_type;
mod scope;
mod size;
mod text_buffer;
mod utf8;

pub use self::{
    decode_error::DecodeError, eof::Eof, invalid_text::InvalidText, invalid_utf8::InvalidUtf8, position::Position,
};

use self::{
    boundary::Boundary,
    form::AsBorrowed,
    input::Fresh,
    interpreter::{Interpreter, OpenComment},
};
use crate::event::{BlockItem, BlockItemRef, Event, EventRef, InvalidField};
use bytes::Bytes;
use core::{ops::Range, time::Duration};

/// The default limit on an event's size, in bytes.
const DEFAULT_MAX_EVENT_SIZE: usize = 16 * 1024 * 1024;

/// Decodes an event stream, chunk by chunk.
///
/// Use it for your own loop over bytes, in blocking or asynchronous code: it does no I/O and needs no clock. Between
/// chunks it keeps what the standard describes: the buffers for [data, event type and last event ID], and the
/// [reconnection time].
///
/// # Decoding a chunk
///
/// [`decode`](Decoder::decode) consumes its input up to and including the next event. Call it until it returns
/// `Ok(None)`: the input is then used up, and the decoder needs the next chunk. The event borrows from the chunk
/// where possible. Otherwise, for example if it crosses a chunk boundary, it borrows from the decoder:
///
/// ```
/// use eventwire::Decoder;
///
/// let mut decoder = Decoder::new();
/// let mut found = Vec::new();
/// for chunk in [&b"data: one\n\ndata: t"[..], b"wo\nid: 2\n", b"\n"] {
///     let mut input = chunk;
///     while let Some(event) = decoder.decode(&mut input)? {
///         found.push(format!("{}/{}", event.data(), event.id()));
///     }
/// }
/// assert_eq!(found, ["one/", "two/2"]);
/// # Ok::<(), eventwire::DecodeError>(())
/// ```
///
/// A function that *returns* the borrowed event from inside a loop does not compile, because of a limitation of
/// today's borrow checker (error E0499):
///
/// ```compile_fail,E0499
/// # use eventwire::{DecodeError, Decoder, EventRef};
/// fn next<'d>(
///     decoder: &'d mut Decoder,
///     mut chunks: impl Iterator<Item = &'d [u8]>,
/// ) -> Result<Option<EventRef<'d>>, DecodeError> {
///     while let Some(mut input) = chunks.next() {
///         if let Some(event) = decoder.decode(&mut input)? {
///             return Ok(Some(event)); // E0499: borrowed in the next iteration
///         }
///     }
///     Ok(None)
/// }
/// ```
///
/// Either use the event inside the `while let`, as in the first example, or call
/// [`decode_bytes`](Decoder::decode_bytes), which returns owned events:
///
/// ```
/// # use eventwire::{DecodeError, Decoder, Event};
/// # use bytes::Bytes;
/// fn next(
///     decoder: &mut Decoder,
///     input: &mut Bytes,
///     chunks: &mut impl Iterator<Item = Bytes>,
/// ) -> Result<Option<Event>, DecodeError> {
///     loop {
///         if let Some(event) = decoder.decode_bytes(input)? {
///             return Ok(Some(event));
///         }
///         match chunks.next() {
///             Some(chunk) => *input = chunk,
///             None => return decoder.finish(),
///         }
///     }
/// }
/// # let mut chunks = [Bytes::from("data: 1\n"), Bytes::from("\n")].into_iter();
/// # assert_eq!(next(&mut Decoder::new(), &mut Bytes::new(), &mut chunks)?.unwrap().data(), "1");
/// # Ok::<(), DecodeError>(())
/// ```
///
/// # Memory
///
/// An event that is larger than a limit is an error. The limit is 16 MiB by default;
/// [`with_max_event_size`](Decoder::with_max_event_size) sets it, and has a table of the memory that a decoder needs
/// at most. A buffer that has grown beyond 64 KiB for one large event is released after 32 small ones. An owned event
/// with more than 16 KiB of data that was split across chunks shares the data with the decoder until the next block
/// begins. The decoder then takes the memory back if the event has been dropped. If all buffers of an event together
/// exceed the limit, they are released when the next event begins, and are allocated again for the next such event: one
/// close to the limit with a long type or ID, or one of much invalid UTF-8.
///
/// [data, event type and last event ID]: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
/// [reconnection time]: https://html.spec.whatwg.org/multipage/server-sent-events.html#concept-event-stream-reconnection-time
#[derive(Clone, Debug)]
pub struct Decoder {
    interpreter: Interpreter,
    eof: Eof,
}

impl Decoder {
    /// Creates a decoder for the start of a stream, with a limit of 16 MiB, [`Eof::Discard`] and no last event ID.
    #[must_use]
    pub fn new() -> Decoder {
        Decoder { interpreter: Interpreter::new(DEFAULT_MAX_EVENT_SIZE), eof: Eof::default() }
    }

    /// Sets the largest size of an event, in bytes.
    ///
    /// A larger event is reported as one [`DecodeError::EventTooLarge`], in order with the other events. The default
    /// is 16 MiB.
    ///
    /// The size of an event is the total length of its `data`, `event` and `id` lines: field name, colon and value,
    /// plus one byte for each line end. A line without effect counts as well, such as the first of two `event` lines.
    /// `retry` lines, unknown lines and comments do not count. They are not stored either, except comments if you
    /// read [blocks](Decoder::decode_block).
    ///
    /// If you read blocks, the same limit applies to the line of each comment separately. If you do not need the
    /// comments, [`without_comments`](Decoder::without_comments) leaves them out.
    ///
    /// The table shows how much memory a decoder uses at most, for any stream, as a multiple of the limit. Add up to
    /// 4 KiB. While a buffer grows, its old and its new memory both count. An owned event counts until it is returned.
    /// The chunk does not count, nor does an ID that you set with
    /// [`set_last_event_id`](Decoder::set_last_event_id).
    ///
    /// | the stream contains | `decode` | `decode_bytes`, `finish` | `decode_block` | `decode_block_bytes`, `finish_block` |
    /// |---|--:|--:|--:|--:|
    /// | only events of one line of valid data, each contained in one chunk | 0 | 0 | 0 | 0 |
    /// | only valid text, or invalid UTF-8 that is [an error](Decoder::with_invalid_utf8) | 5 | 6 | 6 | 7 |
    /// | anything; U+FFFD, which replaces invalid UTF-8, is three bytes long | 9 | 10 | 11 | 11 |
    ///
    /// A [`Tap`](crate::Tap) uses as much as `decode_block`. If you call methods for events and for
    /// blocks alternately, the maximum is 14 times the limit.
    ///
    /// A lower limit also shortens the longest time that one call can block its thread. Invalid UTF-8 takes longer
    /// than valid text, because all of an event's data is repaired at once when the event ends. If untrusted peers
    /// may send it and other tasks share the thread, set a lower limit, or reject it with
    /// [`with_invalid_utf8`](Decoder::with_invalid_utf8).
    ///
    /// If you change the limit in the middle of an event, it applies from the next byte that counts. If you lower it,
    /// larger buffers are released at once, or when the open event has ended. A longer last event ID stays until the
    /// stream or you set another.
    ///
    /// ```
    /// use eventwire::{DecodeError, Decoder};
    ///
    /// let mut decoder = Decoder::new().with_max_event_size(10);
    /// let mut input = &b"data: 12345\n\ndata: 123\n\n"[..];
    /// assert!(matches!(
    ///     decoder.decode(&mut input),
    ///     Err(DecodeError::EventTooLarge { limit: 10, .. })
    /// ));
    /// assert_eq!(decoder.decode(&mut input)?.unwrap().data(), "123");
    /// # Ok::<(), DecodeError>(())
    /// ```
    #[must_use]
    pub fn with_max_event_size(mut self, bytes: usize) -> Decoder {
        self.set_max_event_size(bytes);
        self
    }

    /// Sets the largest size of an event of a decoder in use; see
    /// [`with_max_event_size`](Decoder::with_max_event_size).
    pub fn set_max_event_size(&mut self, bytes: usize) {
        self.interpreter.set_limit(bytes);
    }

    /// Returns the largest size of an event, in bytes.
    #[must_use]
    pub fn max_event_size(&self) -> usize {
        self.interpreter.limit()
    }

    /// Sets what happens to values that are not valid UTF-8. By default, invalid bytes become U+FFFD, as the
    /// standard requires.
    ///
    /// With [`InvalidUtf8::Stop`], every line is checked, and the first invalid one ends the stream. If a line is open
    /// when you set it, the check begins with the next one.
    ///
    /// With [`InvalidUtf8::Reject`], the decoder checks the values that would take effect: the type, the ID and the
    /// data of each block and, if you read blocks, each comment. It does not check other values, such as the first of
    /// two `event` lines, or an ID with a NUL.
    ///
    /// ```
    /// use eventwire::{DecodeError, Decoder, InvalidUtf8, line::Field};
    ///
    /// let mut decoder = Decoder::new().with_invalid_utf8(InvalidUtf8::Reject);
    /// let mut input = &b"id: 1\ndata: caf\xE9\n\ndata: caf\xC3\xA9\n\n"[..];
    /// match decoder.decode(&mut input) {
    ///     Err(DecodeError::InvalidUtf8(text)) => {
    ///         assert_eq!((text.field(), text.offset()), (Field::Data, 3));
    ///     }
    ///     other => panic!("{other:?}"),
    /// }
    /// assert_eq!(decoder.last_event_id(), ""); // nothing of the block took effect
    /// assert_eq!(decoder.decode(&mut input)?.unwrap().data(), "caf\u{E9}");
    /// # Ok::<(), DecodeError>(())
    /// ```
    #[must_use]
    pub fn with_invalid_utf8(mut self, invalid_utf8: InvalidUtf8) -> Decoder {
        self.interpreter.set_invalid_utf8(invalid_utf8);
        self
    }

    /// Omits comments from what [`decode_block`](Decoder::decode_block) and the other methods for blocks return. They
    /// are then skipped as by [`decode`](Decoder::decode): nothing of them is stored, and none is too large.
    ///
    /// ```
    /// let mut decoder = eventwire::Decoder::new().without_comments();
    /// let item = decoder.decode_block(&mut &b": hello\n\ndata: a\n\n"[..])?.unwrap();
    /// assert_eq!(item.event().unwrap().data(), "a");
    /// # Ok::<(), eventwire::DecodeError>(())
    /// ```
    #[must_use]
    pub fn without_comments(mut self) -> Decoder {
        self.interpreter.skip_comments();
        self
    }

    /// Sets what [`finish`](Decoder::finish) does with an unfinished event. By default, it is discarded.
    #[must_use]
    pub fn with_eof(mut self, eof: Eof) -> Decoder {
        self.eof = eof;
        self
    }

    /// Returns what [`finish`](Decoder::finish) does with an unfinished event.
    #[must_use]
    pub const fn eof(&self) -> Eof {
        self.eof
    }

    /// Sets the last event ID, for example the one of an earlier connection.
    ///
    /// Events have this ID until the stream sets another. `""` means no ID.
    ///
    /// # Errors
    ///
    /// [`InvalidField`] if `id` contains a CR, an LF or a NUL: no stream can set such an ID.
    ///
    /// ```
    /// # use eventwire::Decoder;
    /// let mut decoder = Decoder::new().with_last_event_id("41")?;
    /// let mut input = &b"data: a\n\nid: 42\ndata: b\n\n"[..];
    /// assert_eq!(decoder.decode(&mut input)?.unwrap().id(), "41");
    /// assert_eq!(decoder.decode(&mut input)?.unwrap().id(), "42");
    /// assert_eq!(decoder.last_event_id(), "42");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_last_event_id(mut self, id: &str) -> Result<Decoder, InvalidField> {
        self.set_last_event_id(id)?;
        Ok(self)
    }

    /// Sets the last event ID of a decoder in use; see [`with_last_event_id`](Decoder::with_last_event_id).
    ///
    /// The event that is being read gets this ID as well, unless its block sets another.
    ///
    /// # Errors
    ///
    /// [`InvalidField`] if `id` contains a CR, an LF or a NUL. The ID is then unchanged.
    ///
    /// ```
    /// let mut decoder = eventwire::Decoder::new();
    /// decoder.set_last_event_id("41")?;
    /// assert_eq!(decoder.last_event_id(), "41");
    /// assert!(decoder.set_last_event_id("4\n2").is_err());
    /// assert_eq!(decoder.last_event_id(), "41");
    /// # Ok::<(), eventwire::InvalidField>(())
    /// ```
    pub fn set_last_event_id(&mut self, id: &str) -> Result<(), InvalidField> {
        EventRef::new("").with_id(id)?;
        self.interpreter.replace_last_event_id(Some(id).filter(|id| !id.is_empty()));
        Ok(())
    }

    /// Decodes the next event, consuming `input` up to and including that event.
    ///
    /// The event borrows from the input or the decoder. `Ok(None)` means that `input` is used up. An event is
    /// returned at the byte that completes it. If that byte is a CR and an LF follows, the LF stays in the input, and
    /// the next call skips it. Nothing is allocated once the decoder's buffers have grown, except for events whose
    /// buffers together [exceed the limit](Decoder#memory).
    ///
    /// # Errors
    ///
    /// * [`DecodeError::EventTooLarge`], once for each event larger than the limit, in order with the other events.
    /// * [`DecodeError::InvalidUtf8`], if [`InvalidUtf8::Reject`] or [`InvalidUtf8::Stop`] is set.
    ///
    /// To continue after an error, call again: the rest of the rejected event is skipped. With [`InvalidUtf8::Stop`],
    /// the decoder has [ended](Position::Ended): it returns `Ok(None)` until `finish` or `reset`.
    ///
    /// ```
    /// use eventwire::Decoder;
    ///
    /// let mut decoder = Decoder::new();
    /// let mut input = &b"data: 1\n\ndata: 2\n\ndata: 3"[..];
    /// assert_eq!(decoder.decode(&mut input)?.unwrap().data(), "1");
    /// assert_eq!(decoder.decode(&mut input)?.unwrap().data(), "2");
    /// assert_eq!(decoder.decode(&mut input)?, None); // the third event is not complete
    /// assert!(input.is_empty());
    /// # Ok::<(), eventwire::DecodeError>(())
    /// ```
    #[inline]
    pub fn decode<'d, 'c: 'd>(&'d mut self, input: &mut &'c [u8]) -> Result<Option<EventRef<'d>>, DecodeError> {
        self.interpreter.decode(input)
    }

    /// Decodes the next event and returns it owned, consuming `input` up to and including that event.
    ///
    /// It returns the same events as [`decode`](Decoder::decode). Data, a type or an ID of up to 23 bytes is stored
    /// in the event itself. Longer data shares the chunk's memory if the event has a single, valid data line that is
    /// contained in one chunk; otherwise it is allocated. A longer type or ID is allocated, unless the event before
    /// had the same. (If the `Bytes` was created from a `Vec`, its first slice allocates a reference counter, once
    /// per chunk.)
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Decoder::decode).
    ///
    /// ```
    /// # use bytes::Bytes;
    /// let mut decoder = eventwire::Decoder::new();
    /// let mut input = Bytes::from("data: {\"n\":1}\n\ndata: [DO");
    /// let event = decoder.decode_bytes(&mut input)?.unwrap();
    /// assert_eq!(decoder.decode_bytes(&mut input)?, None);
    /// assert!(input.is_empty() && event.data() == "{\"n\":1}");
    /// # Ok::<(), eventwire::DecodeError>(())
    /// ```
    #[inline]
    pub fn decode_bytes(&mut self, input: &mut Bytes) -> Result<Option<Event>, DecodeError> {
        self.decode_bytes_as(input, |outcome| outcome)
    }

    /// The same as [`decode_bytes`](Decoder::decode_bytes), inlined, for adapters with another return type. The
    /// event is created as that type, because moving it there would take as long as decoding it.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) fn decode_bytes_as<T>(
        &mut self,
        input: &mut Bytes,
        returned: impl Fn(Result<Option<Event>, DecodeError>) -> T,
    ) -> T {
        self.interpreter.decode_bytes(input, returned)
    }

    /// The same for a chunk that has just arrived from its source. Its rest, if any, is stored in `rest`.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) fn decode_chunk_as<T>(
        &mut self,
        chunk: Bytes,
        rest: &mut Bytes,
        returned: impl Fn(Result<Option<Event>, DecodeError>) -> T,
    ) -> T {
        self.interpreter.decode_bytes(Fresh { chunk, rest }, returned)
    }

    /// Decodes the next block or comment, consuming `input` up to and including it.
    ///
    /// * A [block](crate::Block) is returned at its blank line, with all of its fields. A block without a field that
    ///   has an effect, such as one of unknown fields only, is skipped.
    /// * A comment is returned at the end of its line, even between the lines of a block.
    ///   [`without_comments`](Decoder::without_comments) omits comments.
    ///
    /// Call this method until it returns `Ok(None)`, even if `input` is already empty: after an
    /// [event that is too large](DecodeError::EventTooLarge), its `retry` is returned as a block of its own if the line
    /// of the `retry` was complete before. `Ok(None)` means that the decoder needs the next chunk. At the end of the
    /// stream, call [`finish_block`](Decoder::finish_block).
    ///
    /// The events of the blocks are those of [`decode`](Decoder::decode). Nothing is allocated once the decoder's
    /// buffers have grown, except for blocks whose buffers together [exceed the limit](Decoder#memory).
    ///
    /// ```
    /// use eventwire::{BlockItemRef, Decoder};
    /// use std::time::Duration;
    ///
    /// let mut decoder = Decoder::new();
    /// let mut input = &b": welcome\nretry: 3000\nid: 7\n\nevent: message\ndata: a\n\n"[..];
    ///
    /// assert_eq!(decoder.decode_block(&mut input)?, Some(BlockItemRef::Comment("welcome")));
    /// let Some(BlockItemRef::Block(block)) = decoder.decode_block(&mut input)? else {
    ///     panic!()
    /// };
    /// assert_eq!((block.id(), block.retry()), (Some("7"), Some(Duration::from_secs(3))));
    /// assert_eq!(block.event(), None);
    /// let Some(BlockItemRef::Block(block)) = decoder.decode_block(&mut input)? else {
    ///     panic!()
    /// };
    /// assert_eq!(
    ///     (block.event_type(), block.data(), block.id()),
    ///     (Some("message"), Some("a"), None)
    /// );
    /// assert_eq!(block.event().unwrap().id(), "7");
    /// # Ok::<(), eventwire::DecodeError>(())
    /// ```
    ///
    /// You can call this method and [`decode`](Decoder::decode) alternately; `decode` skips all blocks but events.
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Decoder::decode), and [`DecodeError::CommentTooLarge`] for a comment that is larger than
    /// [the limit](Decoder::with_max_event_size). If the comment is between the lines of an event, the event is not
    /// affected.
    #[inline]
    pub fn decode_block<'d, 'c: 'd>(
        &'d mut self,
        input: &mut &'c [u8],
    ) -> Result<Option<BlockItemRef<'d>>, DecodeError> {
        self.interpreter.decode_block(input, AsBorrowed)
    }

    /// Decodes up to the next boundary, and consumes `input` up to there.
    ///
    /// It does the same as [`decode_block`](Decoder::decode_block), but also returns at every other blank line. All
    /// lines of a block count towards the limit, except comments. The bytes that calls consume are:
    ///
    /// * the LF that belongs to the CR before it, if the last call ended between the two,
    /// * then the lines of the open block, including an LF after each CR,
    /// * then the boundary: one comment, or one blank line. If it ends with a CR, an LF stays in the input.
    ///
    /// If `input` is used up first, or the line begins at which the block is too large, these end the bytes instead.
    /// A comment that is too large is consumed as far as `input` contains it, and its rest, if any, is followed by a
    /// [`Boundary::Comment`].
    #[inline]
    pub(crate) fn decode_boundary<'d, 'c: 'd>(
        &'d mut self,
        input: &mut &'c [u8],
    ) -> Result<Option<Boundary<'d>>, DecodeError> {
        self.interpreter.decode_boundary(input)
    }

    /// Decodes plain blocks and comments from boundary to boundary: calls `each` with every one and its place in
    /// `input`, up to the first for which it returns `false`, or that [`decode_boundary`](Decoder::decode_boundary) has
    /// to read. Consumes them, and the blank lines between them.
    #[inline]
    pub(crate) fn decode_plain(&mut self, input: &mut &[u8], each: impl FnMut(Range<usize>, BlockItemRef<'_>) -> bool) {
        self.interpreter.decode_plain(input, each);
    }

    /// Returns the comment inside which the bytes so far end, if any.
    #[inline]
    pub(crate) fn open_comment(&self) -> Option<OpenComment> {
        self.interpreter.open_comment()
    }

    /// Does the same as [`finish_block`](Decoder::finish_block) after [`decode_boundary`](Decoder::decode_boundary).
    pub(crate) fn finish_boundary(&mut self) -> Result<Option<BlockItem>, DecodeError> {
        self.interpreter.finish_boundary(self.eof)
    }

    /// Decodes a complete chunk: calls `each` with every item in it, in order, and with every error.
    #[inline]
    pub(crate) fn decode_chunk(&mut self, chunk: &[u8], each: impl FnMut(Result<BlockItemRef<'_>, DecodeError>)) {
        self.interpreter.decode_chunk(chunk, each);
    }

    /// Decodes the next block or comment and returns it owned, consuming `input` up to and including it.
    ///
    /// It returns the same items as [`decode_block`](Decoder::decode_block).
    /// [`decode_bytes`](Decoder::decode_bytes) describes which memory data shares with its chunk.
    ///
    /// # Errors
    ///
    /// Those of [`decode_block`](Decoder::decode_block).
    ///
    /// ```
    /// use bytes::Bytes;
    /// use eventwire::{Block, BlockItem, Comment, Decoder, Event};
    ///
    /// let mut decoder = Decoder::new();
    /// let mut input = Bytes::from(": hello\n\ndata: a\n\n");
    /// assert_eq!(
    ///     decoder.decode_block_bytes(&mut input)?,
    ///     Some(BlockItem::Comment(Comment::new("hello")))
    /// );
    /// assert_eq!(
    ///     decoder.decode_block_bytes(&mut input)?,
    ///     Some(BlockItem::Block(Block::from(Event::new("a"))))
    /// );
    /// assert_eq!(decoder.decode_block_bytes(&mut input)?, None);
    /// # Ok::<(), eventwire::DecodeError>(())
    /// ```
    pub fn decode_block_bytes(&mut self, input: &mut Bytes) -> Result<Option<BlockItem>, DecodeError> {
        self.interpreter.decode_block_bytes(input)
    }

    /// Ends the stream and makes the decoder ready for the next stream of the same source.
    ///
    /// [`Eof`] sets what happens to an unfinished event. The last event ID and the reconnection time are kept. The
    /// next stream may begin with a byte order mark again.
    ///
    /// # Errors
    ///
    /// * With [`Eof::Error`]: [`DecodeError::Truncated`], if the stream ended inside an event or a line. An
    ///   unfinished comment is not an error.
    /// * With [`Eof::Dispatch`]: the errors of [`decode`](Decoder::decode). An unfinished line without a colon, such
    ///   as `data`, counts only now, so with a limit of a few bytes it can exceed the limit here.
    ///
    /// An event that has already been reported as too large is not reported again.
    ///
    /// ```
    /// use eventwire::{DecodeError, Decoder, Eof};
    ///
    /// let mut decoder = Decoder::new().with_eof(Eof::Error);
    /// assert_eq!(decoder.decode(&mut &b"data: cut o"[..])?, None);
    /// assert_eq!(decoder.finish(), Err(DecodeError::Truncated));
    ///
    /// let mut decoder = Decoder::new().with_eof(Eof::Dispatch);
    /// assert_eq!(decoder.decode(&mut &b"data: the last"[..])?, None);
    /// assert_eq!(decoder.finish()?.unwrap().data(), "the last");
    /// # Ok::<(), DecodeError>(())
    /// ```
    pub fn finish(&mut self) -> Result<Option<Event>, DecodeError> {
        self.interpreter.finish(self.eof)
    }

    /// Ends the stream and returns what is left of it, one item per call.
    ///
    /// Call it until it returns `Ok(None)`: nothing is then left, and the decoder is ready for the next stream of the
    /// same source. [`Eof`](super::Eof) sets what happens to an unfinished block, as with [`finish`](Decoder::finish).
    /// With `Eof::Dispatch`, an unfinished comment is returned as well. Otherwise an unfinished block is not returned,
    /// but its `retry` stays in [effect](Decoder::reconnection_time) if its line is complete.
    ///
    /// # Errors
    ///
    /// Those of [`finish`](Decoder::finish) and of [`decode_block`](Decoder::decode_block). To go on, call again.
    ///
    /// ```
    /// use eventwire::{Decoder, Eof};
    ///
    /// let mut decoder = Decoder::new().with_eof(Eof::Dispatch);
    /// assert_eq!(decoder.decode_block(&mut &b"id: 7\nevent: end"[..])?, None);
    /// let last = decoder.finish_block()?.unwrap();
    /// assert!(matches!(last, eventwire::BlockItem::Block(block) if block.id() == Some("7")));
    /// assert_eq!(decoder.finish_block()?, None);
    /// # Ok::<(), eventwire::DecodeError>(())
    /// ```
    pub fn finish_block(&mut self) -> Result<Option<BlockItem>, DecodeError> {
        self.interpreter.finish_block(self.eof)
    }

    /// Drops an unfinished event and makes the decoder ready for the next stream of the same source.
    ///
    /// Call it when a connection fails. Call [`finish`](Decoder::finish) when it ends normally. The difference
    /// matters with [`Eof::Dispatch`] and [`Eof::Error`]: `reset` neither dispatches nor reports the unfinished
    /// event, and the event's ID does not become the last event ID.
    ///
    /// The settings are kept, and so are the last event ID and the reconnection time of earlier blocks. A `retry` of
    /// the unfinished event is kept if its line is complete. The next stream may begin with a byte order mark again.
    ///
    /// ```
    /// use eventwire::{Decoder, Eof};
    ///
    /// let mut decoder = Decoder::new().with_eof(Eof::Dispatch).with_last_event_id("41")?;
    /// assert_eq!(decoder.decode(&mut &b"id: 42\ndata: cut o"[..])?, None);
    /// decoder.reset(); // the connection was lost
    /// assert_eq!(decoder.finish()?, None);
    /// assert_eq!(decoder.last_event_id(), "41");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reset(&mut self) {
        self.interpreter.reset();
    }

    /// Returns where the bytes so far end: between two blocks, inside a comment, inside a block, or at the end.
    ///
    /// If the stream ends [within a block](Position::WithinBlock), it is truncated: [`Eof::Error`] reports that, except
    /// inside a block that is [too large](DecodeError::EventTooLarge), which has already been reported.
    ///
    /// ```
    /// use eventwire::{Decoder, Position};
    ///
    /// let mut decoder = Decoder::new();
    /// decoder.decode(&mut &b"data: Hel"[..])?;
    /// assert_eq!(decoder.position(), Position::WithinBlock);
    /// decoder.decode(&mut &b"lo\n\n: pi"[..])?;
    /// decoder.decode(&mut &b": pi"[..])?;
    /// assert_eq!(decoder.position(), Position::WithinComment);
    /// decoder.decode(&mut &b"ng\n"[..])?;
    /// assert_eq!(decoder.position(), Position::BetweenBlocks);
    /// # Ok::<(), eventwire::DecodeError>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn position(&self) -> Position {
        self.interpreter.position()
    }

    /// Returns what has arrived of the data of the event that is being read. It is empty between two events.
    ///
    /// At the end of a stream, before [`finish`](Decoder::finish), it shows what is lost: a server may have omitted the
    /// last blank line.
    ///
    /// ```
    /// let mut decoder = eventwire::Decoder::new();
    /// decoder.decode(&mut &b"data: 1\n\n"[..])?.unwrap();
    /// assert_eq!(decoder.unfinished_data(), b"");
    /// assert_eq!(decoder.decode(&mut &b"data: [DONE]\n"[..])?, None);
    /// assert_eq!(decoder.unfinished_data(), b"[DONE]");
    /// assert_eq!(decoder.finish()?, None);
    /// # Ok::<(), eventwire::DecodeError>(())
    /// ```
    #[must_use]
    pub fn unfinished_data(&self) -> &[u8] {
        self.interpreter.unfinished_data()
    }

    /// Whether the decoder has [ended](Position::Ended). Inlined, because adapters ask before each chunk.
    #[inline(always)]
    pub(crate) fn has_ended(&self) -> bool {
        self.interpreter.has_ended()
    }

    /// Returns how many bytes of the stream have been consumed, with the byte order mark.
    ///
    /// After an event or a block has been returned, this is the place in the stream where it ended, without the LF
    /// after a CR. [`finish`](Decoder::finish) and [`reset`](Decoder::reset) begin again at 0, also at the end of an
    /// adapter's source. Bytes that are skipped after an error of [`InvalidUtf8::Stop`] count as well.
    ///
    /// ```
    /// let mut decoder = eventwire::Decoder::new();
    /// let mut input = &b"data: 1\n\ndata: 2\n\n"[..];
    /// decoder.decode(&mut input)?;
    /// assert_eq!(decoder.bytes_read(), 9);
    /// decoder.decode(&mut input)?;
    /// assert_eq!(decoder.bytes_read(), 18);
    /// # Ok::<(), eventwire::DecodeError>(())
    /// ```
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.interpreter.bytes_read()
    }

    /// Returns the last event ID, which a client sends as `Last-Event-ID` when it reconnects, or `""` if there is
    /// none.
    ///
    /// An ID takes effect at the blank line that ends its block, whether the block has data or not.
    #[inline]
    #[must_use]
    pub fn last_event_id(&self) -> &str {
        self.interpreter.last_event_id()
    }

    /// Returns the reconnection time that the stream has set: its last valid `retry`.
    ///
    /// A `retry` takes effect as soon as its line is complete. Exception: a block that is rejected for
    /// invalid UTF-8 by [`InvalidUtf8::Reject`] has no effect, so its `retry` is undone.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let mut decoder = eventwire::Decoder::new();
    /// decoder.decode(&mut &b"retry: 3000\n"[..])?;
    /// assert_eq!(decoder.reconnection_time(), Some(Duration::from_secs(3)));
    /// # Ok::<(), eventwire::DecodeError>(())
    /// ```
    #[must_use]
    pub fn reconnection_time(&self) -> Option<Duration> {
        self.interpreter.reconnection_time()
    }
}

impl Default for Decoder {
    fn default() -> Decoder {
        Decoder::new()
    }
}
