//! A tap changes no byte and shows every block. A rewriter yields the same output however its input is split, and
//! readers of the output see the blocks that were decided on.
#![no_main]

mod case;
#[path = "../../tests/it/decode_routes.rs"]
mod decode_routes;
#[path = "../../tests/it/naive.rs"]
mod naive;
mod options;

use bytes::Bytes;
use case::Case;
use eventwire::{BlockItem, BlockItemRef, Comment, DecodeError, Decoder, Edit, Event, Oversize, Rewrite, Tap};
use futures_util::{FutureExt, StreamExt, stream};
use libfuzzer_sys::fuzz_target;
use naive::{InvalidUtf8, Item, Options, Scope};
use std::convert::Infallible;

fuzz_target!(|input: &[u8]| {
    let Some(case) = Case::of(input) else { return };
    let invalid_utf8 = match case.mode & 0x48 {
        8 => InvalidUtf8::Reject,
        0x48 => InvalidUtf8::Stop,
        _ => InvalidUtf8::Replace,
    };
    let max_event_size = if case.mode & 16 != 0 { usize::MAX } else { case.number };
    let options = Options { scope: Scope::Blocks, invalid_utf8, ..options::options(case.mode, max_event_size) };
    for chunks in [vec![case.stream], case.chunks()] {
        tapped(&chunks, &options, case.stream);
    }
    rewritten(&case, &options);
});

fn tapped(chunks: &[&[u8]], options: &Options<'_>, stream: &[u8]) {
    let mut seen = Vec::new();
    let observer = |item: Result<BlockItemRef<'_>, DecodeError>| {
        seen.push(decode_routes::item(item.map(|item| item.to_item())));
    };
    let chunks: Vec<Bytes> = chunks.iter().map(|chunk| Bytes::copy_from_slice(chunk)).collect();
    let source = stream::iter(chunks.clone()).map(Ok::<_, Infallible>);
    let tap = Tap::new(source, observer).with_decoder(decode_routes::decoder(options));
    let passed: Vec<_> = tap.map(|chunk| chunk.expect("no failure")).collect().now_or_never().expect("always ready");
    assert_eq!(passed, chunks);
    let expected: Vec<Item> = naive::interpret(stream, options).items.into_iter().map(|(_, item)| item).collect();
    assert_eq!(seen, expected);
}

fn rewritten(case: &Case<'_>, options: &Options<'_>) {
    let oversize = if case.mode & 32 != 0 { Oversize::Pass } else { Oversize::Error };
    let decoder = decode_routes::decoder(options);
    let (output, decided) = rewrite(&case.chunks(), &decoder, oversize, case.number);
    let (whole, decided_of_whole) = rewrite(&[case.stream], &decoder, oversize, case.number);
    assert_eq!((without_lf(&whole), &decided_of_whole), (without_lf(&output), &decided));

    // Under any limit, a reader of the output sees these items in their order.
    let output: Vec<u8> = output.into_iter().flat_map(Result::unwrap_or_default).collect();
    let mut decided = decided.into_iter().peekable();
    for item in read(&output) {
        decided.next_if_eq(&item);
    }
    assert_eq!(decided.next(), None);

    // Without a limit and without an unfinished end, a reader of the output sees exactly these items.
    let (output, decided) = rewrite(&case.chunks(), &Decoder::new(), oversize, case.number);
    let output: Vec<u8> = output.into_iter().flat_map(Result::unwrap).collect();
    assert_eq!(read(&output), decided);
}

/// Returns the output, with consecutive chunks joined, and the items that its readers must see, as bytes.
#[expect(clippy::type_complexity, reason = "used in one place")]
fn rewrite(
    chunks: &[&[u8]],
    decoder: &Decoder,
    oversize: Oversize,
    seed: usize,
) -> (Vec<Result<Vec<u8>, DecodeError>>, Vec<Vec<u8>>) {
    let (mut number, mut decided) = (seed, Vec::new());
    let function = |item: BlockItemRef<'_>, edit: &mut Edit<'_>| {
        number = number.wrapping_mul(5).wrapping_add(3);
        let new = match number % 2 {
            0 => BlockItem::Block(Event::new("two\nlines").with_numeric_id(7).into()),
            _ => BlockItem::Comment(Comment::new("new")),
        };
        match number / 2 % 5 {
            0 => edit.remove(),
            1 => {
                edit.replace(&new);
                decided.push(bytes((&new).into()));
            }
            2 => {
                edit.append(&new);
                decided.extend([bytes(item), bytes((&new).into())]);
            }
            _ => decided.push(bytes(item)),
        }
    };
    let source = stream::iter(chunks.iter().map(|chunk| Ok::<_, Infallible>(chunk.to_vec())));
    let mut rewrite = Rewrite::new(source, function).with_decoder(decoder.clone()).with_oversize(oversize);
    let mut output: Vec<Result<Vec<u8>, DecodeError>> = Vec::new();
    while let Some(item) = rewrite.next().now_or_never().expect("always ready") {
        match (output.last_mut(), item) {
            (Some(Ok(before)), Ok(chunk)) => before.extend(chunk),
            (_, Ok(chunk)) => output.push(Ok(chunk.into())),
            (_, Err(error)) => output.push(Err(decode_routes::decode_error(error))),
        }
    }
    drop(rewrite);
    (output, decided)
}

/// Returns what a reader of the stream sees.
fn read(stream: &[u8]) -> Vec<Vec<u8>> {
    let (mut reader, mut input, mut found) = (Decoder::new(), stream, Vec::new());
    while let Some(item) = reader.decode_block(&mut input).expect("within the limit") {
        found.push(bytes(item));
    }
    found
}

/// Returns an item as bytes. They contain everything but the last event ID, which depends on earlier blocks.
fn bytes(item: BlockItemRef<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    item.encode(&mut bytes);
    bytes
}

/// Returns the output without the LF of each CR LF: an LF that arrives after something was appended to its line is
/// dropped.
fn without_lf(output: &[Result<Vec<u8>, DecodeError>]) -> Vec<Result<Vec<u8>, DecodeError>> {
    let shortened = |bytes: &Vec<u8>| {
        let is_late = |at: usize| bytes[at] == b'\n' && at > 0 && bytes[at - 1] == b'\r';
        (0..bytes.len()).filter(|at| !is_late(*at)).map(|at| bytes[at]).collect()
    };
    output.iter().map(|item| item.as_ref().map(shortened).map_err(|error| *error)).collect()
}
