//! The decoder: bytes in, events out, as the standard describes it.

mod block_buffers;
mod blocks;
mod borrowed;
mod comment_buffer;
mod data_buffer;
mod decode_error;
mod digits;
mod eof;
mod input;
mod interpreter;
mod invalid_text;
mod invalid_utf8;
mod last_event_id;
mod open_line;
mod owned_data;
mod progress;
mod recent_type;
mod scope;
mod size;
mod text_buffer;
mod utf8;

pub use self::{decode_error::DecodeError, eof::Eof, invalid_text::InvalidText, invalid_utf8::InvalidUtf8};

use self::{
    borrowed::{Borrowed, Plain},
    input::{Fresh, Input},
    interpreter::Interpreter,
    owned_data::OwnedData,
    progress::Progress,
    scope::EventsOnly,
};
use crate::{
    event::{Event, EventRef, IdOrigin, InvalidField, Label},
    line::{LineSplitter, Part, Scanned, Walk},
};
use bytes::Bytes;
use core::time::Duration;

/// The limit on an event's size unless another is set, in bytes.
const DEFAULT_MAX_EVENT_SIZE: usize = 16 * 1024 * 1024;

/// Decodes an event stream, chunk by chunk.
///
/// It takes bytes and returns events; it does no I/O and needs no clock. It holds the
/// standard's buffers: [data, event type, last event ID] and the [reconnection time].
///
/// # From a chunk to its events
///
/// [`decode`](Decoder::decode) takes bytes off the front of its input, up to and including the next event. `Ok(None)`
/// means that the input is used up and more is needed. The event is lent, from the chunk where that is possible:
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
/// A function that *returns* the lent event out of a loop meets a limit of today's borrow checker (E0499):
///
/// ```compile_fail,E0499
/// # use eventwire::{DecodeError, Decoder, EventRef};
/// fn next<'d>(decoder: &'d mut Decoder, mut chunks: impl Iterator<Item = &'d [u8]>) -> Result<Option<EventRef<'d>>, DecodeError> {
///     while let Some(mut input) = chunks.next() {
///         if let Some(event) = decoder.decode(&mut input)? {
///             return Ok(Some(event)); // the decoder counts as lent in the rounds that do not return, too
///         }
///     }
///     Ok(None)
/// }
/// ```
///
/// The ways around it: do the work inside a `while let`, as in the first example, or take owned events with
/// [`decode_bytes`](Decoder::decode_bytes), which lends nothing:
///
/// ```
/// # use eventwire::{DecodeError, Decoder, Event};
/// # use bytes::Bytes;
/// fn next(decoder: &mut Decoder, input: &mut Bytes, chunks: &mut impl Iterator<Item = Bytes>) -> Result<Option<Event>, DecodeError> {
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
/// An event of more than [`with_max_event_size`](Decoder::with_max_event_size) bytes, 16 MiB unless set, is an error, and the
/// decoder's memory is at most a small multiple of that limit, [stated with it](Decoder::with_max_event_size). A
/// buffer that one large event has made larger than 64 KiB is given back after 32 small ones.
///
/// [data, event type, last event ID]: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
/// [reconnection time]: https://html.spec.whatwg.org/multipage/server-sent-events.html#concept-event-stream-reconnection-time
#[derive(Clone, Debug)]
pub struct Decoder {
    splitter: LineSplitter,
    interpreter: Interpreter,
    eof: Eof,
}

impl Decoder {
    /// A decoder at the start of a stream: events up to 16 MiB, [`Eof::Discard`], no last event ID.
    #[must_use]
    pub fn new() -> Decoder {
        Decoder {
            splitter: LineSplitter::new(),
            interpreter: Interpreter::new(DEFAULT_MAX_EVENT_SIZE),
            eof: Eof::default(),
        }
    }

