//! All the ways to decode bytes into parts. Each returns items of the naive twin's type, so that all of them can be
//! compared.

use super::{
    always_ready,
    naive::{Ending, Item, Kind, Options},
};
use bytes::Bytes;
use eventwire::ReadChunks;
use eventwire_multipart::{
    Boundary, Collected, Error, PartDecodeError, PartDecodeErrorKind, PartDecoder, PartEnd, Parts, Piece, PieceRef,
    Pieces, WholePart,
};
use futures_util::{StreamExt, stream};
use std::{convert::Infallible, io};

pub(crate) const ALL: &[(&str, Route)] = &[
    ("borrowed", borrowed),
    ("owned", owned),
    ("by turns", by_turns),
    ("iterator of pieces", iterator),
    ("stream of pieces", stream_of_pieces),
];

pub(crate) type Route = fn(&[&[u8]], &Options) -> Vec<Item>;

/// Checks every route over these chunks against an outcome.
#[track_caller]
pub(crate) fn check(chunks: &[&[u8]], options: &Options, expected: &[Item]) {
    for (name, route) in ALL {
        let items = route(chunks, options);
        assert_eq!(items, expected, "{name}, {options:?}, chunks {}", show(chunks));
    }
}

pub(crate) fn show(chunks: &[&[u8]]) -> String {
    chunks.iter().map(|chunk| format!("b\"{}\"", chunk.escape_ascii())).collect::<Vec<_>>().join(", ")
}

pub(crate) fn decoder(options: &Options) -> PartDecoder {
    let decoder = PartDecoder::new(Boundary::new(&options.boundary).expect("a boundary of the generator's"));
    let decoder = if options.requires_close { decoder.require_close() } else { decoder };
    decoder
        .with_max_preamble_size(options.max_preamble_size)
        .with_max_headers_size(options.max_headers_size)
        .with_max_headers(options.max_headers)
}

/// The items so far, and the number of calls of the decoder.
#[derive(Debug, Default)]
struct Found {
    items: Vec<Item>,
    calls: usize,
}

impl Found {
    /// Records the result of one call. Returns whether another call may yield a piece.
    fn ask(&mut self, before: usize, after: usize, piece: Result<Option<Item>, PartDecodeError>) -> bool {
        self.calls += 1;
        assert!(after <= before, "the input has grown");
        match piece {
            Ok(None) => {
                assert_eq!(after, 0, "`Ok(None)` means that the input is consumed");
                return false;
            }
            Ok(Some(Item::Data(data))) => {
                assert!(!data.is_empty(), "an empty piece of data");
                match self.items.last_mut() {
                    Some(Item::Data(all)) => all.extend(data),
                    _ => self.items.push(Item::Data(data)),
                }
            }
            Ok(Some(item)) => self.items.push(item),
            Err(error) => self.items.push(error_item(error)),
        }
        true
    }

    /// Ends the stream.
    fn finish(mut self, mut decoder: PartDecoder, chunks: &[&[u8]]) -> Vec<Item> {
        let was_closed = decoder.is_closed();
        loop {
            let piece = decoder.finish().map(|piece| piece.map(borrowed_item));
            if was_closed {
                assert_eq!(piece, Ok(None), "a closed decoder returned a piece");
            }
            if !self.ask(0, 0, piece) {
                break;
            }
        }
        assert!(decoder.is_closed());
        for mut more in [&b""[..], b"--b\n\nmore\n--b--", b"\n"] {
            assert_eq!(decoder.decode(&mut more), Ok(None), "bytes after the end are ignored");
            assert!(more.is_empty());
        }
        assert_eq!(decoder.finish(), Ok(None));
        // Each call consumes at least one byte or returns an item other than data; a piece of data has at least one
        // byte.
        let length: usize = chunks.iter().map(|chunk| chunk.len()).sum();
        let bound = 3 * length + 2 * chunks.len() + 8;
        assert!(self.calls <= bound, "{} calls for {length} bytes in {} chunks", self.calls, chunks.len());
        self.items
    }
}

/// Borrowed pieces.
pub(crate) fn borrowed(chunks: &[&[u8]], options: &Options) -> Vec<Item> {
    decode_with(decoder(options), chunks)
}

pub(crate) fn decode_with(mut decoder: PartDecoder, chunks: &[&[u8]]) -> Vec<Item> {
    let mut found = Found::default();
    for chunk in chunks {
        let mut input = *chunk;
        while decode_borrowed(&mut decoder, &mut found, &mut input) {}
    }
    found.finish(decoder, chunks)
}

