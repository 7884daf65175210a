//! All the ways to decode bytes into events. Each returns an outcome of the naive twin's type, so that all of them
//! can be compared.

use crate::naive::{self, Item, Options, Outcome, push};
use bytes::Bytes;
use eventwire::{
    DecodeError, Decoder, Eof, Error, Event, EventRef, EventStream, Events, InvalidUtf8, Position, line::Field,
};
use futures_util::{FutureExt, StreamExt, stream};
use std::{
    cell::Cell,
    convert::Infallible,
    io::{self, Read},
};

pub(crate) const ALL: [(&str, Route); 5] =
    [("borrowed", borrowed), ("owned", owned), ("iterator", iterator), ("reader", reader), ("stream", asynchronous)];

pub(crate) type Route = fn(&[&[u8]], &Options<'_>) -> Outcome;

/// Checks every route over these chunks against an outcome.
#[track_caller]
pub(crate) fn check(chunks: &[&[u8]], options: &Options<'_>, expected: &Outcome) {
    for (name, route) in ALL {
        let outcome = route(chunks, options);
        assert_eq!(outcome, *expected, "{name}, {options:?}, chunks {}", show(chunks));
    }
}

pub(crate) fn show(chunks: &[&[u8]]) -> String {
    chunks.iter().map(|chunk| format!("b\"{}\"", chunk.escape_ascii())).collect::<Vec<_>>().join(", ")
}

pub(crate) fn decoder(options: &Options<'_>) -> Decoder {
    let eof = match options.eof {
        naive::Eof::Discard => Eof::Discard,
        naive::Eof::Dispatch => Eof::Dispatch,
        naive::Eof::Error => Eof::Error,
    };
    let invalid_utf8 = if options.is_strict { InvalidUtf8::Reject } else { InvalidUtf8::Replace };
    let decoder =
        Decoder::new().with_max_event_size(options.max_event_size).with_eof(eof).with_invalid_utf8(invalid_utf8);
    decoder.with_last_event_id(options.last_event_id).expect("an ID that a stream can set")
}

pub(crate) fn borrowed(chunks: &[&[u8]], options: &Options<'_>) -> Outcome {
    let mut decoder = decoder(options);
    let (mut items, mut taken) = (Vec::new(), 0);
    for chunk in chunks {
        let mut input = *chunk;
        loop {
            let before = input.len();
            let item = match decoder.decode(&mut input) {
                Ok(Some(event)) => {
                    let copy = event.to_event();
                    assert_eq!(
                        (event.event_type(), event.data(), event.id(), event.has_id(), event.retry()),
                        (copy.event_type(), copy.data(), copy.id(), copy.has_id(), copy.retry())
                    );
                    item(Ok(copy))
                }
                Ok(None) => {
                    assert!(input.is_empty(), "`Ok(None)` means that the input is consumed");
                    taken += before;
                    break;
                }
                Err(error) => item(Err(error)),
            };
            taken += before - input.len();
            push(&mut items, taken, item);
        }
    }
    finish(decoder, items, taken, &EVENTS)
}

pub(crate) fn owned(chunks: &[&[u8]], options: &Options<'_>) -> Outcome {
    owned_by(chunks, options, &EVENTS)
}

/// How a decoder is called for events, or for all blocks.
pub(crate) struct Way<T> {
    pub(crate) next: fn(&mut Decoder, &mut Bytes) -> Result<Option<T>, DecodeError>,
    pub(crate) finish: fn(&mut Decoder) -> Result<Option<T>, DecodeError>,
    pub(crate) item: fn(Result<T, DecodeError>) -> Item,
}

const EVENTS: Way<Event> = Way { next: Decoder::decode_bytes, finish: Decoder::finish, item };

pub(crate) fn owned_by<T>(chunks: &[&[u8]], options: &Options<'_>, way: &Way<T>) -> Outcome {
    let mut decoder = decoder(options);
    let (mut items, mut taken) = (Vec::new(), 0);
    for chunk in chunks {
        let mut input = Bytes::copy_from_slice(chunk);
        while let Some(outcome) = (way.next)(&mut decoder, &mut input).transpose() {
            push(&mut items, taken + chunk.len() - input.len(), (way.item)(outcome));
        }
        assert!(input.is_empty(), "`Ok(None)` means that the input is consumed");
        taken += chunk.len();
    }
    finish(decoder, items, taken, way)
}

/// Ends the stream, and returns all items and the state after it.
pub(crate) fn finish<T>(mut decoder: Decoder, mut items: Vec<(usize, Item)>, taken: usize, way: &Way<T>) -> Outcome {
    while let Some(outcome) = (way.finish)(&mut decoder).transpose() {
        push(&mut items, taken, (way.item)(outcome));
    }
    assert_eq!(decoder.position(), Position::BetweenBlocks);
    assert!(matches!((way.finish)(&mut decoder), Ok(None)), "a stream of no bytes");
    outcome(items, &decoder)
}

/// The chunks as a source, each converted by `chunk`. The source counts the bytes that it has returned.
pub(crate) fn counted<'a, B>(
    chunks: &'a [&'a [u8]],
    given: &'a Cell<usize>,
    chunk: fn(&[u8]) -> B,
) -> impl Iterator<Item = Result<B, Infallible>> + 'a
where
    B: 'a,
{
    chunks.iter().map(move |bytes| {
        given.set(given.get() + bytes.len());
        Ok(chunk(bytes))
    })
}

