//! The decoder: bytes become events and blocks, borrowed or owned. What the bytes mean is read in
//! [`reader`](Reader).

mod buffer;
mod end;
mod error;
#[cfg(feature = "json")]
mod last_line;
#[cfg(feature = "json")]
mod line_decoder;
mod open_block;
mod reader;
mod utf8;

pub use self::{
    end::{Eof, Position},
    error::DecodeError,
    utf8::{InvalidUtf8, Utf8Policy},
};

#[cfg(feature = "json")]
pub(crate) use self::{last_line::LastLine, line_decoder::LineDecoder};

use self::{
    open_block::{BlockState, Fields},
    reader::{Crosses, Found, Reader, Reads, Stored},
    utf8::repaired,
};
use crate::event::{
    Block, BlockItem, BlockItemRef, BlockRef, Comment, Data, Event, EventRef, InvalidField, Label, LastEventId,
};
use crate::line::Field;
use bytes::{Buf, Bytes};
use bytestring::ByteString;
use core::{mem, ops::Range, time::Duration};

/// The default limit on an event's size, in bytes.
const DEFAULT_MAX_EVENT_SIZE: usize = 16 * 1024 * 1024;

/// Decodes an event stream, chunk by chunk.
///
/// Use it for your own loop over bytes, in blocking or asynchronous code: it does no I/O and needs no clock. For a
/// reader, a stream or a body, [`Events`](crate::Events) has this loop. Between chunks it keeps what the standard
/// describes: the buffers for [data, event type and last event ID], and the [reconnection time].
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
///         found.push(format!("{}/{}", event.data(), event.last_event_id()));
///     }
/// }
/// assert_eq!(found, ["one/", "two/2"]);
/// # Ok::<(), eventwire::DecodeError>(())
/// ```
///
/// When the stream has ended, call [`finish`](Decoder::finish). An event without its blank line is incomplete, and
/// [`Eof`] says what becomes of it. After an error, call `decode` again: it goes on with the rest of the input, except
/// with [`Utf8Policy::Stop`]. [`decode_block`](Decoder::decode_block) also returns comments and blocks without data,
/// and [`ignored`](Decoder::ignored) has what a service wrote that is no field at all.
///
/// # Returning an event
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
/// at most.
///
/// Buffers are kept, so [`decode`](Decoder::decode) and [`decode_block`](Decoder::decode_block) allocate nothing once
/// they have grown. What is too large to be kept is released, and allocated again when it is needed:
///
/// * a buffer that has grown beyond 64 KiB for one large event, after 32 small ones;
/// * all buffers of an event that together exceed the limit, when the next event begins: those of one close to the
///   limit with a long type or ID, or of one with much invalid UTF-8;
/// * the memory of a type, an ID or a comment of more than 1 KiB that crosses chunks, or of such a comment that is not
///   UTF-8;
/// * a last event ID of more than 1 KiB, when one of less than a quarter of its length follows.
///
/// [data, event type and last event ID]: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
/// [reconnection time]: https://html.spec.whatwg.org/multipage/server-sent-events.html#concept-event-stream-reconnection-time
#[derive(Clone, Debug)]
pub struct Decoder {
    reader: Reader,
    reads_comments: bool,
    eof: Eof,
}

impl Decoder {
    /// Creates a decoder for the start of a stream, with a limit of 16 MiB, [`Eof::Discard`] and no last event ID.
    #[must_use]
    pub fn new() -> Decoder {
        let decoder = Decoder { reader: Reader::default(), reads_comments: true, eof: Eof::default() };
        decoder.with_max_event_size(DEFAULT_MAX_EVENT_SIZE)
    }