    /// Sets the largest size of an event, in bytes.
    ///
    /// The size is the number of bytes of the event's `data`, `event` and `id` lines, names and colons included, each line
    /// end counted as one, whether or not the line takes effect. `retry` and unknown lines cost nothing and are never
    /// held; neither are comments, unless you ask for [blocks](Decoder::decode_block). A larger event is one [`DecodeError::EventTooLarge`] in its place among the results.
    ///
    /// The decoder's memory is at most 3 times the limit for an event of valid text, counting both the old and the new
    /// memory of a buffer that grows, and 5 times where the data has to be repaired (U+FFFD is three bytes long). The
    /// worst sequence that is known, of blocks made to have every buffer as large as it gets, comes to 18 times, and to 24
    /// with an owned event of it; a broken type or ID alone, to 8 and 11. An event whole in its chunk costs nothing. For
    /// those who read blocks a comment has the limit for itself, and takes 3 times that, or 5 if it has to be repaired.
    ///
    /// The limit, 16 MiB by default, also bounds how long one call can keep its thread, or its executor, busy. Data
    /// that is not valid UTF-8 takes longer than valid text, because it is repaired, in one piece when the event ends.
    /// If peers may send such data and other tasks share the thread, set a lower limit, or refuse it with
    /// [`with_invalid_utf8`](Decoder::with_invalid_utf8).
    ///
    /// A limit that is set in the middle of an event holds from the next of its bytes that counts.
    ///
    /// ```
    /// use eventwire::{DecodeError, Decoder};
    ///
    /// let mut decoder = Decoder::new().with_max_event_size(10);
    /// let mut input = &b"data: 12345\n\ndata: 123\n\n"[..];
    /// assert!(matches!(decoder.decode(&mut input), Err(DecodeError::EventTooLarge { limit: 10, .. })));
    /// assert_eq!(decoder.decode(&mut input)?.unwrap().data(), "123");
    /// # Ok::<(), DecodeError>(())
    /// ```
    #[must_use]
    pub fn with_max_event_size(mut self, bytes: usize) -> Decoder {
        self.interpreter.set_limit(bytes);
        self
    }

    /// The largest size of an event, in bytes.
    #[must_use]
    pub fn max_event_size(&self) -> usize {
        self.interpreter.limit()
    }

    /// Sets what happens to values that are not valid UTF-8. By default invalid bytes become U+FFFD, as in the standard.
    ///
    /// With [`InvalidUtf8::Error`] the values that would take effect are checked: the type, the ID and the data of a block, and each comment for
    /// those who read blocks. Others are not, such as the first of two `event` lines, or an ID with a NUL.
    ///
    /// ```
    /// use eventwire::{DecodeError, Decoder, InvalidUtf8, line::Field};
    ///
    /// let mut decoder = Decoder::new().with_invalid_utf8(InvalidUtf8::Error);
    /// let mut input = &b"id: 1\ndata: caf\xE9\n\ndata: caf\xC3\xA9\n\n"[..];
    /// match decoder.decode(&mut input) {
    ///     Err(DecodeError::InvalidUtf8(text)) => assert_eq!((text.field(), text.offset()), (Field::Data, 3)),
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

    /// Sets what [`finish`](Decoder::finish) does with what is unfinished.
    #[must_use]
    pub fn with_eof(mut self, eof: Eof) -> Decoder {
        self.eof = eof;
        self
    }

    /// What [`finish`](Decoder::finish) does with what is unfinished.
    #[must_use]
    pub const fn eof(&self) -> Eof {
        self.eof
    }

    /// Sets the last event ID, as from an earlier connection. It stays until the stream sets another. `""` is none.
    ///
    /// # Errors
    ///
    /// [`InvalidField`] if there is a CR, an LF or a NUL in `id`: no stream can set such an ID.
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
    /// An event that is being read gets this ID too, unless its block sets another.
    ///
    /// # Errors
    ///
    /// [`InvalidField`] if there is a CR, an LF or a NUL in `id`; the ID stays as it was.
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