fn decode_borrowed(decoder: &mut PartDecoder, found: &mut Found, input: &mut &[u8]) -> bool {
    let before = input.len();
    let piece = decoder.decode(input).map(|piece| piece.map(borrowed_item));
    found.ask(before, input.len(), piece)
}

/// Pieces that share their chunk's memory.
pub(crate) fn owned(chunks: &[&[u8]], options: &Options) -> Vec<Item> {
    let (mut decoder, mut found) = (decoder(options), Found::default());
    for chunk in chunks {
        let mut input = Bytes::copy_from_slice(chunk);
        while give(&mut decoder, &mut found, &mut input) {}
    }
    found.finish(decoder, chunks)
}

fn give(decoder: &mut PartDecoder, found: &mut Found, input: &mut Bytes) -> bool {
    let before = input.len();
    let piece = decoder.decode_bytes(input).map(|piece| piece.map(owned_item));
    found.ask(before, input.len(), piece)
}

/// Alternates between borrowed and owned pieces of one chunk, which must not affect each other.
pub(crate) fn by_turns(chunks: &[&[u8]], options: &Options) -> Vec<Item> {
    let (mut decoder, mut found) = (decoder(options), Found::default());
    for chunk in chunks {
        let mut input = Bytes::copy_from_slice(chunk);
        loop {
            let is_more = if found.calls.is_multiple_of(2) {
                let mut rest = &input[..];
                let is_more = decode_borrowed(&mut decoder, &mut found, &mut rest);
                input = input.slice(input.len() - rest.len()..);
                is_more
            } else {
                give(&mut decoder, &mut found, &mut input)
            };
            if !is_more {
                break;
            }
        }
    }
    found.finish(decoder, chunks)
}