pub(crate) fn iterator(chunks: &[&[u8]], options: &Options<'_>) -> Outcome {
    let given = Cell::new(0);
    synchronous(Events::with_decoder(counted(chunks, &given, <[u8]>::to_vec), decoder(options)), &given)
}

pub(crate) fn reader(chunks: &[&[u8]], options: &Options<'_>) -> Outcome {
    struct Chunks<'a> {
        chunks: Vec<&'a [u8]>,
        given: &'a Cell<usize>,
        interrupt: bool,
    }
    impl Read for Chunks<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            // Every other read is interrupted, which must not be treated as an error.
            self.interrupt = !self.interrupt;
            if self.interrupt {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let Some(chunk) = self.chunks.last_mut() else { return Ok(0) };
            let count = chunk.read(buffer)?;
            if chunk.is_empty() {
                self.chunks.pop();
            }
            self.given.set(self.given.get() + count);
            Ok(count)
        }
    }
    let given = Cell::new(0);
    // A reader cannot return an empty chunk, because a read of no bytes means the end.
    let chunks = chunks.iter().rev().copied().filter(|chunk| !chunk.is_empty()).collect();
    let source = eventwire::ReadChunks::new(Chunks { chunks, given: &given, interrupt: false });
    synchronous(Events::with_decoder(source, decoder(options)), &given)
}

fn synchronous<I, B, E>(mut events: Events<I>, given: &Cell<usize>) -> Outcome
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
    E: std::fmt::Debug,
{
    let mut items = Vec::new();
    while let Some(outcome) = events.next() {
        push(&mut items, given.get() - events.remaining().len(), item(outcome.map_err(decode_error)));
    }
    assert!(events.next().is_none(), "fused");
    outcome(items, events.decoder())
}

pub(crate) fn asynchronous(chunks: &[&[u8]], options: &Options<'_>) -> Outcome {
    let given = Cell::new(0);
    let source = stream::iter(counted(chunks, &given, Bytes::copy_from_slice));
    let mut events = EventStream::with_decoder(source, decoder(options));
    let mut items = Vec::new();
    while let Some(outcome) = events.next().now_or_never().expect("the source is always ready") {
        push(&mut items, given.get() - events.remaining().len(), item(outcome.map_err(decode_error)));
    }
    assert!(events.next().now_or_never().expect("the source is always ready").is_none(), "fused");
    outcome(items, events.decoder())
}

pub(crate) fn decode_error<E: std::fmt::Debug>(error: Error<E>) -> DecodeError {
    match error {
        Error::Decode(error) => error,
        other => panic!("the source does not fail: {other:?}"),
    }
}

pub(crate) fn item(outcome: Result<Event, DecodeError>) -> Item {
    match outcome {
        Ok(event) => Item::Event(twin_of(EventRef::from(&event))),
        Err(error) => error_item(error),
    }
}

pub(crate) fn twin_of(event: EventRef<'_>) -> naive::Event {
    naive::Event {
        event_type: event.event_type().into(),
        data: event.data().into(),
        id: event.has_id().then(|| event.id().into()),
        retry: event.retry().map(milliseconds),
    }
}

pub(crate) fn error_item(error: DecodeError) -> Item {
    match error {
        DecodeError::EventTooLarge { .. } => Item::EventTooLarge,
        DecodeError::CommentTooLarge { .. } => Item::CommentTooLarge,
        DecodeError::InvalidUtf8(text) => {
            let field = match text.field() {
                Field::Data => "data",
                Field::EventType => "event",
                Field::Id => "id",
                Field::Comment => "comment",
                other => panic!("{other:?} is never text"),
            };
            Item::InvalidUtf8 { field, offset: text.offset() }
        }
        DecodeError::UnexpectedEof => Item::UnexpectedEof,
        other => panic!("an unexpected error: {other:?}"),
    }
}

pub(crate) fn outcome(items: Vec<(usize, Item)>, decoder: &Decoder) -> Outcome {
    Outcome {
        items,
        last_event_id: decoder.last_event_id().into(),
        reconnection_time: decoder.reconnection_time().map(milliseconds),
    }
}

pub(crate) fn milliseconds(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).expect("no more than was in the stream")
}
