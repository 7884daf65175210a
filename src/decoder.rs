//! The decoder: bytes become events, as [section 9.2.6] of the standard describes.
//!
//! # The grammar and the steps
//!
//! A stream is an optional byte order mark and lines, which end with CR LF, LF or CR. A line is one of three:
//!
//! * A blank line ends the block: the ID takes effect, and if there is data, the block is an event.
//! * A line that begins with a colon is a comment.
//! * Any other line is a field: a name, and after the first colon, without one space, a value. `data` lines are joined
//!   by LF, the last `event` and the last `id` count (an ID with a NUL does not), `retry` takes effect at once if it
//!   consists of digits, and a field of any other name is ignored.
//!
//! A line is always contiguous when it is interpreted: a slice of its chunk, or the bytes that were carried. So each of
//! these sentences stands at one place: names and values in [`Field::parse`], what a field does in
//! [`OpenBlock::set`] and [`Decoder::field_in_chunk`], the blank line in [`Decoder::end_block`], digits in [`Digits`].
//!
//! # What crosses the end of a chunk
//!
//! Three things do, and [`Crosses`] says in one byte whether any of them is there:
//!
//! 1. The edge: inside the byte order mark, after a CR, or neither.
//! 2. The [unfinished line](OpenLine). Its bytes are carried as long as they may matter. The value of a data line goes
//!    straight into the data buffer, so a large event is copied once. A number is read digit by digit. Other lines are
//!    skipped.
//! 3. The [open block](OpenBlock): the buffers for data, type and ID, and the counted size.
//!
//! # The two loops and the shortcut
//!
//! [`read_chunk`](Decoder::read_chunk) reads a block that begins in this chunk. Its values are slices in local
//! variables. If the chunk ends first, or the block has more than these can hold, they are stored, and
//! [`read_stored`](Decoder::read_stored) reads the rest of the block into the buffers. It can read any block, and
//! handles everything rare. [`Stops::data_event`] is tried before: one line of data and a blank line, which is the
//! most common event, without the loop.
//!
//! The loops return what they [found](Found), of which the public methods make borrowed and owned events and blocks.
//!
//! To add a field, add it to [`Field::parse`], to [`Fields`] and the buffers, and to the two functions that set them.
//!
//! [section 9.2.6]: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation

mod buffer;
mod end;
mod error;
mod open_block;
mod utf8;

pub use self::{
    end::{Eof, Position},
    error::DecodeError,
    utf8::{InvalidUtf8, Utf8Policy},
};

use self::{
    buffer::Buffer,
    open_block::{BlockState, Fields, OpenBlock, TooLarge},
    utf8::LineCheck,
};
use crate::{
    event::{
        Block, BlockItem, BlockItemRef, BlockRef, Comment, Data, Event, EventRef, InvalidField, Label, LastEventId,
    },
    line::{Field, Next, Scanned, Stops},
};
use alloc::{boxed::Box, vec::Vec};
use bytes::{Buf, Bytes};
use bytestring::ByteString;
use core::{mem, ops::Range, time::Duration};

/// The default limit on an event's size, in bytes.
const DEFAULT_MAX_EVENT_SIZE: usize = 16 * 1024 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// This many bytes of a line determine its field and where its value begins: `retry`, a colon and a space.
const LONGEST_PREFIX: usize = 7;

/// A carried line of more bytes is dropped with its memory.
const LARGEST_LINE_KEPT: usize = 1024;

/// By how many bytes the buffers may exceed the limit together before they are released. Data may have the whole limit,
/// and a type and an ID are usually short.
const SMALL_BESIDE: usize = 256;

/// So many bytes of the lines that are no fields are kept.
const MAX_IGNORED: usize = 1024;

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
///         found.push(format!("{}/{}", event.data(), event.last_event_id()));
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
/// at most. A buffer that has grown beyond 64 KiB for one large event is released after 32 small ones. If all buffers
/// of an event together exceed the limit, they are released when the next event begins, and are allocated again for the
/// next such event: one close to the limit with a long type or ID, or one of much invalid UTF-8.
///
/// [data, event type and last event ID]: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
/// [reconnection time]: https://html.spec.whatwg.org/multipage/server-sent-events.html#concept-event-stream-reconnection-time
#[derive(Clone, Debug)]
pub struct Decoder {
    crosses: Crosses,
    open: OpenLine,
    reads_comments: bool,
    eof: Eof,
    /// The bytes of the stream that have been consumed.
    bytes_read: u64,
    block: OpenBlock,
    /// The bytes that are carried of the open line, or the comment that was returned last.
    line: Buffer,
    /// Whether a buffer is so large that it is released if the next blocks do not need it. They are then stored.
    has_large_buffer: bool,
    /// The texts that were returned last, if they had to be repaired.
    repaired: Buffer,
    /// `None` until the stream sets one. An empty ID is one as well: the stream has then cleared it.
    ///
    /// An ID that the caller sets stays until the stream sets another. Read literally, section 9.2.6 of the standard
    /// begins each stream with an empty ID buffer and copies it at the first blank line. Every reconnection would then
    /// lose the ID that the client sent, and no browser does that.
    last_event_id: Option<LastEventId>,
    reconnection_time: Option<Duration>,
    /// For [`Utf8Policy::Stop`].
    check: Option<Box<LineCheck>>,
    ignored: Vec<u8>,
}

/// What crosses from one call to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Crosses {
    /// Nothing: the next byte begins a line and a block.
    Nothing,
    /// Only an LF, if it comes next: it belongs to the CR before it.
    Lf,
    /// What is stored of a line or a block.
    Stored,
    /// What is stored of a block, and an LF.
    StoredAndLf,
    /// The stream has not begun, or only with a part of a byte order mark, which is carried.
    StreamStart,
    /// The stream has ended early, because of an invalid line. The rest of it is skipped.
    Ended,
}

impl Crosses {
    /// The same after a CR.
    fn and_lf(self) -> Crosses {
        if self == Crosses::Nothing { Crosses::Lf } else { Crosses::StoredAndLf }
    }
}

