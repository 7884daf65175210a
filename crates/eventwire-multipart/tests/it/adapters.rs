//! `Parts`, `Pieces` and `Collected` over a source of chunks.

use crate::{
    always_ready::run,
    scripted_source::{
        Answer::{self, Chunk, Failure, Pending},
        Blocking, Failure as Failed, Script,
    },
};
use eventwire_multipart::{Boundary, Collected, Error, Headers, PartDecoder, PartEnd, Parts, Piece, Pieces};
use futures_util::{
    FutureExt, Stream, StreamExt, stream,
    stream::FusedStream,
    task::{ArcWake, waker},
};
use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::Context,
};

fn decoder() -> PartDecoder {
    PartDecoder::new(Boundary::new("b").unwrap())
}

fn parts(answers: &[Answer]) -> Parts<Script> {
    Parts::new(Script::new(answers), decoder())
}

fn collected(answers: &[Answer]) -> Collected<Blocking> {
    Collected::new(Script::new(answers).blocking(), decoder())
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
    run(async {
        let mut parts = parts(&[Chunk("--b\r\n\r\none"), Chunk("two\r\n--b\r\n\r\nthree\r\n--b")]);
        let mut first = parts.next().await.unwrap().unwrap();
        assert_eq!(first.chunk().await.unwrap().unwrap(), "one");
        assert_eq!(first.part_end(), None);
        let second = parts.next().await.unwrap().unwrap();
        assert_eq!(second.bytes().await.unwrap(), "three");
        assert!(parts.next().await.is_none());
    });
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
    let source = Script::new(&[Chunk("--b\r\nContent-Length: 3\r\n\r\none"), Pending]);
    let mut parts = Collected::new(source, decoder());
    assert_eq!(StreamExt::next(&mut parts).now_or_never().unwrap().unwrap().unwrap().body(), "one");
    assert_eq!(parts.get_ref().asked(), 1);
}

#[test]
fn the_source_is_not_polled_after_the_close() {
    let mut parts = collected(&[Chunk("--b\r\n\r\none\r\n--b--"), Chunk("epilogue")]);
    assert_eq!(Iterator::next(&mut parts).unwrap().unwrap().body(), "one");
    assert!(Iterator::next(&mut parts).is_none());
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
    let pieces: Vec<_> = Iterator::collect(Pieces::new(Script::new(&answers).blocking(), decoder().require_close()));
    assert_eq!(pieces.len(), 6, "{pieces:?}");
    assert_eq!(pieces[4], Ok(Piece::Data("tw".into())));
    assert_eq!(pieces[5], Err(Error::Transport(Failed("reset"))));
}

/// The ways in which a part of a length of 3000 bytes ends after 5, and one without a length after 2.
const TRUNCATED: &[(&str, &str, PartEnd)] = &[
    ("--b\r\nContent-Length: 3000\r\n\r\nhello", "hello", PartEnd::EndOfStream),
    ("--b\r\nContent-Length: 3000\r\n\r\nhello\r\n--b\r\n", "hello", PartEnd::DelimiterBeforeLength),
    ("--b\r\nContent-Length: 3000\r\n\r\nhello\r\n--b--", "hello", PartEnd::DelimiterBeforeLength),
    ("--b\r\n\r\ntw", "tw", PartEnd::EndOfStream),
];

fn is_truncated<T>(result: &Result<T, Error<Failed>>) -> bool {
    matches!(result, Err(Error::Truncated { part: 1, .. }))
}

#[test]
fn every_way_to_read_a_truncated_part_fails() {
    for &(stream, body, end) in TRUNCATED {
        let answers = [Chunk(stream)];
        run(async {
            let mut by_chunk = parts(&answers);
            let mut part = by_chunk.next().await.unwrap().unwrap();
            assert_eq!(part.chunk().await.unwrap().unwrap(), body, "{stream:?}");
            assert!(is_truncated(&part.chunk().await.unwrap()), "{stream:?}");
            assert!(part.chunk().await.is_none() && part.is_terminated());
            assert_eq!(part.part_end(), Some(end), "{stream:?}");
            assert!(is_truncated(&part.collect_up_to(usize::MAX).await), "{stream:?}, after its error");
            assert!(by_chunk.next().await.is_none());

            assert!(is_truncated(&parts(&answers).next().await.unwrap().unwrap().bytes().await), "{stream:?}");
            assert!(
                is_truncated(&parts(&answers).next().await.unwrap().unwrap().collect_up_to(usize::MAX).await),
                "{stream:?}"
            );
        });
        let items: Vec<_> = Iterator::collect(collected(&answers));
        assert!(items.len() == 1 && is_truncated(&items[0]), "{stream:?}: {items:?}");
    }
    let error = Iterator::next(&mut collected(&[Chunk(TRUNCATED[0].0)])).unwrap().unwrap_err();
    assert_eq!(error.to_string(), "part 1 is truncated: it ended before its delimiter");
}

