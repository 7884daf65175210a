//! `Parts`, `SyncParts`, `Pieces`, `Collected` and `Latest` over a source of chunks.

use crate::scripted_source::{
    Answer::{self, Chunk, Failure, Pending},
    Failure as Failed, Script,
};
use eventwire::multipart::{
    Boundary, Collected, DecodeErrorKind, Error, PartDecoder, PartEnd, Parts, Piece, Pieces, SyncParts,
};
use futures_util::{FutureExt, StreamExt, future::poll_fn, stream::FusedStream};
use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

fn decoder() -> PartDecoder {
    PartDecoder::new(Boundary::new("b").unwrap())
}

fn parts(answers: &[Answer]) -> Parts<Script> {
    Parts::new(Script::new(answers), decoder())
}

fn collected(answers: &[Answer]) -> Collected<Script> {
    Collected::new(Script::new(answers), decoder())
}

/// Runs a future whose sources wake it at once.
fn run<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..1000 {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
    panic!("it never ends");
}

#[test]
fn an_unread_part_is_skipped() {
    run(async {
        let mut parts =
            parts(&[Chunk("--b\r\nA: 1\r\n\r\none"), Pending, Chunk(" more\r\n--b\r\nA: 2\r\n\r\ntwo\r\n--b--")]);
        let first = parts.next().await.unwrap().unwrap();
        assert_eq!(first.headers().get("a"), Some(&b"1"[..]));
        drop(first);
        let second = parts.next().await.unwrap().unwrap();
        assert_eq!(second.headers().get("a"), Some(&b"2"[..]));
        assert_eq!(second.bytes().await.unwrap(), "two");
        assert!(parts.next().await.is_none());
        assert!(parts.decoder().is_closed());
    });
}

#[test]
fn the_rest_of_a_part_is_skipped() {
    let mut parts =
        SyncParts::new(Script::new(&[Chunk("--b\r\n\r\none"), Chunk("two\r\n--b\r\n\r\nthree\r\n--b")]), decoder());
    let mut first = parts.next_part().unwrap().unwrap();
    assert_eq!(first.next().unwrap().unwrap(), "one");
    assert_eq!(first.part_end(), None);
    let second = parts.next_part().unwrap().unwrap();
    assert_eq!(second.bytes().unwrap(), "three");
    assert!(parts.next_part().is_none());
}

#[test]
fn the_body_is_returned_as_it_arrives_and_then_how_it_ended() {
    run(async {
        let mut parts = parts(&[Chunk("--b\r\nContent-Length: 6\r\n\r\none"), Pending, Chunk("two"), Chunk("\r\n--b")]);
        let mut part = parts.next().await.unwrap().unwrap();
        assert_eq!(part.chunk().await.unwrap().unwrap(), "one");
        assert_eq!(part.part_end(), None);
        assert_eq!(part.chunk().await.unwrap().unwrap(), "two");
        assert!(part.chunk().await.is_none());
        assert_eq!(part.part_end(), Some(PartEnd::Length));
        assert!(part.chunk().await.is_none());
    });
}

#[test]
fn a_part_with_a_length_is_complete_before_the_source_is_polled_again() {
    let mut parts = collected(&[Chunk("--b\r\nContent-Length: 3\r\n\r\none"), Pending]);
    assert_eq!(StreamExt::next(&mut parts).now_or_never().unwrap().unwrap().unwrap().body(), "one");
    assert_eq!(parts.get_ref().asked(), 1);
}

#[test]
fn the_source_is_not_polled_after_the_close() {
    let mut parts = collected(&[Chunk("--b\r\n\r\none\r\n--b--"), Chunk("epilogue")]);
    assert_eq!(Iterator::next(&mut parts).unwrap().unwrap().body(), "one");
    assert!(Iterator::next(&mut parts).is_none());
    assert!(parts.is_terminated());
    assert_eq!(parts.get_ref().asked(), 1);
}

#[test]
fn dropping_a_pending_next_loses_nothing() {
    let mut parts = parts(&[Chunk("--b\r\nA: "), Pending, Chunk("1\r\n\r\non"), Pending, Chunk("e\r\n--b--")]);
    assert!(parts.next().now_or_never().is_none());
    run(async {
        let mut part = parts.next().await.unwrap().unwrap();
        assert_eq!(part.headers().get("a"), Some(&b"1"[..]));
        assert_eq!(part.chunk().await.unwrap().unwrap(), "on");
        assert!(part.chunk().now_or_never().is_none());
        assert_eq!(part.chunk().await.unwrap().unwrap(), "e");
    });
}

