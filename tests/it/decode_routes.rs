//! All the ways to decode bytes, into events or into blocks, as `Options::scope` says. Each returns an outcome of the
//! naive twin's type, so that all of them can be compared.

use crate::{
    always_ready,
    naive::{self, Item, Options, Outcome, Scope, push},
};
use bytes::Bytes;
use eventwire::{
    BlockItem, BlockItemRef, DecodeError, Decoder, Eof, Error, Event, EventRef, Events, Outgoing, Position, Utf8Policy,
    adapters::Blocks, line::Field,
};
use futures_util::{Stream, StreamExt, stream};
use std::{
    cell::Cell,
    convert::Infallible,
    fmt::Debug,
    io::{self, Read},
    ops::Deref,
};

/// The first two call the decoder, the others an adapter.
pub(crate) const ALL: [(&str, Route); 5] =
    [("borrowed", borrowed), ("owned", owned), ("iterator", iterator), ("reader", reader), ("stream", asynchronous)];

pub(crate) type Route = fn(&[&[u8]], &Options<'_>) -> Outcome;

/// Checks every route over these chunks against an outcome.
#[track_caller]
pub(crate) fn check(chunks: &[&[u8]], options: &Options<'_>, expected: &Outcome) {
    check_by(&ALL, chunks, options, expected);
}

#[track_caller]
pub(crate) fn check_by(routes: &[(&str, Route)], chunks: &[&[u8]], options: &Options<'_>, expected: &Outcome) {
    for (name, route) in routes {
        let outcome = route(chunks, options);
        assert_eq!(outcome, *expected, "{name}, {options:?}, chunks {}", show(chunks));
    }
}

fn show(chunks: &[&[u8]]) -> String {
    chunks.iter().map(|chunk| format!("b\"{}\"", chunk.escape_ascii())).collect::<Vec<_>>().join(", ")
}

pub(crate) fn decoder(options: &Options<'_>) -> Decoder {
    let eof = match options.eof {
        naive::Eof::Discard => Eof::Discard,
        naive::Eof::Dispatch => Eof::Dispatch,
        naive::Eof::Error => Eof::Error,
    };
    let utf8_policy = match options.utf8_policy {
        naive::Utf8Policy::Replace => Utf8Policy::Replace,
        naive::Utf8Policy::Stop => Utf8Policy::Stop,
    };
    let mut decoder =
        Decoder::new().with_max_event_size(options.max_event_size).with_eof(eof).with_utf8_policy(utf8_policy);
    if options.scope == Scope::WithoutComments {
        decoder = decoder.without_comments();
    }
    decoder.with_last_event_id(options.last_event_id).expect("an ID that a stream can set")
}

pub(crate) fn borrowed(chunks: &[&[u8]], options: &Options<'_>) -> Outcome {
    match options.scope {
        Scope::Events => decoded(chunks, options, |chunk| chunk, event_copy, Decoder::finish),
        Scope::Blocks | Scope::WithoutComments => {
            decoded(chunks, options, |chunk| chunk, block_copy, Decoder::finish_block)
        }
    }
}

fn event_copy(decoder: &mut Decoder, input: &mut &[u8]) -> Result<Option<Event>, DecodeError> {
    let Some(event) = decoder.decode(input)? else { return Ok(None) };
    let copy = event.to_event();
    assert_eq!(
        (event.event_type(), event.data(), event.last_event_id(), event.has_id(), event.retry()),
        (copy.event_type(), copy.data(), copy.last_event_id(), copy.has_id(), copy.retry())
    );
    Ok(Some(copy))
}

fn block_copy(decoder: &mut Decoder, input: &mut &[u8]) -> Result<Option<BlockItem>, DecodeError> {
    let Some(item) = decoder.decode_block(input)? else { return Ok(None) };
    let copy = item.to_item();
    assert_eq!(BlockItemRef::from(&copy), item);
    let mut bytes = Vec::new();
    item.encode(&mut bytes);
    assert_eq!(Outgoing::from(copy.clone()).into_bytes(), bytes);
    Ok(Some(copy))
}

pub(crate) fn owned(chunks: &[&[u8]], options: &Options<'_>) -> Outcome {
    let chunk = Bytes::copy_from_slice;
    match options.scope {
        Scope::Events => decoded(chunks, options, chunk, Decoder::decode_bytes, Decoder::finish),
        Scope::Blocks | Scope::WithoutComments => {
            decoded(chunks, options, chunk, Decoder::decode_block_bytes, Decoder::finish_block)
        }
    }
}

/// Takes every item from a decoder by `next`, and at the end by `finish`. Each chunk is converted by `chunk`.
fn decoded<'a, B: Deref<Target = [u8]>, T: Into<Item>>(
    chunks: &[&'a [u8]],
    options: &Options<'_>,
    chunk: impl Fn(&'a [u8]) -> B,
    next: impl Fn(&mut Decoder, &mut B) -> Result<Option<T>, DecodeError>,
    finish: impl Fn(&mut Decoder) -> Result<Option<T>, DecodeError>,
) -> Outcome {
    let mut decoder = decoder(options);
    let (mut items, mut taken) = (Vec::new(), 0);
    for bytes in chunks {
        if let Some((_, limit)) = options.new_limit.filter(|(place, _)| *place == taken) {
            decoder = decoder.with_max_event_size(limit);
        }
        taken += bytes.len();
        let mut input = chunk(bytes);
        while let Some(outcome) = next(&mut decoder, &mut input).transpose() {
            let taken = taken - input.len();
            assert_eq!(decoder.bytes_read(), taken as u64);
            push(&mut items, taken, item(outcome));
        }
        assert!(input.is_empty(), "`Ok(None)` means that the input is consumed");
    }
    while let Some(outcome) = finish(&mut decoder).transpose() {
        push(&mut items, taken, item(outcome));
    }
    assert_eq!((decoder.position(), decoder.bytes_read()), (Position::BetweenBlocks, 0));
    assert!(matches!(finish(&mut decoder), Ok(None)), "a stream of no bytes");
    outcome(items, &decoder)
}

/// The chunks as a source, each converted by `chunk`. The source counts the bytes that it has returned.
fn counted<'a, B>(
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

fn iterator(chunks: &[&[u8]], options: &Options<'_>) -> Outcome {
    let given = Cell::new(0);
    synchronous(Events::new(counted(chunks, &given, <[u8]>::to_vec)), options, &given)
}

fn reader(chunks: &[&[u8]], options: &Options<'_>) -> Outcome {
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
    synchronous(Events::new(source), options, &given)
}

fn synchronous<I, B, E>(events: Events<I>, options: &Options<'_>, given: &Cell<usize>) -> Outcome
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
    E: Debug,
{
    let events = events.with_decoder(decoder(options));
    match options.scope {
        Scope::Events => pulled(events, |events| events, Iterator::next, given),
        Scope::Blocks | Scope::WithoutComments => pulled(events.blocks(), Blocks::get_ref, Iterator::next, given),
    }
}

pub(crate) fn asynchronous(chunks: &[&[u8]], options: &Options<'_>) -> Outcome {
    fn next<S: Stream + Unpin>(stream: &mut S) -> Option<S::Item> {
        always_ready::run(stream.next())
    }
    let given = Cell::new(0);
    let source = stream::iter(counted(chunks, &given, Bytes::copy_from_slice));
    let events = Events::new(source).with_decoder(decoder(options));
    match options.scope {
        Scope::Events => pulled(events, |events| events, next, &given),
        Scope::Blocks | Scope::WithoutComments => pulled(events.blocks(), Blocks::get_ref, next, &given),
    }
}

/// Takes every item from an adapter by `next`. The source has counted the bytes that it has `given`.
fn pulled<A, S, T: Into<Item>, E: Debug>(
    mut adapter: A,
    events: impl Fn(&A) -> &Events<S>,
    next: impl Fn(&mut A) -> Option<Result<T, Error<E>>>,
    given: &Cell<usize>,
) -> Outcome {
    let mut items = Vec::new();
    while let Some(outcome) = next(&mut adapter) {
        let taken = given.get() - events(&adapter).remaining().len();
        push(&mut items, taken, item(outcome.map_err(decode_error)));
    }
    assert!(next(&mut adapter).is_none(), "fused");
    outcome(items, events(&adapter).decoder())
}

pub(crate) fn decode_error<E: Debug>(error: Error<E>) -> DecodeError {
    match error {
        Error::Decode(error) => error,
        other => panic!("the source does not fail: {other:?}"),
    }
}

pub(crate) fn item<T: Into<Item>>(outcome: Result<T, DecodeError>) -> Item {
    outcome.map_or_else(Item::from, T::into)
}

impl From<Event> for Item {
    fn from(event: Event) -> Item {
        Item::Event(twin_of(EventRef::from(&event)))
    }
}

impl From<BlockItem> for Item {
    fn from(item: BlockItem) -> Item {
        match item {
            BlockItem::Block(block) => Item::Block(naive::Block {
                event_type: block.event_type().map(str::to_owned),
                data: block.data().map(str::to_owned),
                id: block.id().map(str::to_owned),
                retry: block.retry().map(milliseconds),
                event: block.event().map(twin_of),
            }),
            BlockItem::Comment(comment) => Item::Comment(comment.text().into()),
        }
    }
}

impl From<DecodeError> for Item {
    fn from(error: DecodeError) -> Item {
        let is_in_comment = error.is_in_comment();
        let item = match error {
            DecodeError::EventTooLarge { .. } => Item::EventTooLarge,
            DecodeError::CommentTooLarge { .. } => Item::CommentTooLarge,
            DecodeError::InvalidUtf8(text) => {
                let field = match text.field() {
                    Field::Data => "data",
                    Field::EventType => "event",
                    Field::Id => "id",
                    Field::Comment => "comment",
                    Field::Retry => "retry",
                    Field::Other => "other",
                };
                Item::InvalidUtf8 { field, offset: text.offset() }
            }
            DecodeError::Truncated => Item::Truncated,
            other => panic!("an unexpected error: {other:?}"),
        };
        assert_eq!(
            is_in_comment,
            matches!(item, Item::CommentTooLarge | Item::InvalidUtf8 { field: "comment", .. }),
            "{item:?}"
        );
        item
    }
}

pub(crate) fn twin_of(event: EventRef<'_>) -> naive::Event {
    naive::Event {
        event_type: event.event_type().into(),
        data: event.data().into(),
        id: event.has_id().then(|| event.last_event_id().into()),
        retry: event.retry().map(milliseconds),
    }
}

fn outcome(items: Vec<(usize, Item)>, decoder: &Decoder) -> Outcome {
    Outcome {
        items,
        last_event_id: decoder.last_event_id().into(),
        reconnection_time: decoder.reconnection_time().map(milliseconds),
        ignored: decoder.ignored().to_vec(),
    }
}

fn milliseconds(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).expect("no more than was in the stream")
}