#[test]
fn a_body_truncated_by_an_error_of_the_source_is_not_complete() {
    run(async {
        let mut parts = parts(&[Chunk("--b\r\n\r\non"), Failure("reset")]);
        let mut part = parts.next().await.unwrap().unwrap();
        assert_eq!(part.chunk().await.unwrap().unwrap(), "on");
        assert_eq!(part.chunk().await.unwrap(), Err(Error::Transport(Failed("reset"))));
        assert!(is_truncated(&part.chunk().await.unwrap()));
        assert!(part.chunk().await.is_none());
        assert_eq!(part.part_end(), None);
        assert!(is_truncated(&part.collect_up_to(usize::MAX).await));
    });
    // A reader that continues after the error must not take the rest for the complete body.
    run(async {
        let mut parts = parts(&[Chunk("--b\r\n\r\non"), Failure("reset")]);
        let mut part = parts.next().await.unwrap().unwrap();
        assert_eq!(part.chunk().await.unwrap().unwrap(), "on");
        assert!(part.chunk().await.unwrap().is_err());
        assert!(is_truncated(&part.collect_up_to(usize::MAX).await));
    });
}

#[test]
fn after_an_error_of_the_decoder_a_part_is_not_complete() {
    run(async {
        let source = Script::new(&[Chunk("--b\r\n\r\nhi")]);
        let mut parts = Parts::new(source, decoder().require_close());
        let mut part = parts.next().await.unwrap().unwrap();
        assert_eq!(part.chunk().await.unwrap().unwrap(), "hi");
        assert!(matches!(part.chunk().await, Some(Err(Error::Decode(_)))));
        assert!(part.chunk().await.is_none() && part.part_end().is_none());
        assert!(is_truncated(&part.collect_up_to(usize::MAX).await));
    });
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
        assert!(matches!(part.collect_up_to(4).await, Err(Error::PartTooLarge { limit: 4, part: 1, .. })));
        let part = parts.next().await.unwrap().unwrap();
        assert_eq!(part.collect_up_to(4).await.unwrap().body(), "1234");
    });
}

/// A chunk of this many bytes, with a body of this many bytes.
fn chunk_with_body(chunk: usize, body: usize) -> bytes::Bytes {
    let start = format!("--b\r\nContent-Length: {body}\r\n\r\n{}\r\n--b--", "x".repeat(body));
    bytes::Bytes::from(format!("{start}{}", "y".repeat(chunk - start.len())).into_bytes())
}

#[test]
fn a_large_body_in_one_chunk_is_a_slice_of_it() {
    for (chunk, body, is_shared) in [
        (100, 4, false),
        (5000, 4095, false),
        (5000, 4096, true),
        (16_384, 4096, true),
        (16_388, 4096, false),
        (65_536, 16_383, false),
        (65_536, 16_384, true),
    ] {
        let chunk = chunk_with_body(chunk, body);
        let mut parts = Collected::new([Ok::<_, Failed>(chunk.clone())].into_iter(), decoder());
        let part = Iterator::next(&mut parts).unwrap().unwrap();
        drop(parts);
        assert_eq!(chunk.is_unique(), !is_shared, "a body of {body} bytes in a chunk of {}", chunk.len());
        drop(part);

        let mut parts = Parts::new(stream::iter([Ok::<_, Failed>(chunk.clone())]), decoder());
        let bytes = run(async { parts.next().await.unwrap().unwrap().bytes().await.unwrap() });
        drop(parts);
        assert_eq!((bytes.len(), chunk.is_unique()), (body, !is_shared));
    }
}