    /// Takes bytes off the front of `input` up to and including the next event, and lends that event.
    ///
    /// `Ok(None)` means that `input` is used up. An event is out with the byte that completes it: at a CR, an LF that
    /// belongs to it is left in the input and passed over by the next call. Nothing is allocated once the
    /// decoder's buffers have grown.
    ///
    /// # Errors
    ///
    /// [`DecodeError::EventTooLarge`], once, in the event's place among the results. Call again to go on: the rest of the event is
    /// skipped.
    #[inline]
    pub fn decode<'d, 'c: 'd>(&'d mut self, input: &mut &'c [u8]) -> Result<Option<EventRef<'d>>, DecodeError> {
        let mut walk = self.splitter.walk(input);
        // One step after the other: an enum of what they find would make this a sixth slower.
        if let Some((part, data)) = self.interpreter.lone_line(&mut walk) {
            *input = self.splitter.leave(&walk);
            if part == Part::Line {
                return self.interpreter.lend_data(data);
            }
            self.interpreter.begin_lone_line(data);
            return Ok(None);
        }
        if self.interpreter.take_continuation::<EventsOnly>(&mut walk) {
            *input = self.splitter.leave(&walk);
            return Ok(None);
        }
        if self.interpreter.take_blank_line::<EventsOnly>(&mut walk) {
            *input = self.splitter.leave(&walk);
            return Ok(Some(self.interpreter.lend(&Borrowed::default())));
        }
        let copy = walk;
        self.decode_lines(&copy, input)
    }