/// The line inside which the bytes so far end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpenLine {
    /// The next byte begins a line.
    None,
    /// Its bytes are carried, and are not enough yet to know its field.
    Name,
    /// It is carried: a type, an ID, or a comment that is read.
    Carried(Field),
    /// It is a data line, whose value goes into the data buffer.
    Data,
    /// It is a reconnection time.
    Retry(Digits),
    /// The rest of it has no effect.
    Skipped(Field),
}

/// What the caller reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reads {
    Events,
    Blocks,
    BlocksAndComments,
}

/// What a loop has found.
enum Found<'c> {
    /// A block whose values are in the chunk.
    InChunk(Fields<'c>),
    /// The open block.
    Stored,
    /// A comment in the chunk.
    Comment(Scanned<'c>),
    /// The carried line, which is a comment.
    StoredComment,
    /// The reconnection time of a block that is too large. It has taken effect, so it is returned after the error.
    Retry(Duration),
    /// The end of the chunk.
    NeedsMore,
    Error(DecodeError),
}

impl Decoder {
    /// Creates a decoder for the start of a stream, with a limit of 16 MiB, [`Eof::Discard`] and no last event ID.
    #[must_use]
    pub fn new() -> Decoder {
        Decoder {
            crosses: Crosses::StreamStart,
            open: OpenLine::None,
            reads_comments: true,
            eof: Eof::default(),
            bytes_read: 0,
            block: OpenBlock::new(DEFAULT_MAX_EVENT_SIZE),
            line: Buffer::default(),
            has_large_buffer: false,
            repaired: Buffer::default(),
            last_event_id: None,
            reconnection_time: None,
            check: None,
            ignored: Vec::new(),
        }
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
    /// | only valid text, or invalid UTF-8 that is [an error](Decoder::with_utf8_policy) | 5 | 6 | 6 | 7 |
    /// | anything; U+FFFD, which replaces invalid UTF-8, is three bytes long | 9 | 10 | 11 | 11 |
    ///
    /// A [`Tap`](crate::Tap) uses as much as `decode_block`. If you call methods for events and for
    /// blocks alternately, the maximum is 14 times the limit.
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
        self.set_max_event_size(bytes);
        self
    }

    /// Sets the largest size of an event of a decoder in use; see
    /// [`with_max_event_size`](Decoder::with_max_event_size).
    pub fn set_max_event_size(&mut self, bytes: usize) {
        self.block.limit = bytes;
        if self.block.is_empty() && self.open == OpenLine::None {
            self.begin_block();
        }
    }

    /// Returns the largest size of an event, in bytes.
    #[must_use]
    pub fn max_event_size(&self) -> usize {
        self.block.limit
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
        match policy {
            Utf8Policy::Replace => self.check = None,
            // A line that is open goes on being checked.
            Utf8Policy::Stop if self.check.is_some() => {}
            Utf8Policy::Stop => {
                let is_open = self.open != OpenLine::None && self.crosses != Crosses::StreamStart;
                self.check = Some(Box::new(if is_open { LineCheck::after_open_line() } else { LineCheck::default() }));
            }
        }
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
            "" => self.last_event_id = None,
            id => self.last_event_id.get_or_insert_default().set(id),
        }
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
        if let Some((data, at)) = self.data_event(input) {
            *input = input.get(at..).unwrap_or_default();
            return Ok(Some(self.event(Fields { data: Some(data), ..Fields::default() })));
        }
        self.decode_lines(input)
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn decode_lines<'d, 'c: 'd>(&'d mut self, input: &mut &'c [u8]) -> Result<Option<EventRef<'d>>, DecodeError> {
        let (found, at) = self.read(input, Reads::Events);
        *input = input.get(at..).unwrap_or_default();
        match found {
            Found::InChunk(fields) => Ok(Some(self.event(fields))),
            Found::Stored => Ok(Some(self.stored_event())),
            Found::Error(error) => Err(error),
            _ => Ok(None),
        }
    }

    /// Decodes the next event and returns it owned, consuming `input` up to and including that event.
    ///
    /// It returns the same events as [`decode`](Decoder::decode). Data, a type or an ID of up to 23 bytes is stored in
    /// the event itself. Longer data shares the chunk's memory if the event is contained in one chunk and has a single,
    /// valid data line; otherwise it is allocated. A longer type is allocated, and so is a longer ID, once for all
    /// events that inherit it. (If the `Bytes` was created from a `Vec`, its first slice allocates a reference counter,
    /// once per chunk.)
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
        let (found, at) = self.read(input, Reads::Events);
        match found {
            Found::InChunk(fields) => {
                let id = self.own_id();
                let (event_type, retry) = (
                    fields.event_type.filter(is_named).map(|value| own_label(value, &mut self.repaired)),
                    fields.retry,
                );
                let data = OwnedData::new(fields.data.unwrap_or(Scanned::from("")), input).take(input, at);
                Ok(Some(Event::decoded(event_type, data, id, retry)))
            }
            Found::Stored => {
                pass(input, at);
                Ok(Some(self.own_stored_event()))
            }
            Found::Error(error) => {
                pass(input, at);
                Err(error)
            }
            _ => {
                *input = Bytes::new();
                Ok(None)
            }
        }
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
        let (found, at) = self.read(input, self.reads_blocks());
        *input = input.get(at..).unwrap_or_default();
        Ok(Some(match found {
            Found::InChunk(fields) => BlockItemRef::Block(self.block(fields)),
            Found::Stored => BlockItemRef::Block(self.stored_block()),
            Found::Comment(text) => BlockItemRef::Comment(self.comment(text)),
            Found::StoredComment => BlockItemRef::Comment(self.stored_comment()),
            Found::Retry(time) => BlockItemRef::Block(BlockRef::retry_only(time)),
            Found::Error(error) => return Err(error),
            Found::NeedsMore => return Ok(None),
        }))
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
        let (found, at) = self.read(input, self.reads_blocks());
        if let Found::InChunk(fields) = found {
            let event_type = fields.event_type.map(|value| own_label(value, &mut self.repaired));
            let (sets_id, retry) = (fields.id.is_some(), fields.retry);
            let data = fields.data.map(|data| OwnedData::new(data, input));
            let id = if data.is_some() || sets_id { self.own_id() } else { None };
            let data = match data {
                Some(data) => Some(data.take(input, at)),
                None => {
                    pass(input, at);
                    None
                }
            };
            return Ok(Some(BlockItem::Block(Block::decoded(event_type, data, id, sets_id, retry))));
        }
        let item = match found {
            Found::Comment(text) => Ok(Some(BlockItem::Comment(own_comment(text)))),
            found => self.own_item(found),
        };
        pass(input, at);
        item
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
        self.drop_returned();
        self.end_name();
        let outcome = match self.eof {
            Eof::Dispatch => match self.end_stream(Reads::Events) {
                Some(Found::Stored) => Ok(Some(self.own_stored_event())),
                Some(Found::Error(error)) => Err(error),
                _ => Ok(None),
            },
            Eof::Error if self.is_truncated() => Err(DecodeError::Truncated),
            Eof::Error | Eof::Discard => Ok(None),
        };
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
        self.drop_returned();
        self.end_name();
        if let Some(time) = self.take_refused_retry() {
            return self.own_item(Found::Retry(time));
        }
        match self.eof {
            Eof::Dispatch => {
                if let Some(found) = self.end_stream(self.reads_blocks()) {
                    return self.own_item(found);
                }
            }
            Eof::Error if self.is_truncated() => {
                self.discard();
                return Err(DecodeError::Truncated);
            }
            Eof::Error | Eof::Discard => {}
        }
        self.reset();
        Ok(None)
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
        self.crosses = Crosses::StreamStart;
        self.bytes_read = 0;
        self.discard();
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
        match self.open {
            _ if self.crosses == Crosses::Ended => Position::Ended,
            _ if self.block.size > 0 || self.block.state == BlockState::TooLarge => Position::WithinBlock,
            OpenLine::None => Position::BetweenBlocks,
            OpenLine::Carried(Field::Comment) | OpenLine::Skipped(Field::Comment) => Position::WithinComment,
            _ => Position::WithinBlock,
        }
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
        match self.block.state {
            BlockState::Open => self.block.data.value().map_or(&[], Scanned::bytes),
            BlockState::TooLarge | BlockState::Returned => &[],
        }
    }

    /// Returns the beginning of what the standard ignores: the lines so far that are neither blank nor a comment, and
    /// whose name is none of `data`, `event`, `id` and `retry`. At most 1 KiB of them, joined by LF.
    ///
    /// A service that fails in the middle of its stream often writes such text: a line `error: {..}`, JSON without
    /// `data:`, or the HTML page of a proxy. The events are the same with and without it. It stays until the first byte
    /// of the next stream. Of a line that is not finished, less than seven bytes count only at the end of the stream.
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
        self.ignored.strip_suffix(b"\n").unwrap_or(&self.ignored)
    }

    /// Whether the decoder has [ended](Position::Ended), so that an adapter need not ask its source again.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) fn has_ended(&self) -> bool {
        self.crosses == Crosses::Ended
    }

    /// Returns how many bytes of the stream have been consumed, with the byte order mark.
    ///
    /// After an event or a block has been returned, this is the place in the stream where it ended, without the LF
    /// after a CR. [`finish`](Decoder::finish) and [`reset`](Decoder::reset) begin again at 0, also at the end of an
    /// adapter's source. Bytes that are skipped after an error of [`Utf8Policy::Stop`] count as well.
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
        self.bytes_read
    }

    /// Returns the last event ID, which a client sends as `Last-Event-ID` when it reconnects, or `""` if there is
    /// none.
    ///
    /// An ID takes effect at the blank line that ends its block, whether the block has data or not.
    #[inline]
    #[must_use]
    pub fn last_event_id(&self) -> &str {
        self.last_event_id.as_ref().map_or("", LastEventId::as_str)
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
        self.reconnection_time
    }

    /// The shortcut: the most common event, if nothing crosses but an LF. Returns its data, and how many bytes of the
    /// chunk have been consumed.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn data_event<'c>(&mut self, chunk: &'c [u8]) -> Option<(Scanned<'c>, usize)> {
        let begin = match self.crosses {
            Crosses::Nothing => 0,
            Crosses::Lf => usize::from(chunk.starts_with(b"\n")),
            _ => return None,
        };
        let mut stops = Stops::new(chunk, begin);
        let data = stops.data_event(self.block.limit)?;
        if data.text().is_none() && self.check.is_some() {
            return None;
        }
        self.crosses = Crosses::Nothing;
        self.bytes_read += stops.at() as u64;
        Some((data, stops.at()))
    }

    /// Reads up to what the caller reads next. Returns it, and how many bytes of the chunk have been consumed.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn read<'c>(&mut self, chunk: &'c [u8], reads: Reads) -> (Found<'c>, usize) {
        let mut at = 0;
        if self.crosses == Crosses::Lf && !chunk.is_empty() {
            at = usize::from(chunk.starts_with(b"\n"));
            self.crosses = Crosses::Nothing;
        }
        if self.crosses != Crosses::Nothing {
            let (found, passed) = self.resume(chunk, reads);
            at = passed;
            if let Some(found) = found {
                self.bytes_read += at as u64;
                return (found, at);
            }
        }
        let mut stops = Stops::new(chunk, at);
        let found = match stops.data_event(self.block.limit) {
            Some(data) if data.text().is_some() || self.check.is_none() => {
                Found::InChunk(Fields { data: Some(data), ..Fields::default() })
            }
            Some(_) => {
                stops = Stops::new(chunk, at);
                self.read_chunk(&mut stops, reads)
            }
            None => self.read_chunk(&mut stops, reads),
        };
        self.bytes_read += stops.at() as u64;
        (found, stops.at())
    }

    /// The first loop: a block that begins in this chunk.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn read_chunk<'c>(&mut self, stops: &mut Stops<'c>, reads: Reads) -> Found<'c> {
        let (mut fields, mut size) = (Fields::default(), 0);
        loop {
            let line = match stops.next() {
                Next::Line(line) => line,
                Next::Part(part) => {
                    if part.len() == 0 && size == 0 && fields.retry.is_none() {
                        self.crosses = if stops.is_after_cr() { Crosses::Lf } else { Crosses::Nothing };
                        return Found::NeedsMore;
                    }
                    let copy = (fields, *stops);
                    return self.leave_chunk(&copy.0, size, part, &copy.1, reads);
                }
            };
            if line.len() == 0 {
                if let Some(id) = fields.id {
                    set_id(&mut self.last_event_id, id);
                }
                if fields.data.is_some() || reads != Reads::Events && fields.has_any() {
                    if stops.is_after_cr() {
                        self.crosses = self.crosses.and_lf();
                    }
                    return Found::InChunk(fields);
                }
                (fields, size) = (Fields::default(), 0);
                continue;
            }
            if line.bytes().starts_with(b":") && self.check.is_none() {
                if reads != Reads::BlocksAndComments {
                    continue;
                }
                if size == 0 && !fields.has_any() && line.len() < self.block.limit {
                    if stops.is_after_cr() {
                        self.crosses = self.crosses.and_lf();
                    }
                    return Found::Comment(line.field().1);
                }
            }
            let is_checked = line.text().is_some() || self.check.is_none() || utf8::valid(line).is_some();
            if is_checked && self.field_in_chunk(line, &mut fields, &mut size, reads) {
                continue;
            }
            let mut copy = *stops;
            let found = self.read_on(&fields, size, line, &mut copy, reads);
            *stops = copy;
            return found;
        }
    }

    /// Processes a line of a block in the chunk. Returns `false` if the line can only be processed in an open block.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn field_in_chunk<'c>(
        &mut self,
        line: Scanned<'c>,
        fields: &mut Fields<'c>,
        size: &mut usize,
        reads: Reads,
    ) -> bool {
        let (field, value) = line.field();
        let with_line = *size + line.len() + 1;
        match field {
            Field::Comment => return reads != Reads::BlocksAndComments,
            Field::Other => {
                self.ignore(line.bytes(), true);
                return true;
            }
            Field::Data if fields.data.is_none() && with_line <= self.block.limit => fields.data = Some(value),
            Field::EventType if with_line <= self.block.limit => fields.event_type = Some(value),
            Field::Id if with_line <= self.block.limit && !value.has_nul() => fields.id = Some(value),
            Field::Retry => {
                fields.retry = self.set_retry(Digits::Empty.fold(value.bytes())).or(fields.retry);
                return true;
            }
            _ => return false,
        }
        *size = with_line;
        true
    }

    /// Stores what has been read of a block, and goes on in the second loop.
    #[inline(never)]
    fn read_on<'c>(
        &mut self,
        fields: &Fields<'_>,
        size: usize,
        line: Scanned<'c>,
        stops: &mut Stops<'c>,
        reads: Reads,
    ) -> Found<'c> {
        self.block.store(fields, size);
        let found = self.process(line, 1, reads);
        let found = if self.check.is_some() { self.check_line(line, found, stops) } else { found };
        if let Some(found) = found {
            return self.leave(found, stops);
        }
        self.read_stored(stops, reads)
    }

    /// Stores what has been read of a block whose chunk ends.
    #[inline(never)]
    fn leave_chunk<'c>(
        &mut self,
        fields: &Fields<'_>,
        size: usize,
        part: Scanned<'c>,
        stops: &Stops<'c>,
        reads: Reads,
    ) -> Found<'c> {
        self.block.store(fields, size);
        self.leave_part(part, stops, reads)
    }

    /// Goes on with what crosses from earlier chunks. Returns what it has found, or `None` if nothing crosses any more,
    /// and how many bytes of the chunk have been consumed.
    #[inline(never)]
    fn resume<'c>(&mut self, chunk: &'c [u8], reads: Reads) -> (Option<Found<'c>>, usize) {
        // Most chunks of a large event are a part of its line.
        if self.open == OpenLine::Data && self.check.is_none() && self.block.size + chunk.len() <= self.block.limit {
            let mut stops = Stops::new(chunk, 0);
            if let Next::Part(piece) = stops.next() {
                self.block.size += piece.len();
                self.block.data.push(piece, self.block.limit);
                return (Some(Found::NeedsMore), chunk.len());
            }
        }
        self.drop_returned();
        if reads != Reads::Events
            && let Some(time) = self.take_refused_retry()
        {
            return (Some(Found::Retry(time)), 0);
        }
        let Some(first) = chunk.first() else { return (Some(Found::NeedsMore), 0) };
        let at = match self.crosses {
            Crosses::Ended => return (Some(Found::NeedsMore), chunk.len()),
            Crosses::StreamStart => match self.begin_stream(chunk) {
                Some(at) => at,
                None => return (Some(Found::NeedsMore), chunk.len()),
            },
            Crosses::Lf | Crosses::StoredAndLf => usize::from(*first == b'\n'),
            Crosses::Nothing | Crosses::Stored => 0,
        };
        if self.open == OpenLine::None && self.block.is_empty() && !self.has_large_buffer {
            self.crosses = Crosses::Nothing;
            return (None, at);
        }
        let mut stops = Stops::new(chunk, at);
        let found = match self.open {
            OpenLine::None => None,
            _ => self.go_on(&mut stops, reads),
        };
        let found = match found {
            Some(found) => self.leave(found, &stops),
            None => self.read_stored(&mut stops, reads),
        };
        (Some(found), stops.at())
    }

    /// Consumes a byte order mark, if the stream begins with one. Returns how many bytes of the chunk belong to it, or
    /// `None` if the chunk ends before that is known.
    #[cold]
    fn begin_stream(&mut self, chunk: &[u8]) -> Option<usize> {
        self.ignored.clear();
        let seen = self.line.len();
        let missing = BYTE_ORDER_MARK.get(seen..).unwrap_or_default();
        let matching = chunk.iter().zip(missing).take_while(|(byte, expected)| byte == expected).count();
        if matching == missing.len() {
            self.line.clear();
            self.open = OpenLine::None;
            return Some(matching);
        }
        if matching == chunk.len() {
            self.line.push(Scanned::from(chunk), LONGEST_PREFIX);
            self.open = OpenLine::Name;
            return None;
        }
        // What is carried begins a line.
        if let (Some(check), Some(carried)) = (&mut self.check, self.line.value()) {
            check.push(carried);
        }
        Some(0)
    }

    /// The second loop: the lines of a block into the buffers. It begins at the start of a line.
    fn read_stored<'c>(&mut self, stops: &mut Stops<'c>, reads: Reads) -> Found<'c> {
        loop {
            match stops.next() {
                Next::Line(line) => {
                    let found = self.process(line, 1, reads);
                    let found = if self.check.is_some() { self.check_line(line, found, stops) } else { found };
                    if let Some(found) = found {
                        return self.leave(found, stops);
                    }
                }
                Next::Part(part) => return self.leave_part(part, stops, reads),
            }
        }
    }

    /// Ends the call at the end of the chunk, after this part of a line.
    fn leave_part<'c>(&mut self, part: Scanned<'c>, stops: &Stops<'c>, reads: Reads) -> Found<'c> {
        let mut found = Found::NeedsMore;
        if part.len() > 0 {
            if let Some(check) = &mut self.check {
                check.push(part);
            }
            self.open = OpenLine::Name;
            if let Err(error) = self.push(part, reads) {
                found = Found::Error(error);
            }
        }
        self.leave(found, stops)
    }

    /// Ends a call after which something may be stored.
    fn leave<'c>(&mut self, found: Found<'c>, stops: &Stops<'c>) -> Found<'c> {
        if self.crosses != Crosses::Ended {
            self.crosses = if stops.is_after_cr() { Crosses::StoredAndLf } else { Crosses::Stored };
        }
        found
    }

    /// Reads more of the open line.
    fn go_on<'c>(&mut self, stops: &mut Stops<'c>, reads: Reads) -> Option<Found<'c>> {
        self.skip_unread_comment(reads);
        let (piece, is_end) = match stops.next() {
            Next::Line(piece) => (piece, true),
            Next::Part(piece) => (piece, false),
        };
        if let Some(check) = &mut self.check {
            check.push(piece);
        }
        let error = self.push(piece, reads).err().map(Found::Error);
        if !is_end {
            return Some(error.unwrap_or(Found::NeedsMore));
        }
        let field = self.open_field();
        let found = error.or_else(|| self.end_line(1, reads));
        self.open = OpenLine::None;
        if self.check.is_some() { self.end_check(field, found, stops) } else { found }
    }

    /// Skips the rest of an open comment that the caller does not read any more.
    fn skip_unread_comment(&mut self, reads: Reads) {
        if self.open == OpenLine::Carried(Field::Comment) && reads != Reads::BlocksAndComments {
            self.open = OpenLine::Skipped(Field::Comment);
            self.drop_line();
        }
    }

    /// Adds a piece to the open line.
    fn push(&mut self, piece: Scanned<'_>, reads: Reads) -> Result<(), DecodeError> {
        match self.open {
            OpenLine::Data => {
                if self.block.count(piece.len()).is_err() {
                    return Err(self.refuse(Field::Data, reads));
                }
                self.block.data.push(piece, self.block.limit);
            }
            OpenLine::Name => {
                let carried = self.line.len();
                if carried == 0 && (piece.len() >= LONGEST_PREFIX || piece.bytes().starts_with(b":")) {
                    return self.begin_line(piece, reads);
                }
                let (head, rest) = piece.split_at(LONGEST_PREFIX - carried);
                self.line.push(head, LONGEST_PREFIX);
                if self.line.len() == LONGEST_PREFIX {
                    let head: Option<[u8; LONGEST_PREFIX]> = self.line.bytes().first_chunk().copied();
                    self.line.clear();
                    self.begin_line(Scanned::from(&head.unwrap_or_default()[..]), reads)?;
                    return self.push(rest, reads);
                }
                // A name counts as soon as its colon shows that it is one.
                let (field, carried) = (self.open_field(), self.line.bytes());
                let counts = matches!(field, Field::Data | Field::EventType | Field::Id) && carried.contains(&b':');
                if counts
                    && self.block.state == BlockState::Open
                    && self.block.size + self.line.len() > self.block.limit
                {
                    return Err(self.refuse(field, reads));
                }
            }
            OpenLine::Carried(field) => {
                let others = if field == Field::Comment { 0 } else { self.block.size };
                if others + self.line.len() + piece.len() > self.block.limit {
                    return Err(self.refuse(field, reads));
                }
                self.line.push(piece, self.block.limit);
            }
            OpenLine::Retry(digits) => self.open = OpenLine::Retry(digits.fold(piece.bytes())),
            OpenLine::Skipped(Field::Other) => self.ignore(piece.bytes(), false),
            OpenLine::Skipped(_) | OpenLine::None => {}
        }
        Ok(())
    }

    /// Begins a line that continues beyond its chunk. Its head is long enough to know the field, and where the value
    /// begins.
    fn begin_line(&mut self, head: Scanned<'_>, reads: Reads) -> Result<(), DecodeError> {
        let (field, value) = head.field();
        match field {
            Field::Comment if reads != Reads::BlocksAndComments => self.open = OpenLine::Skipped(field),
            Field::Comment => {
                self.open = OpenLine::Carried(field);
                return self.push(head, reads);
            }
            Field::Other => {
                self.ignore(head.bytes(), false);
                self.open = OpenLine::Skipped(field);
            }
            _ if self.block.state == BlockState::TooLarge => self.open = OpenLine::Skipped(field),
            Field::Retry => self.open = OpenLine::Retry(Digits::Empty.fold(value.bytes())),
            Field::EventType | Field::Id => {
                self.open = OpenLine::Carried(field);
                return self.push(head, reads);
            }
            Field::Data => {
                if self.block.count(head.len()).is_err() {
                    return Err(self.refuse(field, reads));
                }
                self.block.data.push_line(value, self.block.limit);
                self.open = OpenLine::Data;
            }
        }
        Ok(())
    }

    /// Ends the open line. Its end has this many bytes: one, or none at the end of the stream.
    fn end_line<'c>(&mut self, end: usize, reads: Reads) -> Option<Found<'c>> {
        match mem::replace(&mut self.open, OpenLine::None) {
            OpenLine::Data => match self.block.count(end) {
                Ok(()) => None,
                Err(TooLarge) => Some(Found::Error(self.refuse(Field::Data, reads))),
            },
            OpenLine::Carried(Field::Comment) if self.line.len() + end > self.block.limit => {
                Some(Found::Error(self.refuse(Field::Comment, reads)))
            }
            OpenLine::Carried(Field::Comment) => Some(Found::StoredComment),
            OpenLine::Name | OpenLine::Carried(_) => {
                let line = mem::take(&mut self.line);
                let found = line.value().and_then(|line| self.process(line, end, reads)).map(|found| match found {
                    Found::Error(error) => Found::Error(error),
                    _ => Found::NeedsMore,
                });
                self.line = line;
                self.drop_line();
                found
            }
            OpenLine::Retry(digits) => {
                self.block.retry = self.set_retry(digits).or(self.block.retry);
                None
            }
            OpenLine::Skipped(Field::Other) => {
                self.ignore(b"", true);
                None
            }
            OpenLine::Skipped(_) | OpenLine::None => None,
        }
    }

    /// The field of the open line.
    fn open_field(&self) -> Field {
        match self.open {
            OpenLine::Carried(field) | OpenLine::Skipped(field) => field,
            OpenLine::Data => Field::Data,
            OpenLine::Retry(_) => Field::Retry,
            OpenLine::Name | OpenLine::None => Field::parse(self.line.bytes()).0,
        }
    }

    /// Processes a line of the open block. Its end has this many bytes. Returns what the line completes.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn process<'c>(&mut self, line: Scanned<'c>, end: usize, reads: Reads) -> Option<Found<'c>> {
        if line.len() == 0 {
            return self.end_block(reads);
        }
        let (field, value) = line.field();
        match field {
            Field::Comment if reads != Reads::BlocksAndComments => {}
            Field::Comment if line.len() + end > self.block.limit => {
                return Some(Found::Error(DecodeError::CommentTooLarge { limit: self.block.limit }));
            }
            Field::Comment => return Some(Found::Comment(value)),
            Field::Other => self.ignore(line.bytes(), true),
            _ if self.block.state == BlockState::TooLarge => {}
            Field::Retry => {
                self.block.retry = self.set_retry(Digits::Empty.fold(value.bytes())).or(self.block.retry);
            }
            Field::Data | Field::EventType | Field::Id => {
                if self.block.count(line.len() + end).is_err() {
                    let error = self.refuse(field, reads);
                    self.open = OpenLine::None;
                    return Some(Found::Error(error));
                }
                self.block.set(field, value);
            }
        }
        None
    }

    /// Ends the open block at its blank line: its ID takes effect. Returns whether it has what the caller reads.
    fn end_block<'c>(&mut self, reads: Reads) -> Option<Found<'c>> {
        if self.block.state == BlockState::Open {
            if let Some(id) = self.block.id.value() {
                set_id(&mut self.last_event_id, id);
            }
            if self.block.data.is_set() || reads != Reads::Events && self.block.fields().has_any() {
                self.block.state = BlockState::Returned;
                self.block.size = 0;
                return Some(Found::Stored);
            }
        }
        self.begin_block();
        None
    }

    /// Sets the reconnection time, if the value is one, and returns it.
    fn set_retry(&mut self, digits: Digits) -> Option<Duration> {
        let Digits::Number(milliseconds) = digits else { return None };
        self.reconnection_time = Some(Duration::from_millis(milliseconds));
        self.reconnection_time
    }

    /// Keeps the beginning of a line that is no field, or of a piece of one.
    #[cold]
    fn ignore(&mut self, piece: &[u8], is_end: bool) {
        self.ignored.reserve_exact(MAX_IGNORED - self.ignored.len());
        let room = MAX_IGNORED - self.ignored.len();
        self.ignored.extend_from_slice(piece.get(..room).unwrap_or(piece));
        if is_end && self.ignored.len() < MAX_IGNORED {
            self.ignored.push(b'\n');
        }
    }

    /// Refuses the block, or a comment, inside a line of this field. Returns the error.
    #[cold]
    fn refuse(&mut self, field: Field, reads: Reads) -> DecodeError {
        let limit = self.block.limit;
        self.open = OpenLine::Skipped(field);
        self.drop_line();
        if field == Field::Comment {
            return DecodeError::CommentTooLarge { limit };
        }
        self.block.state = BlockState::TooLarge;
        self.block.size = 0;
        if reads == Reads::Events {
            self.block.retry = None;
        }
        DecodeError::EventTooLarge { limit }
    }

    /// The reconnection time of a block that is too large, once.
    fn take_refused_retry(&mut self) -> Option<Duration> {
        if self.block.state == BlockState::TooLarge { self.block.retry.take() } else { None }
    }

    /// Checks a line of the second loop, for [`Utf8Policy::Stop`].
    #[cold]
    fn check_line<'c>(
        &mut self,
        line: Scanned<'c>,
        found: Option<Found<'c>>,
        stops: &mut Stops<'c>,
    ) -> Option<Found<'c>> {
        if let Some(check) = &mut self.check {
            check.push(line);
        }
        self.end_check(line.field().0, found, stops)
    }

    /// Ends a line that has been checked, and ends the stream if it is not UTF-8.
    ///
    /// If the same line has made something too large, that error comes first, and this one follows when the line end is
    /// read again. So the errors do not depend on how the line is split.
    #[cold]
    fn end_check<'c>(&mut self, field: Field, found: Option<Found<'c>>, stops: &mut Stops<'c>) -> Option<Found<'c>> {
        if let Some(Found::Error(_)) = found {
            stops.back_before_line_end();
            self.open = OpenLine::Skipped(field);
            return found;
        }
        match self.check.as_mut().and_then(|check| check.end(field)) {
            None => found,
            Some(invalid) => {
                self.discard();
                self.crosses = Crosses::Ended;
                Some(Found::Error(DecodeError::InvalidUtf8(invalid)))
            }
        }
    }

    /// Ends the name in which the stream ends: no byte can follow that would make it that of a field.
    fn end_name(&mut self) {
        if self.open == OpenLine::Name && self.open_field() == Field::Other {
            let line = mem::take(&mut self.line);
            self.ignore(line.bytes(), false);
            self.line = line;
            self.open = OpenLine::Skipped(Field::Other);
        }
    }

    /// Ends the line and the block in which the stream ends, and returns the next item in them.
    fn end_stream<'c>(&mut self, reads: Reads) -> Option<Found<'c>> {
        if self.crosses == Crosses::Ended {
            return None;
        }
        self.skip_unread_comment(reads);
        if self.open != OpenLine::None {
            let field = self.open_field();
            if self.crosses == Crosses::StreamStart
                && let (Some(check), Some(carried)) = (&mut self.check, self.line.value())
            {
                check.push(carried);
            }
            let invalid = self.check.as_mut().and_then(|check| check.end(field));
            if let Some(invalid) = invalid {
                self.discard();
                return Some(Found::Error(DecodeError::InvalidUtf8(invalid)));
            }
            let found = self.end_line(0, reads);
            if found.is_some() {
                return found;
            }
        }
        self.end_block(reads)
    }

    /// Whether the stream would be truncated here, which has not been reported yet.
    fn is_truncated(&self) -> bool {
        self.position() == Position::WithinBlock && self.block.state != BlockState::TooLarge
    }

    /// Discards what is unfinished.
    fn discard(&mut self) {
        self.open = OpenLine::None;
        self.drop_line();
        if let Some(check) = &mut self.check {
            **check = LineCheck::default();
        }
        self.begin_block();
    }

    /// Drops what was returned last, and may have been borrowed.
    fn drop_returned(&mut self) {
        if self.open == OpenLine::None {
            self.drop_line();
        }
        if self.block.state == BlockState::Returned || self.block.is_empty() && self.repaired.is_set() {
            self.begin_block();
        }
    }

    /// Drops the carried line. Few lines are so large that the next one needs the memory.
    fn drop_line(&mut self) {
        self.line.clear();
        if self.line.capacity() > LARGEST_LINE_KEPT {
            self.line = Buffer::default();
        }
    }

    /// Begins the next block, and empties all buffers.
    ///
    /// A buffer is released if all of them are larger together than the limit, and not only because of a short type or
    /// ID beside large data. Otherwise it is released if it is large and several blocks have not needed it.
    fn begin_block(&mut self) {
        self.block.begin();
        let limit = self.block.limit;
        let [data, event_type, id] = self.block.buffers();
        let mut buffers = [data, event_type, id, &mut self.repaired];
        let capacity: usize = buffers.iter().map(|buffer| buffer.capacity()).sum();
        let is_beyond = capacity > limit.saturating_add(SMALL_BESIDE);
        let mut is_large = false;
        for buffer in &mut buffers {
            is_large |= buffer.recycle(is_beyond);
        }
        self.has_large_buffer = is_large;
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn reads_blocks(&self) -> Reads {
        if self.reads_comments { Reads::BlocksAndComments } else { Reads::Blocks }
    }

    /// The event of a block in the chunk, borrowed.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn event<'a>(&'a mut self, fields: Fields<'a>) -> EventRef<'a> {
        let (event_type, data) = texts(fields, &mut self.repaired, &mut self.crosses);
        let id = self.last_event_id.as_ref().map(LastEventId::as_str);
        EventRef::decoded(event_type.unwrap_or_default(), data.unwrap_or_default(), id, fields.retry)
    }

    /// The event of the stored block, borrowed.
    #[inline(never)]
    fn stored_event(&mut self) -> EventRef<'_> {
        let (event_type, data) = texts(self.block.fields(), &mut self.repaired, &mut self.crosses);
        let id = self.last_event_id.as_ref().map(LastEventId::as_str);
        EventRef::decoded(event_type.unwrap_or_default(), data.unwrap_or_default(), id, self.block.retry)
    }

    /// A block in the chunk, borrowed.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn block<'a>(&'a mut self, fields: Fields<'a>) -> BlockRef<'a> {
        let (event_type, data) = texts(fields, &mut self.repaired, &mut self.crosses);
        let id = last_id(&self.last_event_id, &fields);
        BlockRef::decoded(event_type, data, id, fields.id.is_some(), fields.retry)
    }

    /// The stored block, borrowed.
    #[inline(never)]
    fn stored_block(&mut self) -> BlockRef<'_> {
        let fields = self.block.fields();
        let (event_type, data) = texts(fields, &mut self.repaired, &mut self.crosses);
        let id = last_id(&self.last_event_id, &fields);
        BlockRef::decoded(event_type, data, id, fields.id.is_some(), self.block.retry)
    }

    /// A comment in the chunk, borrowed.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn comment<'a>(&'a mut self, text: Scanned<'a>) -> &'a str {
        let text = Fields { data: Some(text), ..Fields::default() };
        texts(text, &mut self.repaired, &mut self.crosses).1.unwrap_or_default()
    }

    /// The comment that has been carried, borrowed.
    fn stored_comment(&mut self) -> &str {
        let text = Fields { data: self.line.value().map(|line| line.field().1), ..Fields::default() };
        texts(text, &mut self.repaired, &mut self.crosses).1.unwrap_or_default()
    }

    /// What has been found and is not in a chunk, owned.
    fn own_item(&mut self, found: Found<'_>) -> Result<Option<BlockItem>, DecodeError> {
        Ok(Some(match found {
            Found::Stored => BlockItem::Block(self.own_stored_block()),
            Found::StoredComment => {
                BlockItem::Comment(own_comment(self.line.value().map_or(Scanned::from(""), |line| line.field().1)))
            }
            Found::Retry(time) => BlockItem::Block(Block::default().with_retry(time)),
            Found::Error(error) => return Err(error),
            Found::InChunk(_) | Found::Comment(_) | Found::NeedsMore => return Ok(None),
        }))
    }

    /// The event of the stored block, owned. The ID comes first, so that a long one is not copied beside the other
    /// texts.
    #[inline(never)]
    fn own_stored_event(&mut self) -> Event {
        let id = self.own_id();
        let is_named = self.block.event_type.value().is_some_and(|value| is_named(&value));
        let event_type = if is_named { self.own_stored_type() } else { None };
        let data = own_text(self.block.data.value().unwrap_or(Scanned::from("")));
        Event::decoded(event_type, data, id, self.block.retry)
    }

    /// The stored block, owned.
    fn own_stored_block(&mut self) -> Block {
        let sets_id = self.block.id.is_set();
        let id = if self.block.data.is_set() || sets_id { self.own_id() } else { None };
        let event_type = self.own_stored_type();
        let data = self.block.data.value().map(own_text);
        Block::decoded(event_type, data, id, sets_id, self.block.retry)
    }

    /// The type of the stored block, owned. If it is repaired, its buffer is released before the text is copied.
    fn own_stored_type(&mut self) -> Option<Label> {
        let value = self.block.event_type.value()?;
        let Some(text) = utf8::valid(value) else {
            utf8::repair(value.bytes(), &[], &mut self.repaired);
            self.block.event_type = Buffer::default();
            return self.repaired.value().and_then(Scanned::text).map(Label::from_text);
        };
        Some(Label::from_text(text))
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn own_id(&mut self) -> Option<Label> {
        self.last_event_id.as_mut().map(LastEventId::label)
    }
}

