//! A tap changes no byte and shows every block.
#![no_main]

#[path = "../../tests/it/always_ready.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod always_ready;
mod case;
#[path = "../../tests/it/decode_routes.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod decode_routes;
#[path = "../../tests/it/naive.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod naive;
mod options;

use bytes::Bytes;
use case::Case;
use eventwire::{BlockItemRef, DecodeError, Tap};
use futures_util::{FutureExt, StreamExt, stream};
use libfuzzer_sys::fuzz_target;
use naive::{Item, Options, Scope, Utf8Policy};
use std::convert::Infallible;

fuzz_target!(|input: &[u8]| {
    let Some(case) = Case::of(input) else { return };
    let utf8_policy = match case.mode & 0x48 {
        0x48 => Utf8Policy::Stop,
        _ => Utf8Policy::Replace,
    };
    let max_event_size = if case.mode & 16 != 0 { usize::MAX } else { case.number };
    let options = Options { scope: Scope::Blocks, utf8_policy, ..options::options(case.mode, max_event_size) };
    for chunks in [vec![case.stream], case.chunks()] {
        tapped(&chunks, &options, case.stream);
    }
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