    /// The rest of [`decode`](Decoder::decode): the other fast paths, then any lines in any state.
    #[inline(never)]
    fn decode_lines<'d, 'c: 'd>(
        &'d mut self,
        walk: &Walk<'c>,
        input: &mut &'c [u8],
    ) -> Result<Option<EventRef<'d>>, DecodeError> {
        let mut walk = *walk;
        let mut plain = Plain::default();
        if self.interpreter.plain_lines(&mut walk, &mut plain) {
            *input = self.splitter.leave(&walk);
            return Ok(Some(self.interpreter.lend_plain(&plain)));
        }
        if self.interpreter.more_lines(&mut walk, &mut plain) {
            *input = self.splitter.leave(&walk);
            return Ok(None);
        }
        let mut borrowed = Borrowed::from(plain);
        let progress = self.interpreter.read::<EventsOnly>(&mut walk, &mut borrowed);
        *input = self.splitter.leave(&walk);
        match progress {
            Progress::Event => Ok(Some(self.interpreter.lend(&borrowed))),
            Progress::TooLarge => Err(self.interpreter.too_large()),
            Progress::Invalid(error) => Err(error),
            _ => Ok(None),
        }
    }

    /// Takes bytes off the front of `input` up to and including the next event, and gives that event, owned.
    ///
    /// The same as [`decode`](Decoder::decode) in all else. An event with one valid data line, whole in its chunk, shares the
    /// chunk's memory, unless it has at most 23 bytes of data, which are in the event itself. A type or an ID of up to
    /// 23 bytes is too; a longer one is allocated, unless the event before has the same. (The first slice of a `Bytes` that
    /// was made from a `Vec` allocates a counter, once a chunk.)
    ///
    /// # Errors
    ///
    /// As [`decode`](Decoder::decode).
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

    /// The same, inlined, for adapters that return another type than `decode_bytes` does: an event is made as that type, since moving it
    /// there would take as long as decoding it.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) fn decode_bytes_as<T>(
        &mut self,
        input: &mut Bytes,
        returned: impl Fn(Result<Option<Event>, DecodeError>) -> T,
    ) -> T {
        self.decode_input(input, returned)
    }

    /// The same, of a chunk that has just come from its source. What is left of it, if anything, is stored as `rest`.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) fn decode_chunk_as<T>(
        &mut self,
        chunk: Bytes,
        rest: &mut Bytes,
        returned: impl Fn(Result<Option<Event>, DecodeError>) -> T,
    ) -> T {
        self.decode_input(Fresh { chunk, rest }, returned)
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn decode_input<T>(&mut self, input: impl Input, returned: impl Fn(Result<Option<Event>, DecodeError>) -> T) -> T {
        let chunk = input.chunk();
        let mut walk = self.splitter.walk(chunk);
        if let Some((part, data)) = self.interpreter.lone_line(&mut walk) {
            let taken = chunk.len() - self.splitter.leave(&walk).len();
            if part == Part::Line {
                let data = OwnedData::value(data, chunk);
                return self.own(input, taken, None, data, IdOrigin::Inherited, returned);
            }
            self.interpreter.begin_lone_line(data);
            input.use_up();
            return returned(Ok(None));
        }
        if self.interpreter.take_continuation::<EventsOnly>(&mut walk) {
            self.splitter.leave(&walk);
            input.use_up();
            return returned(Ok(None));
        }
        let is_event = self.interpreter.take_blank_line::<EventsOnly>(&mut walk);
        let passed = chunk.len() - self.splitter.leave(&walk).len();
        if is_event {
            input.pass(passed);
            return returned(Ok(Some(self.interpreter.own_buffered())));
        }
        self.decode_bytes_lines(input, passed, returned)
    }

    /// The rest of [`decode_bytes`](Decoder::decode_bytes), after the first `passed` bytes.
    #[inline(never)]
    fn decode_bytes_lines<T>(
        &mut self,
        input: impl Input,
        passed: usize,
        returned: impl Fn(Result<Option<Event>, DecodeError>) -> T,
    ) -> T {
        let chunk = input.chunk();
        let mut walk = self.splitter.walk(&chunk[passed..]);
        let mut plain = Plain::default();
        if self.interpreter.plain_lines(&mut walk, &mut plain) {
            let taken = chunk.len() - self.splitter.leave(&walk).len();
            let event_type = self.interpreter.own_plain_type(&plain);
            let origin = plain.id_origin();
            let data = OwnedData::value(Scanned::from(plain.data.unwrap_or_default()), chunk);
            return self.own(input, taken, event_type, data, origin, returned);
        }
        if self.interpreter.more_lines(&mut walk, &mut plain) {
            self.splitter.leave(&walk);
            input.use_up();
            return returned(Ok(None));
        }
        let mut borrowed = Borrowed::from(plain);
        let progress = self.interpreter.read::<EventsOnly>(&mut walk, &mut borrowed);
        let taken = chunk.len() - self.splitter.leave(&walk).len();
        match progress {
            Progress::Event => {
                let event_type = self.interpreter.own_type(&borrowed);
                let origin = self.interpreter.id_origin(&borrowed);
                if let Some(value) = borrowed.data {
                    let data = OwnedData::value(value, chunk);
                    return self.own(input, taken, event_type, data, origin, returned);
                }
                input.pass(taken);
                let data = self.interpreter.take_data();
                returned(Ok(Some(self.interpreter.own(event_type, data, origin))))
            }
            Progress::TooLarge => {
                input.pass(taken);
                returned(Err(self.interpreter.too_large()))
            }
            Progress::Invalid(error) => {
                input.pass(taken);
                returned(Err(error))
            }
            _ => {
                input.use_up();
                returned(Ok(None))
            }
        }
    }

    /// The finished event of this type and data, the first `taken` bytes of `input`.
    ///
    /// Data of each kind has a path of its own. Where the two meet again the event would be copied, which takes as long as decoding it.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn own<T>(
        &mut self,
        input: impl Input,
        taken: usize,
        event_type: Option<Label>,
        data: OwnedData,
        origin: IdOrigin,
        returned: impl Fn(Result<Option<Event>, DecodeError>) -> T,
    ) -> T {
        match data {
            OwnedData::Here(data) => {
                input.pass(taken);
                returned(Ok(Some(self.interpreter.own(event_type, data, origin))))
            }
            OwnedData::InChunk(place) => {
                let data = utf8::validated(input.take(taken, place)).into();
                returned(Ok(Some(self.interpreter.own(event_type, data, origin))))
            }
        }
    }

    /// Ends the stream, and makes the decoder ready for the next one, of the same source.
    ///
    /// What is unfinished is dealt with as [`Eof`] says. The last event ID and the reconnection time stay; a byte order
    /// mark is expected again.
    ///
    /// # Errors
    ///
    /// [`DecodeError::UnexpectedEof`] with [`Eof::Error`]; [`DecodeError::EventTooLarge`] with [`Eof::Dispatch`] and a limit of a few
    /// bytes, if an unfinished line turns out to be a field only now that the stream has ended. There is
    /// nothing to report where the block has gone over the limit before.
    ///
    /// ```
    /// use eventwire::{DecodeError, Decoder, Eof};
    ///
    /// let mut decoder = Decoder::new().with_eof(Eof::Error);
    /// assert_eq!(decoder.decode(&mut &b"data: cut o"[..])?, None);
    /// assert_eq!(decoder.finish(), Err(DecodeError::UnexpectedEof));
    ///
    /// let mut decoder = Decoder::new().with_eof(Eof::Dispatch);
    /// assert_eq!(decoder.decode(&mut &b"data: the last"[..])?, None);
    /// assert_eq!(decoder.finish()?.unwrap().data(), "the last");
    /// # Ok::<(), DecodeError>(())
    /// ```
    pub fn finish(&mut self) -> Result<Option<Event>, DecodeError> {
        let outcome = self.interpreter.finish(self.eof, &self.splitter);
        self.reset();
        outcome
    }

    /// Drops what is unfinished and makes the decoder ready for the next stream of the same source.
    ///
    /// Use it when a connection breaks, and [`finish`](Decoder::finish) when it ends in order. The difference matters with
    /// [`Eof::Dispatch`] and [`Eof::Error`]: `reset` neither dispatches the half event nor reports it, and its ID does not become the
    /// last event ID. The last event ID and the reconnection time of earlier blocks stay; so does a `retry` whose line is complete.
    /// A byte order mark is expected again. Settings stay.
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
        self.splitter = LineSplitter::new();
        self.interpreter.discard();
    }

    /// Whether the bytes so far end inside an event: whether a stream that ended now would be cut off.
    ///
    /// It is what [`Eof::Error`] reports when the stream ends, and an event that [is too large](DecodeError::EventTooLarge) and has
    /// not ended either. An unfinished comment is not an event.
    ///
    /// ```
    /// use eventwire::Decoder;
    ///
    /// let mut decoder = Decoder::new();
    /// assert!(!decoder.is_within_event());
    /// decoder.decode(&mut &b"data: Hel"[..])?;
    /// assert!(decoder.is_within_event());
    /// decoder.decode(&mut &b"lo\n\n: pi"[..])?;
    /// assert!(!decoder.is_within_event());
    /// # Ok::<(), eventwire::DecodeError>(())
    /// ```
    #[must_use]
    pub fn is_within_event(&self) -> bool {
        self.interpreter.is_within_event(&self.splitter)
    }

    /// The last event ID: what a client sends back as `Last-Event-ID`. `""` for none.
    ///
    /// An ID takes hold at the blank line that ends its block, with data in the block or without.
    #[inline]
    #[must_use]
    pub fn last_event_id(&self) -> &str {
        self.interpreter.last_event_id()
    }

    /// The last valid `retry`. It counts as soon as its line is over.
    ///
    /// In one case that is taken back: a block that is refused for [invalid UTF-8](Decoder::with_invalid_utf8) has no effect at
    /// all.
    #[must_use]
    pub fn reconnection_time(&self) -> Option<Duration> {
        self.interpreter.reconnection_time()
    }

    /// Whether the bytes so far end between two events: at the start of a line, with no data, event or id line pending.
    ///
    /// ```
    /// let mut decoder = eventwire::Decoder::new();
    /// assert!(decoder.is_between_events());
    /// decoder.decode(&mut &b"data: 1\n"[..])?;
    /// assert!(!decoder.is_between_events());
    /// decoder.decode(&mut &b"\n: keep-alive\n"[..])?;
    /// assert!(decoder.is_between_events());
    /// # Ok::<(), eventwire::DecodeError>(())
    /// ```
    #[must_use]
    pub fn is_between_events(&self) -> bool {
        !self.splitter.is_within_line() && self.interpreter.is_between_blocks()
    }
}

impl Default for Decoder {
    fn default() -> Decoder {
        Decoder::new()
    }
}