/// Sets the last event ID.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn set_id(last_event_id: &mut Option<LastEventId>, id: Scanned<'_>) {
    let last_event_id = last_event_id.get_or_insert_default();
    match utf8::valid(id) {
        Some(id) => last_event_id.set(id),
        None => utf8::repair_into(id.bytes(), last_event_id.begin(utf8::repaired_len(id.bytes()))),
    }
}

/// The last event ID as a block has it. Without an event, the ID that it would inherit is not visible, and must not
/// make two blocks unequal.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn last_id<'a>(last_event_id: &'a Option<LastEventId>, fields: &Fields<'_>) -> Option<&'a str> {
    last_event_id.as_ref().filter(|_| fields.data.is_some() || fields.id.is_some()).map(LastEventId::as_str)
}

/// The type and the data as text. If one of them is not UTF-8, both are repaired.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn texts<'a>(
    fields: Fields<'a>,
    repaired: &'a mut Buffer,
    crosses: &mut Crosses,
) -> (Option<&'a str>, Option<&'a str>) {
    let event_type = fields.event_type.map(utf8::valid);
    let data = fields.data.map(utf8::valid);
    if event_type == Some(None) || data == Some(None) {
        return repaired_texts(&fields, repaired, crosses);
    }
    (event_type.flatten(), data.flatten())
}

