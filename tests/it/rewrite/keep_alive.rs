//! Keep-alives in a rewritten stream are never inside a block or a comment, and change no event.

use crate::{
    manual_clock::{Clock, seconds},
    stream_generator::{any_cut, any_stream, cut},
    tap::decoded,
};
use bytes::Bytes;
use eventwire::{BlockItem, BlockItemRef, Decoder, Edit, Oversize, Rewrite};
use futures_util::{FutureExt, Stream, StreamExt, stream};
use proptest::{prelude::*, sample::select};
use std::{
    convert::Infallible,
    future,
    pin::pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

const KEEP_ALIVE: &[u8] = b": keep-alive\n\n";

/// A source that is silent before each chunk and at its end.
fn hesitant(chunks: Vec<Bytes>) -> impl Stream<Item = Result<Bytes, Infallible>> {
    let mut answers = chunks.into_iter().flat_map(|chunk| [None, Some(chunk)]).collect::<Vec<_>>().into_iter();
    stream::poll_fn(move |_| match answers.next() {
        None => Poll::Ready(None),
        Some(None) => Poll::Pending,
        Some(Some(chunk)) => Poll::Ready(Some(Ok(chunk))),
    })
}

/// Returns the output, with a keep-alive in each silence in which there can be one.
fn output(
    chunks: Vec<Bytes>,
    decoder: &Decoder,
    oversize: Oversize,
    rule: fn(BlockItemRef<'_>, &mut Edit<'_>),
) -> Vec<Bytes> {
    let rewrite = Rewrite::new(hesitant(chunks), rule).with_decoder(decoder.clone()).with_oversize(oversize);
    let mut output = pin!(rewrite.with_keep_alive(Duration::from_secs(1), |_: Duration| future::ready(())));
    let mut seen = Vec::new();
    loop {
        match output.as_mut().poll_next(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(None) => break seen,
            Poll::Ready(Some(item)) => seen.extend(item.ok()),
            Poll::Pending => {}
        }
    }
}

fn keep(_: BlockItemRef<'_>, _: &mut Edit<'_>) {}

fn without_comments(item: BlockItemRef<'_>, edit: &mut Edit<'_>) {
    if let BlockItemRef::Comment(_) = item {
        edit.remove();
    }
}

proptest! {
    #[test]
    fn they_change_no_event(
        stream in any_stream(),
        sizes in any_cut(),
        limit in prop_oneof![0..30_usize, Just(usize::MAX)],
        oversize in select(vec![Oversize::Error, Oversize::Pass]),
        removes in any::<bool>(),
    ) {
        let decoder = Decoder::new().with_max_event_size(limit);
        let rule: fn(BlockItemRef<'_>, &mut Edit<'_>) = if removes { without_comments } else { keep };
        let chunks: Vec<Bytes> = cut(&stream, &sizes).into_iter().map(Bytes::copy_from_slice).collect();
        let seen = |source: Vec<u8>| {
            let mut items = decoded(&source, &Decoder::new());
            items.retain(|item| !matches!(item, Ok(BlockItem::Comment(comment)) if comment.text() == "keep-alive"));
            items
        };
        let plain = Rewrite::new(stream::iter(chunks.clone()).map(Ok::<_, Infallible>), rule);
        let plain = plain.with_decoder(decoder.clone()).with_oversize(oversize);
        let plain: Vec<_> = plain.filter_map(|item| future::ready(item.ok())).collect().now_or_never().unwrap();
        prop_assert_eq!(seen(output(chunks, &decoder, oversize, rule).concat()), seen(plain.concat()));
    }
}

#[test]
fn where_they_are() {
    let all = Decoder::new();
    let small = Decoder::new().with_max_event_size(10);
    let k = "|: keep-alive\n\n";
    for (chunks, decoder, oversize, expected) in [
        // Before the first byte, which may belong to a byte order mark. That mark is dropped.
        (&["\u{FEFF}data: 1\n\n"][..], &all, Oversize::Error, format!("{k}|data: 1\n\n")),
        // A block is held until it is complete.
        (&["data: 1\n", "\n", "data: 2\n\n"], &all, Oversize::Error, format!("{k}{k}|data: 1\n\n{k}|data: 2\n\n")),
        // The LF of a CR LF is dropped.
        (&["data: 1\r\n\r", "\n"], &all, Oversize::Error, format!("{k}|data: 1\r\n\r{k}")),
        // Not inside what is passed on in parts.
        (
            &["data: 12345", "678", "\n\ndata: 2\n\n"],
            &small,
            Oversize::Pass,
            format!("{k}|data: 12345|678|\n\ndata: 2\n\n"),
        ),
        (&[": 1234567890", "12", "\n", "\n"], &small, Oversize::Pass, format!("{k}|: 1234567890|12|\n{k}|\n")),
    ] {
        let chunks = chunks.iter().map(|chunk| Bytes::from_static(chunk.as_bytes())).collect();
        let seen: String = output(chunks, decoder, oversize, keep)
            .iter()
            .map(|chunk| format!("|{}", str::from_utf8(chunk).unwrap()))
            .collect();
        assert_eq!(seen, expected);
    }
    assert_eq!(KEEP_ALIVE, &k.as_bytes()[1..]);
}

#[test]
fn one_after_each_interval() {
    for clock in Clock::both() {
        let chunks = crate::manual_clock::Manual::<Bytes>::default();
        let rewrite = Rewrite::new(chunks.clone(), keep as fn(BlockItemRef<'_>, &mut Edit<'_>))
            .with_keep_alive(seconds(15), clock.clone());
        let mut rewrite = pin!(rewrite);
        let mut next = || rewrite.next().now_or_never().map(|item| item.unwrap().unwrap());
        assert_eq!(next(), None);
        clock.pass(seconds(14));
        chunks.send(Bytes::from_static(b"data: 1\n\n"));
        assert_eq!(next().unwrap(), "data: 1\n\n");
        assert_eq!(next(), None);
        clock.pass(seconds(14));
        assert_eq!(next(), None);
        clock.pass(seconds(1));
        assert_eq!(next().unwrap(), KEEP_ALIVE);
        assert_eq!(next(), None);
    }
}