#[test]
fn an_error_of_the_source_follows_earlier_items_and_the_source_may_continue() {
    let answers = [Chunk("--b\r\n\r\non"), Failure("not now"), Chunk("e\r\n--b\r\n\r\ntwo\r\n--b--")];
    let items: Vec<_> = Iterator::map(collected(&answers), |part| part.map(|part| part.into_body())).collect();
    assert_eq!(items, [Err(Error::Transport(Failed("not now"))), Ok("one".into()), Ok("two".into())]);
}

#[test]
fn after_an_error_at_the_end_nothing_else_is_reported() {
    let answers = [Chunk("--b\r\n\r\none\r\n--b\r\n\r\ntw"), Failure("reset")];
    let pieces: Vec<_> = Iterator::collect(Pieces::new(Script::new(&answers), decoder().require_close()));
    assert_eq!(pieces.len(), 6, "{pieces:?}");
    assert_eq!(pieces[4], Ok(Piece::Data("tw".into())));
    assert_eq!(pieces[5], Err(Error::Transport(Failed("reset"))));
}

#[test]
fn a_body_truncated_by_an_error_is_an_error() {
    run(async {
        let mut parts = parts(&[Chunk("--b\r\n\r\non"), Failure("reset")]);
        let mut part = parts.next().await.unwrap().unwrap();
        assert_eq!(part.chunk().await.unwrap().unwrap(), "on");
        assert_eq!(part.chunk().await.unwrap(), Err(Error::Transport(Failed("reset"))));
        // A reader that continues after the error must not take the rest for the complete body.
        let error = part.whole().await.unwrap_err();
        assert!(matches!(error, Error::CutOff { part: 1, .. }), "{error:?}");
    });
}

#[test]
fn a_truncated_part_is_flagged_or_an_error() {
    let answers = [Chunk("--b\r\n\r\none\r\n--b\r\n\r\ntw")];
    let items: Vec<_> = Iterator::map(collected(&answers), |part| part.map(|part| part.is_cut_off())).collect();
    assert_eq!(items, [Ok(false), Ok(true)]);

    let mut strict = Collected::new(Script::new(&answers), decoder().require_close());
    assert!(!Iterator::next(&mut strict).unwrap().unwrap().is_cut_off());
    let Some(Err(Error::Decode(error))) = Iterator::next(&mut strict) else { panic!("expected a truncated part") };
    assert_eq!((error.kind(), error.part()), (DecodeErrorKind::NotClosed, 2));
    assert!(Iterator::next(&mut strict).is_none());
}

#[test]
fn bytes_returns_the_complete_body_or_an_error() {
    run(async {
        let mut parts = parts(&[Chunk("--b\r\n\r\non")]);
        let error = parts.next().await.unwrap().unwrap().bytes().await.unwrap_err();
        assert_eq!(error.to_string(), "part 1 was cut off: the stream ended before it was complete");
    });
    let mut parts = SyncParts::new(Script::new(&[Chunk("--b\r\n\r\non")]), decoder());
    assert!(matches!(parts.next_part().unwrap().unwrap().bytes(), Err(Error::CutOff { part: 1, .. })));
    let mut parts = SyncParts::new(Script::new(&[Chunk("--b\r\n\r\non")]), decoder());
    assert!(parts.next_part().unwrap().unwrap().whole().unwrap().is_cut_off());
}

#[test]
fn a_part_with_a_wrong_length_is_not_complete() {
    let chunk = "--b\r\nContent-Length: 9\r\n\r\nhi\r\n--b--";
    let mut parts = SyncParts::new(Script::new(&[Chunk(chunk)]), decoder().with_strict_lengths());
    let mut part = parts.next_part().unwrap().unwrap();
    assert_eq!(part.next().unwrap().unwrap(), "hi");
    assert!(matches!(part.next(), Some(Err(Error::Decode(_)))));
    assert!(matches!(part.whole(), Err(Error::CutOff { part: 1, .. })));
}