#[cold]
fn repaired_texts<'a>(
    fields: &Fields<'_>,
    repaired: &'a mut Buffer,
    crosses: &mut Crosses,
) -> (Option<&'a str>, Option<&'a str>) {
    // Its memory is released when the next block begins, if it is large.
    *crosses = match *crosses {
        Crosses::Nothing => Crosses::Stored,
        Crosses::Lf => Crosses::StoredAndLf,
        other => other,
    };
    let event_type = fields.event_type.map_or(&b""[..], Scanned::bytes);
    let data = fields.data.map_or(&b""[..], Scanned::bytes);
    let (event_type, data) = utf8::repair(event_type, data, repaired);
    (fields.event_type.map(|_| event_type), fields.data.map(|_| data))
}

/// Whether an event with this type is not one of the default type.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn is_named(event_type: &Scanned<'_>) -> bool {
    !matches!(event_type.bytes(), b"" | b"message")
}

#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn own_label(value: Scanned<'_>, repaired: &mut Buffer) -> Label {
    match utf8::valid(value) {
        Some(text) => Label::from_text(text),
        None => Label::from_text(utf8::repair(value.bytes(), &[], repaired).0),
    }
}

/// Data that is stored, owned.
fn own_text(value: Scanned<'_>) -> Data {
    match utf8::valid(value) {
        Some(text) => Data::from_text(text),
        None => Data::from_text(utf8::repaired(value.bytes())),
    }
}