/// A part of 4 bytes, and one of this many.
fn two_parts(length: usize) -> bytes::Bytes {
    let parts = format!("--b\r\nA: 1\r\n\r\ntiny\r\n--b\r\n\r\n{}\r\n", "x".repeat(length));
    bytes::Bytes::from(parts.into_bytes())
}

#[test]
fn small_parts_keep_no_chunks_in_memory() {
    let before = crate::counting_allocator::live();
    let last = bytes::Bytes::from("--b--");
    let chunks = std::iter::repeat_with(|| two_parts(64 * 1024)).take(200).chain([last]).map(Ok::<_, Failed>);
    let parts: Vec<_> = Iterator::map(Collected::new(chunks, decoder()), |part| part.unwrap()).collect();
    assert!(parts.len() == 400 && parts.iter().step_by(2).all(|part| part.body() == "tiny"));
    let kept: Vec<_> = parts.into_iter().step_by(2).collect();
    let held = crate::counting_allocator::live() - before;
    assert!(held < 200 * 256, "{held} bytes for 200 parts of 4 bytes");
    drop(kept);
}

#[test]
fn pieces_are_slices_of_their_chunk_and_copies_are_not() {
    let chunk = bytes::Bytes::from(b"--b\r\nA: 1\r\n\r\none\r\n--b--".to_vec());
    let mut pieces = Pieces::new([Ok::<_, Failed>(chunk.clone())].into_iter(), decoder());
    let Piece::PartBegin(headers) = Iterator::next(&mut pieces).unwrap().unwrap() else { panic!("a part") };
    drop(pieces);
    assert!(!chunk.is_unique());
    let copy = Headers::from(headers.as_ref());
    drop(headers);
    assert!(chunk.is_unique());
    assert_eq!(copy.get("a"), Some(&b"1"[..]));
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

/// Counts how often it is woken.
struct Wakes(AtomicUsize);

impl ArcWake for Wakes {
    fn wake_by_ref(wakes: &Arc<Wakes>) {
        wakes.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Begins a stream, and then repeats a chunk without a pause.
fn flood(begin: &'static str, chunk: &'static str) -> impl Stream<Item = Result<&'static str, Failed>> + Unpin {
    stream::iter([Ok(begin)]).chain(stream::repeat(Ok(chunk)))
}

/// Polls a future that is never ready, and checks that each poll ends, and wakes its task.
#[track_caller]
fn check_turns(future: impl Future) {
    let wakes = Arc::new(Wakes(0.into()));
    let mut future = pin!(future);
    for polls in 1..4 {
        assert!(future.as_mut().poll(&mut Context::from_waker(&waker(Arc::clone(&wakes)))).is_pending());
        assert_eq!(wakes.0.load(Ordering::Relaxed), polls);
    }
}

#[test]
fn a_poll_ends_although_the_source_is_always_ready() {
    for chunk in ["", "\r\n"] {
        check_turns(StreamExt::next(&mut Pieces::new(flood("", chunk), decoder().with_max_preamble_size(usize::MAX))));
    }
    check_turns(StreamExt::next(&mut Collected::new(flood("--b\r\n\r\n", "a"), decoder())));
    check_turns(async { Parts::new(flood("", ""), decoder()).next().await.is_some() });
    // The rest of a part, which is skipped.
    check_turns(async {
        let mut parts = Parts::new(flood("--b\r\n\r\n", "a"), decoder());
        drop(parts.next().await);
        parts.next().await.is_some()
    });
    check_turns(async {
        let mut parts = Parts::new(flood("--b\r\n\r\n", "a"), decoder());
        parts.next().await.unwrap().unwrap().bytes().await
    });
    #[cfg(feature = "json")]
    check_turns(StreamExt::next(&mut Collected::new(flood("--b", "\r\n\r\n{}\r\n--b"), decoder()).json::<u8>()));
    #[cfg(feature = "http-body")]
    check_turns(std::future::poll_fn(|context| {
        let pieces = stream::repeat(Ok::<_, Failed>(Piece::Data("".into())));
        let encoder = eventwire_multipart::PartEncoder::random();
        http_body::Body::poll_frame(pin!(eventwire_multipart::PartBody::new(encoder, pieces)), context)
    }));
}