/// The chunks as a source that never fails.
fn source<'a>(chunks: &'a [&'a [u8]]) -> impl Iterator<Item = Result<Bytes, Infallible>> + 'a {
    chunks.iter().map(|chunk| Ok(Bytes::copy_from_slice(chunk)))
}

fn decode_error(error: Error<Infallible>) -> PartDecodeError {
    match error {
        Error::Decode(error) => error,
        other => panic!("the source does not fail: {other:?}"),
    }
}

/// [`Pieces`] as an iterator.
pub(crate) fn iterator(chunks: &[&[u8]], options: &Options) -> Vec<Item> {
    let mut pieces = Pieces::new(source(chunks), decoder(options));
    let mut found = Found::default();
    for piece in pieces.by_ref() {
        found.ask(0, 0, piece.map(|piece| Some(owned_item(piece))).map_err(decode_error));
    }
    assert!(pieces.next().is_none(), "fused");
    found.items
}

/// [`Pieces`] as a stream.
pub(crate) fn stream_of_pieces(chunks: &[&[u8]], options: &Options) -> Vec<Item> {
    let mut pieces = Pieces::new(stream::iter(source(chunks)), decoder(options));
    let mut found = Found::default();
    while let Some(piece) = always_ready::run(StreamExt::next(&mut pieces)) {
        found.ask(0, 0, piece.map(|piece| Some(owned_item(piece))).map_err(decode_error));
    }
    assert!(always_ready::run(StreamExt::next(&mut pieces)).is_none(), "fused");
    found.items
}

pub(crate) fn borrowed_item(piece: PieceRef<'_>) -> Item {
    match piece {
        PieceRef::PartBegin(headers) => Item::Begin(headers.as_bytes().to_vec()),
        PieceRef::Data(data) => Item::Data(data.to_vec()),
        PieceRef::PartEnd(end) => Item::End(end_of(end)),
        PieceRef::Close => Item::Close,
        other => panic!("an unexpected piece: {other:?}"),
    }
}

pub(crate) fn owned_item(piece: Piece) -> Item {
    match piece {
        Piece::PartBegin(headers) => Item::Begin(headers.as_ref().as_bytes().to_vec()),
        Piece::Data(data) => Item::Data(data.to_vec()),
        Piece::PartEnd(end) => Item::End(end_of(end)),
        Piece::Close => Item::Close,
        other => panic!("an unexpected piece: {other:?}"),
    }
}

pub(crate) fn end_of(end: PartEnd) -> Ending {
    match end {
        PartEnd::Delimiter => Ending::Delimiter,
        PartEnd::Length => Ending::Length,
        PartEnd::DelimiterBeforeLength => Ending::DelimiterBeforeLength,
        PartEnd::EndOfStream => Ending::EndOfStream,
        other => panic!("an unexpected end: {other:?}"),
    }
}

/// Whether a part that ended like this has its complete body.
pub(crate) fn is_complete(end: Ending) -> bool {
    matches!(end, Ending::Delimiter | Ending::Length)
}

pub(crate) fn error_item(error: PartDecodeError) -> Item {
    let kind = match error.kind() {
        PartDecodeErrorKind::PreambleTooLarge => Kind::PreambleTooLarge,
        PartDecodeErrorKind::NoDelimiter => Kind::NoDelimiter,
        PartDecodeErrorKind::HeadersTooLarge => Kind::HeadersTooLarge,
        PartDecodeErrorKind::TooManyHeaders => Kind::TooManyHeaders,
        PartDecodeErrorKind::Truncated => Kind::Truncated,
        other => panic!("an unexpected error: {other:?}"),
    };
    Item::Error { kind, part: error.part() }
}

/// Checks [`Parts`] and collected parts against the items of a stream. They do not report whether there was a close
/// delimiter.
#[track_caller]
pub(crate) fn check_parts(chunks: &[&[u8]], options: &Options, expected: &[Item]) {
    let expected: Vec<Item> = expected.iter().filter(|item| !matches!(item, Item::Close)).cloned().collect();
    assert_eq!(parts(chunks, options), expected, "parts, {options:?}, chunks {}", show(chunks));
    let expected = wholes(&expected);
    let collected: Vec<_> = Collected::new(source(chunks), decoder(options)).map(whole).collect();
    assert_eq!(collected, expected, "collected, {options:?}, chunks {}", show(chunks));
    let collected = Collected::new(stream::iter(source(chunks)), decoder(options));
    let collected: Vec<_> = always_ready::run(StreamExt::collect(StreamExt::map(collected, whole)));
    assert_eq!(collected, expected, "collected by a stream, {options:?}, chunks {}", show(chunks));
    let stream = chunks.concat();
    let parts = Collected::new(ReadChunks::new(&stream[..]), decoder(options));
    let collected: Vec<_> = parts.map(|part| whole(part.map_err(without_transport))).collect();
    assert_eq!(collected, expected, "collected from a reader, {options:?}, chunks {}", show(chunks));
}

fn without_transport(error: Error<io::Error>) -> Error<Infallible> {
    error.map_transport(|error| panic!("the reader does not fail: {error}"))
}

/// A part with its entire body, or an error.
#[derive(Debug, PartialEq)]
enum Whole {
    Part { head: Vec<u8>, body: Vec<u8> },
    Truncated,
    Error(Item),
}

fn whole(outcome: Result<WholePart, Error<Infallible>>) -> Whole {
    match outcome {
        Ok(part) => Whole::Part { head: part.headers().as_bytes().to_vec(), body: part.body().to_vec() },
        Err(Error::Truncated { .. }) => Whole::Truncated,
        Err(error) => Whole::Error(error_item(decode_error(error))),
    }
}

/// Returns the items, with the pieces of each part joined. If a part ends with an error, only the error remains.
fn wholes(items: &[Item]) -> Vec<Whole> {
    let (mut wholes, mut open) = (Vec::new(), None);
    for item in items {
        match item {
            Item::Begin(head) => open = Some((head.clone(), Vec::new())),
            Item::Data(data) => open.as_mut().expect("a part").1.clone_from(data),
            Item::End(end) => {
                let (head, body) = open.take().expect("a part");
                wholes.push(if is_complete(*end) { Whole::Part { head, body } } else { Whole::Truncated });
            }
            Item::Close => {}
            Item::Error { .. } => {
                open = None;
                wholes.push(Whole::Error(item.clone()));
            }
        }
    }
    wholes
}

/// [`Parts`], and each body by chunks.
fn parts(chunks: &[&[u8]], options: &Options) -> Vec<Item> {
    let mut parts = Parts::new(stream::iter(source(chunks)), decoder(options));
    let mut found = Found::default();
    while let Some(part) = always_ready::run(parts.next()) {
        let mut part = match part {
            Ok(part) => part,
            Err(error) => {
                found.items.push(error_item(decode_error(error)));
                continue;
            }
        };
        found.items.push(Item::Begin(part.headers().as_bytes().to_vec()));
        let mut is_truncated = false;
        while let Some(chunk) = always_ready::run(part.chunk()) {
            assert!(!is_truncated, "a truncated part has ended");
            is_truncated = matches!(chunk, Err(Error::Truncated { .. }));
            if !is_truncated {
                found.ask(0, 0, chunk.map(|data| Some(Item::Data(data.to_vec()))).map_err(decode_error));
            }
        }
        let end = part.part_end().map(end_of);
        assert_eq!(end.is_some_and(|end| !is_complete(end)), is_truncated, "every truncated part is an error");
        found.items.extend(end.map(Item::End));
    }
    assert!(always_ready::run(parts.next()).is_none(), "fused");
    found.items
}