fn own_comment(value: Scanned<'_>) -> Comment {
    match utf8::valid(value) {
        Some(text) => Comment::new(text),
        None => Comment::new(utf8::repaired(value.bytes())),
    }
}

/// Data that will be owned, while its chunk is still borrowed.
enum OwnedData {
    Here(Data),
    /// Text at this place of the chunk, which has been validated.
    InChunk(Range<usize>),
}

impl OwnedData {
    /// A value in this chunk.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn new(value: Scanned<'_>, chunk: &[u8]) -> OwnedData {
        match utf8::valid(value).map(|text| Data::try_from(text).map_err(|()| text)) {
            Some(Ok(short)) => OwnedData::Here(short),
            Some(Err(text)) => {
                debug_assert!(chunk.as_ptr_range().contains(&text.as_ptr()), "the value is in another chunk");
                let begin = text.as_ptr().addr() - chunk.as_ptr().addr();
                OwnedData::InChunk(begin..begin + text.len())
            }
            None => OwnedData::Here(Data::from_text(utf8::repaired(value.bytes()))),
        }
    }

    /// Drops the first `taken` bytes of the chunk, and returns the data.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
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
                // SAFETY: `new` has found the bytes at this place of the chunk to be valid.
                Data::from(unsafe { ByteString::from_bytes_unchecked(data) })
            }
        }
    }
}