    /// Sets the largest size of an event, in bytes.
    ///
    /// A larger event is reported as one [`DecodeError::EventTooLarge`], in order with the other events. The default
    /// is 16 MiB.
    ///
    /// The size of an event is the total length of its `data`, `event` and `id` lines: field name, colon and value,
    /// plus one byte for each line end. A line without effect counts as well, such as the first of two `event` lines.
    /// `retry` lines, unknown lines and comments do not count. They are not stored either, except comments if you
    /// read [blocks](Decoder::decode_block), and the first 1 KiB of [what is ignored](Decoder::ignored).
    ///
    /// If you read [JSON lines](crate::Events::json_lines), it is the length of the longest line.
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
    /// | only valid text, or invalid UTF-8 that is [an error](Decoder::with_utf8_policy) | 5 | 6 | 6 | 6 |
    /// | anything; U+FFFD, which replaces invalid UTF-8, is three bytes long | 9 | 10 | 10 | 10 |
    ///
    /// A [`Tap`](crate::Tap) uses as much as `decode_block`.
    ///
    /// A lower limit also shortens the longest time that one call can block its thread. Invalid UTF-8 takes longer
    /// than valid text, because all of an event's data is repaired at once when the event ends. If untrusted peers
    /// may send it and other tasks share the thread, set a lower limit, or end the stream at it with
    /// [`with_utf8_policy`](Decoder::with_utf8_policy).
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
        self.reader.set_limit(bytes);
        self
    }

    /// Sets what happens to bytes that are not valid UTF-8. By default, they become U+FFFD, as the standard requires.
    ///
    /// With [`Utf8Policy::Stop`], every line is checked, and the first invalid one ends the stream. If a line is open
    /// when you set it, the check begins with the next one.
    ///
    /// ```
    /// use eventwire::{DecodeError, Decoder, Utf8Policy, line::Field};
    ///
    /// let mut decoder = Decoder::new().with_utf8_policy(Utf8Policy::Stop);
    /// let mut input = &b"data: a\n\ndata: caf\xE9\n\n"[..];
    /// assert_eq!(decoder.decode(&mut input)?.unwrap().data(), "a");
    /// match decoder.decode(&mut input) {
    ///     Err(DecodeError::InvalidUtf8(line)) => {
    ///         assert_eq!((line.field(), line.offset()), (Field::Data, 9));
    ///     }
    ///     other => panic!("{other:?}"),
    /// }
    /// # Ok::<(), DecodeError>(())
    /// ```
    #[must_use]
    pub fn with_utf8_policy(mut self, policy: Utf8Policy) -> Decoder {
        self.reader.set_check(policy == Utf8Policy::Stop);
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
        self.reads_comments = false;
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
    /// assert_eq!(decoder.decode(&mut input)?.unwrap().last_event_id(), "41");
    /// assert_eq!(decoder.decode(&mut input)?.unwrap().last_event_id(), "42");
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
        match id {
            "" => self.reader.last_event_id = None,
            id => self.reader.last_event_id.get_or_insert_default().set(id),
        }
        Ok(())
    }

    /// Decodes the next event, consuming `input` up to and including that event.
    ///
    /// The event borrows from the input or the decoder. `Ok(None)` means that `input` is used up. An event is
    /// returned at the byte that completes it. If that byte is a CR and an LF follows, the LF stays in the input, and
    /// the next call skips it. Nothing is allocated once the decoder's buffers have grown, unless something is [too
    /// large to be kept](Decoder#memory).
    ///
    /// # Errors
    ///
    /// * [`DecodeError::EventTooLarge`], once for each event larger than the limit, in order with the other events.
    /// * [`DecodeError::InvalidUtf8`], if [`Utf8Policy::Stop`] is set.
    ///
    /// To continue after an error, call again: the rest of the event is skipped. With [`Utf8Policy::Stop`],
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
        let (found, rest) = self.reader.read(input, Reads::Events);
        *input = rest;
        let fields = match found {
            Found::Data(data) => Fields { data: Some(data), ..Fields::default() },
            Found::Block(fields) => fields,
            Found::Stored(Stored::Block) => self.reader.block.fields(),
            Found::Stored(Stored::Error(error)) => return Err(error),
            _ => return Ok(None),
        };
        let (event_type, data) = (fields.event_type.unwrap_or_default(), fields.data.unwrap_or_default());
        let id = self.reader.last_event_id.as_ref().map(LastEventId::as_str);
        Ok(Some(EventRef::decoded(event_type, data, id, fields.retry)))
    }

    /// Decodes the next event and returns it owned, consuming `input` up to and including that event.
    ///
    /// It returns the same events as [`decode`](Decoder::decode). Data, a type or an ID of up to 23 bytes is stored in
    /// the event itself. Longer data shares the chunk's memory if the event is contained in one chunk and has a single,
    /// valid data line and no `retry`; otherwise it is allocated. A longer type is allocated, and so is a longer ID,
    /// once for all events that inherit it. Two exceptions: data is also allocated if a part of a block without data
    /// comes before it in its chunk that had to be stored, such as a `retry`, and while the decoder has
    /// [buffers](Decoder#memory) of more than 64 KiB; and if the `Bytes` was created from a `Vec`, its first slice
    /// allocates a reference counter, once per chunk.
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
        self.next_event(input)
    }

    /// The same, inlined into the loop of an adapter, so that the event is not moved: as a call, it costs a stream 15 %
    /// of its time. It is large, so a program should have few of them.
    #[inline(always)]
    pub(crate) fn next_event(&mut self, input: &mut Bytes) -> Result<Option<Event>, DecodeError> {
        let (found, rest) = self.reader.read(input, Reads::Events);
        let at = input.len() - rest.len();
        let fields = match found {
            Found::Data(data) => {
                let data = OwnedData::new(data, input).take(input, at);
                return Ok(Some(Event::decoded(None, data, self.own_id(), None)));
            }
            Found::Block(fields) => fields,
            Found::Stored(stored) => {
                pass(input, at);
                return self.own_event(stored);
            }
            Found::Comment(_) => return Ok(None),
        };
        let event_type = fields.event_type.filter(|text| is_named(text)).map(Label::from_text);
        let (id, retry) = (self.own_id(), fields.retry);
        let data = OwnedData::new(fields.data.unwrap_or_default(), input).take(input, at);
        Ok(Some(Event::decoded(event_type, data, id, retry)))
    }

    /// Decodes the next block or comment, consuming `input` up to and including it.
    ///
    /// * A [block](crate::Block) is returned at its blank line, with all of its fields. A block without a field that
    ///   has an effect, such as one of unknown fields only, is skipped.
    /// * A comment is returned at the end of its line, even between the lines of a block, unless
    ///   [`decode`](Decoder::decode) has read a part of it. [`without_comments`](Decoder::without_comments) omits
    ///   comments.
    ///
    /// Call this method until it returns `Ok(None)`, even if `input` is already empty: after an
    /// [event that is too large](DecodeError::EventTooLarge), its `retry` is returned as a block of its own if the line
    /// of the `retry` was complete before. `Ok(None)` means that the decoder needs the next chunk. At the end of the
    /// stream, call [`finish_block`](Decoder::finish_block).
    ///
    /// The events of the blocks are those of [`decode`](Decoder::decode). Nothing is allocated once the decoder's
    /// buffers have grown, unless something is [too large to be kept](Decoder#memory).
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
    /// assert_eq!(block.event().unwrap().last_event_id(), "7");
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
        self.next_item(input)
    }

    /// The same, inlined into the loop of a `Tap`; see [`next_event`](Decoder::next_event).
    #[inline(always)]
    pub(crate) fn next_item<'d, 'c: 'd>(
        &'d mut self,
        input: &mut &'c [u8],
    ) -> Result<Option<BlockItemRef<'d>>, DecodeError> {
        let (found, rest) = self.reader.read(input, self.reads_blocks());
        *input = rest;
        let fields = match found {
            Found::Data(data) => Fields { data: Some(data), ..Fields::default() },
            Found::Block(fields) => fields,
            Found::Comment(text) => return Ok(Some(BlockItemRef::Comment(text))),
            Found::Stored(Stored::Block) => self.reader.block.fields(),
            Found::Stored(Stored::Comment) => return Ok(Some(BlockItemRef::Comment(self.reader.comment()))),
            Found::Stored(Stored::Retry) => Fields { retry: self.reader.block.retry.take(), ..Fields::default() },
            Found::Stored(Stored::Error(error)) => return Err(error),
            Found::Stored(Stored::NeedsMore) => return Ok(None),
        };
        // Without an event, the ID that it would inherit is not visible, and must not make two blocks unequal.
        let shows_id = fields.data.is_some() || fields.id.is_some();
        let id = self.reader.last_event_id.as_ref().filter(|_| shows_id).map(LastEventId::as_str);
        let block = BlockRef::decoded(fields.event_type, fields.data, id, fields.id.is_some(), fields.retry);
        Ok(Some(BlockItemRef::Block(block)))
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
        let (found, rest) = self.reader.read(input, self.reads_blocks());
        let at = input.len() - rest.len();
        let fields = match found {
            Found::Data(data) => Fields { data: Some(data), ..Fields::default() },
            Found::Block(fields) => fields,
            Found::Comment(text) => {
                let comment = Comment::new(text);
                pass(input, at);
                return Ok(Some(BlockItem::Comment(comment)));
            }
            Found::Stored(stored) => {
                pass(input, at);
                return self.own_item(stored);
            }
        };
        let (sets_id, retry) = (fields.id.is_some(), fields.retry);
        let id = if fields.data.is_some() || sets_id { self.own_id() } else { None };
        let event_type = fields.event_type.map(Label::from_text);
        let data = fields.data.map(|data| OwnedData::new(data, input)).map(|data| data.take(input, at));
        if data.is_none() {
            pass(input, at);
        }
        Ok(Some(BlockItem::Block(Block::decoded(event_type, data, id, sets_id, retry))))
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
        let stored = self.end(Reads::Events);
        let outcome = self.own_event(stored);
        self.reset();
        outcome
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
        let stored = self.end(self.reads_blocks());
        if matches!(stored, Stored::NeedsMore) {
            self.reset();
        }
        self.own_item(stored)
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
        self.reader.crosses = Crosses::StreamStart;
        self.reader.bytes_read = 0;
        self.reader.discard();
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
    pub fn position(&self) -> Position {
        self.reader.position()
    }

    /// Returns what has arrived of the data of the event that is being read. It is empty between two events. If a line
    /// is not finished and has fewer than seven bytes, they are not included.
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
        if self.reader.block.state == BlockState::Open { self.reader.block.data.bytes() } else { &[] }
    }

    /// Returns the beginning of what the standard ignores: the lines so far that are neither blank nor a comment, and
    /// whose name is none of `data`, `event`, `id` and `retry`. At most 1 KiB of them, joined by LF.
    ///
    /// A service that fails in the middle of its stream often writes such text: a line `error: {..}`, JSON without
    /// `data:`, or the HTML page of a proxy. The events are the same with and without it. It stays until the first byte
    /// of the next stream. If a line is not finished and has fewer than seven bytes, they are included only at the end
    /// of the stream.
    ///
    /// ```
    /// let mut decoder = eventwire::Decoder::new();
    /// let mut input = &b"data: 1\n\nerror: {\"message\":\"overloaded\"}\n\n"[..];
    /// assert_eq!(decoder.decode(&mut input)?.unwrap().data(), "1");
    /// assert_eq!(decoder.decode(&mut input)?, None);
    /// assert_eq!(decoder.ignored(), b"error: {\"message\":\"overloaded\"}");
    /// # Ok::<(), eventwire::DecodeError>(())
    /// ```
    #[must_use]
    pub fn ignored(&self) -> &[u8] {
        self.reader.ignored.strip_suffix(b"\n").unwrap_or(&self.reader.ignored)
    }

    /// Whether the decoder has [ended](Position::Ended), so that an adapter need not ask its source again.
    #[inline(always)]
    pub(crate) fn has_ended(&self) -> bool {
        self.reader.crosses == Crosses::Ended
    }

    /// Ends the stream before its end, because a line of it is not valid.
    #[cfg(feature = "json")]
    pub(crate) fn end_early(&mut self) {
        self.reader.crosses = Crosses::Ended;
    }

    /// Returns the limit and whether invalid UTF-8 is an error, for lines that are no fields.
    #[cfg(feature = "json")]
    fn line_settings(&self) -> (usize, bool) {
        (self.reader.block.limit, self.reader.checks())
    }

    /// Returns how many bytes of the stream have been consumed, with the byte order mark.
    ///
    /// After an event or a block has been returned, this is the place in the stream where it ended, without the LF
    /// after a CR. [`finish`](Decoder::finish) and [`reset`](Decoder::reset) begin again at 0, and so does
    /// [`finish_block`](Decoder::finish_block) once it has returned `Ok(None)`, also at the end of an adapter's source.
    /// Bytes that are skipped after an error of [`Utf8Policy::Stop`] count as well.
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
        self.reader.bytes_read
    }

    /// Returns the last event ID, which a client sends as `Last-Event-ID` when it reconnects, or `""` if there is
    /// none.
    ///
    /// An ID takes effect at the blank line that ends its block, whether the block has data or not.
    #[inline]
    #[must_use]
    pub fn last_event_id(&self) -> &str {
        self.reader.last_event_id.as_ref().map_or("", LastEventId::as_str)
    }

    /// Returns the reconnection time that the stream has set: its last valid `retry`.
    ///
    /// A `retry` takes effect as soon as its line is complete.
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
        self.reader.reconnection_time
    }

    #[inline]
    fn reads_blocks(&self) -> Reads {
        if self.reads_comments { Reads::BlocksAndComments } else { Reads::Blocks }
    }

    /// Ends the stream, and returns the next item that is left of it.
    fn end(&mut self, reads: Reads) -> Stored {
        self.reader.end_input();
        let is_reported = self.reader.block.state == BlockState::TooLarge;
        match self.eof {
            _ if self.reader.has_refused_retry(reads) => Stored::Retry,
            Eof::Dispatch => self.reader.end_stream(reads).unwrap_or(Stored::NeedsMore),
            Eof::Error if self.position() == Position::WithinBlock && !is_reported => {
                self.reader.discard();
                Stored::Error(DecodeError::Truncated)
            }
            Eof::Error | Eof::Discard => Stored::NeedsMore,
        }
    }

    /// What has been stored, as an owned event.
    #[inline]
    fn own_event(&mut self, stored: Stored) -> Result<Option<Event>, DecodeError> {
        match stored {
            Stored::Block => Ok(Some(self.own_stored_event())),
            Stored::Error(error) => Err(error),
            Stored::NeedsMore | Stored::Comment | Stored::Retry => Ok(None),
        }
    }

    #[inline(never)]
    fn own_stored_event(&mut self) -> Event {
        // The ID comes first, so that a long one is not copied beside the other texts.
        let id = self.own_id();
        let block = &mut self.reader.block;
        let event_type = block.event_type.text().filter(|text| is_named(text)).map(Label::from_text);
        Event::decoded(event_type, block.data.take_data().unwrap_or_default(), id, block.retry)
    }

    /// What has been stored, owned.
    fn own_item(&mut self, stored: Stored) -> Result<Option<BlockItem>, DecodeError> {
        Ok(Some(match stored {
            Stored::Block => {
                let sets_id = self.reader.block.id.is_set();
                let id = if self.reader.block.data.is_set() || sets_id { self.own_id() } else { None };
                let block = &mut self.reader.block;
                let event_type = block.event_type.text().map(Label::from_text);
                BlockItem::Block(Block::decoded(event_type, block.data.take_data(), id, sets_id, block.retry))
            }
            Stored::Comment => BlockItem::Comment(Comment::new(repaired(Field::parse(self.reader.line.bytes()).1))),
            Stored::Retry => BlockItem::Block(Block::decoded(None, None, None, false, self.reader.block.retry.take())),
            Stored::Error(error) => return Err(error),
            Stored::NeedsMore => return Ok(None),
        }))
    }

    #[inline]
    fn own_id(&mut self) -> Option<Label> {
        self.reader.last_event_id.as_mut().map(LastEventId::label)
    }
}