#[test]
fn a_part_that_is_too_large_is_one_error_and_the_next_one_follows() {
    let answers = [Chunk("--b\r\n\r\n1234"), Chunk("5"), Chunk("6"), Chunk("\r\n--b\r\n\r\n1234\r\n--b--")];
    let mut parts = collected(&answers).with_max_part_size(4);
    let error = Iterator::next(&mut parts).unwrap().unwrap_err();
    assert!(matches!(error, Error::PartTooLarge { limit: 4, part: 1, .. }), "{error:?}");
    assert_eq!(error.to_string(), "the body of part 1 is larger than the limit of 4 bytes");
    assert_eq!(Iterator::next(&mut parts).unwrap().unwrap().body(), "1234");
    assert!(Iterator::next(&mut parts).is_none());
}

#[test]
fn a_single_part_has_a_limit_too() {
    run(async {
        let answers = [Chunk("--b\r\n\r\n12345\r\n--b\r\n\r\n1234\r\n--b--")];
        let mut parts = parts(&answers);
        let part = parts.next().await.unwrap().unwrap();
        assert!(matches!(part.whole_up_to(4).await, Err(Error::PartTooLarge { limit: 4, part: 1, .. })));
        let part = parts.next().await.unwrap().unwrap();
        assert_eq!(part.whole_up_to(4).await.unwrap().body(), "1234");
    });
    let mut parts = SyncParts::new(Script::new(&[Chunk("--b\r\n\r\n12345\r\n--b--")]), decoder());
    let part = parts.next_part().unwrap().unwrap();
    assert!(matches!(part.whole_up_to(4), Err(Error::PartTooLarge { limit: 4, part: 1, .. })));
}

#[test]
fn a_body_in_one_chunk_is_a_slice_of_it() {
    let chunk = bytes::Bytes::from("--b\r\nContent-Length: 3\r\n\r\none\r\n--b--");
    let range = chunk.as_ptr_range();
    let mut parts = Collected::new([Ok::<_, Failed>(chunk.clone())].into_iter(), decoder());
    let body = Iterator::next(&mut parts).unwrap().unwrap().into_body();
    assert!(range.contains(&body.as_ptr()));
}

#[test]
fn the_latest_part_is_the_last_one_that_is_ready() {
    let answers = [
        Chunk("--b\r\n\r\n1\r\n--b\r\n\r\n2\r\n--b\r\n"),
        Chunk("\r\n3\r\n--b\r\n\r\n4"),
        Pending,
        Chunk("\r\n--b\r\n"),
        Pending,
        Failure("not now"),
        Chunk("\r\n5\r\n--b\r\n"),
        Failure("reset"),
    ];
    let mut latest = collected(&answers).latest();
    let mut seen = Vec::new();
    run(poll_fn(|context| {
        loop {
            match latest.poll_next_unpin(context) {
                Poll::Ready(Some(item)) => seen.push(item.map(|part| part.into_body())),
                Poll::Ready(None) => return Poll::Ready(()),
                Poll::Pending => return Poll::Pending,
            }
        }
    }));
    let [not_now, reset] = ["not now", "reset"].map(|message| Err(Error::Transport(Failed(message))));
    assert_eq!(seen, [Ok("3".into()), Ok("4".into()), not_now, Ok("5".into()), reset]);
    assert!(latest.is_terminated());
}

#[test]
fn the_latest_part_is_returned_although_another_is_always_ready() {
    let chunks = std::iter::once("--b\r\n").chain(std::iter::repeat("\r\nx\r\n--b\r\n")).map(Ok::<_, Failed>);
    let mut latest = Collected::new(futures_util::stream::iter(chunks), decoder()).latest();
    assert_eq!(latest.next().now_or_never().unwrap().unwrap().unwrap().body(), "x");
}

#[test]
fn the_memory_of_a_whole_part_has_no_slack() {
    let before = crate::counting_allocator::live();
    let chunks = ["--b\r\n", "\r\n", &"x".repeat(3000), &"y".repeat(2000), "z", "\r\n--b--"].map(str::to_owned);
    let mut parts = Collected::new(chunks.into_iter().map(Ok::<_, Failed>), decoder());
    let body = Iterator::next(&mut parts).unwrap().unwrap().into_body();
    drop(parts);
    let held = crate::counting_allocator::live() - before;
    assert_eq!(body.len(), 5001);
    assert!(held < 5001 + 100, "{held} bytes for 5001");
}