/// Drops the first bytes of the chunk.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn pass(chunk: &mut Bytes, taken: usize) {
    match without_chunk(chunk.get(taken..).unwrap_or_default()) {
        // An empty `Bytes` could still keep the chunk in memory.
        Some(rest) => *chunk = rest,
        None => chunk.advance(taken),
    }
}

/// The rest of a chunk, if it need not share the chunk's memory. The last event can then take over the chunk, without a
/// change of its reference count.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn without_chunk(rest: &[u8]) -> Option<Bytes> {
    match rest {
        [] => Some(Bytes::new()),
        // The rest after a CRLF.
        [b'\n'] => Some(Bytes::from_static(b"\n")),
        _ => None,
    }
}

/// The value of a `retry` field, read digit by digit, because it may arrive in pieces.
///
/// `str::parse` has another grammar: it accepts `+5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Digits {
    /// "Consists of only ASCII digits" is also true of an empty value, but that is no time.
    Empty,
    /// The number, saturating.
    Number(u64),
    Invalid,
}

impl Digits {
    fn fold(self, bytes: &[u8]) -> Digits {
        bytes.iter().fold(self, |digits, byte| match (digits, byte) {
            (Digits::Empty, b'0'..=b'9') => Digits::Number(u64::from(byte - b'0')),
            (Digits::Number(number), b'0'..=b'9') => {
                let tens = number.checked_mul(10).and_then(|tens| tens.checked_add(u64::from(byte - b'0')));
                Digits::Number(tens.unwrap_or(u64::MAX))
            }
            _ => Digits::Invalid,
        })
    }
}

impl Default for Decoder {
    fn default() -> Decoder {
        Decoder::new()
    }
}