/// Whether an event with this type is not one of the default type.
#[inline]
fn is_named(event_type: &str) -> bool {
    !matches!(event_type, "" | "message")
}

/// Data that will be owned, while its chunk is still borrowed.
enum OwnedData {
    Here(Data),
    /// Text at this place of the chunk, which has been validated.
    InChunk(Range<usize>),
}

impl OwnedData {
    /// A text in this chunk, which [`take`](OwnedData::take) gets next.
    #[inline(always)]
    fn new(text: &str, chunk: &[u8]) -> OwnedData {
        if let Ok(short) = Data::try_from(text) {
            return OwnedData::Here(short);
        }
        debug_assert!(chunk.as_ptr_range().contains(&text.as_ptr()), "the value is in another chunk");
        let begin = text.as_ptr().addr() - chunk.as_ptr().addr();
        OwnedData::InChunk(begin..begin + text.len())
    }

    /// Drops the first `taken` bytes of the chunk, and returns the data.
    #[inline(always)]
    fn take(self, chunk: &mut Bytes, taken: usize) -> Data {
        match self {
            OwnedData::Here(data) => {
                pass(chunk, taken);
                data
            }
            OwnedData::InChunk(place) => {
                let data = match without_chunk(chunk.get(taken..).unwrap_or_default()) {
                    Some(rest) => {
                        let mut data = mem::replace(chunk, rest);
                        data.truncate(place.end);
                        data.advance(place.start);
                        data
                    }
                    None => {
                        let data = chunk.slice(place);
                        chunk.advance(taken);
                        data
                    }
                };
                debug_assert!(str::from_utf8(&data).is_ok());
                #[expect(unsafe_code, reason = "the place of the data is not part of its type")]
                // SAFETY: `new` got the bytes at this place of the chunk as a `str`. The chunk is the same: each caller
                // gives both methods its input, and changes it only here.
                Data::from(unsafe { ByteString::from_bytes_unchecked(data) })
            }
        }
    }
}

/// Drops the first bytes of the chunk.
#[inline(always)]
fn pass(chunk: &mut Bytes, taken: usize) {
    match without_chunk(chunk.get(taken..).unwrap_or_default()) {
        // An empty `Bytes` could still keep the chunk in memory.
        Some(rest) => *chunk = rest,
        None => chunk.advance(taken),
    }
}

/// The rest of a chunk, if it need not share the chunk's memory. The last event can then take over the chunk, without a
/// change of its reference count.
#[inline(always)]
fn without_chunk(rest: &[u8]) -> Option<Bytes> {
    match rest {
        [] => Some(Bytes::new()),
        // The rest after a CRLF.
        [b'\n'] => Some(Bytes::from_static(b"\n")),
        _ => None,
    }
}

impl Default for Decoder {
    fn default() -> Decoder {
        Decoder::new()
    }
}
