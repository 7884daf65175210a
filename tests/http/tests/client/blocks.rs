//! Comments and blocks without data from an event source.

use crate::{
    fake::{
        Answer::{self, Stream},
        Step::{Chunk, Failure},
        source,
    },
    trace::{at_most, check, check_blocks, then, trace},
};
use eventwire::{Decoder, Eof, TokioTimer, Utf8Policy};
use eventwire_client::{EventSource, Item, StopReason, connector_fn};
use futures_util::{
    StreamExt,
    stream::{self, FusedStream},
};
use http::Response;
use std::convert::Infallible;

const ANSWERS: &[Answer] = &[
    Stream(&[
        Chunk(": hel"),
        Chunk("lo\n\nid: 1\n"),
        Chunk("\nevent: ping\n\ndata: a\n: inside\n"),
        Chunk("\nretry: 7000\nid: 2"),
    ]),
    Stream(&[Chunk(": again\n\nretry: 20000\nid: 3\n: cu"), Failure("reset")]),
    Stream(&[Chunk("id: 4\n\n")]),
];

/// By default, there are events only. An ID without an event is sent with the next request in both cases.
#[tokio::test(start_paused = true)]
async fn all_blocks_of_a_server() {
    let truncated = "the stream is truncated: the connection ended early";
    let events =
        format!("#1 | open | a 1 | {truncated} | #1 id=1 | open | reset | #2 id=1 | open | the connection ended");
    check(ANSWERS, |source| source, &then(&events, "#3 id=4")).await;

    let first = format!(r"#1 | open | : hello | ~id: 1\n\n | ~event: ping\n\n | : inside | a 1 | {truncated}");
    let all =
        format!(r"{first} | #1 id=1 | open | : again | reset | #2 id=1 | open | ~id: 4\n\n | the connection ended");
    check_blocks(ANSWERS, |source| source, &then(&all, "#3 id=4")).await;
    let without_comments = all.replace(" | : hello", "").replace(" | : inside", "").replace(" | : again", "");
    let set = |source: EventSource<_, _>| source.with_decoder(Decoder::new().without_comments());
    check_blocks(ANSWERS, set, &then(&without_comments, "#3 id=4")).await;

    // The `retry` of a block that was cut off is the next delay.
    let delays = trace(&mut source(ANSWERS).with_blocks()).await.delays;
    assert!(delays.iter().zip([7, 20, 20]).all(|(delay, least)| delay.as_secs() >= least), "{delays:?}");
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_body_returns_all_remaining_blocks() {
    check_blocks(
        &[Stream(&[Chunk("id: 1\nretry: 9\nevent: t\n"), Chunk("data: a\n: c")]), Stream(&[Chunk("id: 2\nretry: 8")])],
        |source| source.with_decoder(Decoder::new().with_eof(Eof::Dispatch)),
        &then(
            r"#1 | open | : c | a 1 | the connection ended | #1 id=1 | open | ~id: 2\nretry: 8\n\n | the connection ended",
            "#2 id=2",
        ),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn comments_that_are_too_large() {
    check_blocks(
        &[Stream(&[Chunk(": 0123456789\n: a\ndata: 1\n\n")])],
        |source| source.with_decoder(at_most(9)),
        &then("#1 | open | the comment is larger than the limit of 9 bytes | : a | 1 | the connection ended", "#1"),
    )
    .await;
}

/// The body is not an event stream in UTF-8, and another connection would not change that.
#[tokio::test(start_paused = true)]
async fn a_decoder_that_has_ended_stops_the_source() {
    let decoder = || Decoder::new().with_utf8_policy(Utf8Policy::Stop);
    for invalid in ["data: \u{FF}\n\ndata: b\n\n", ": \u{FF}\n\ndata: b\n\n", "\u{FF}: x\n"] {
        let connector = connector_fn(|_| {
            let response = Response::builder().header("content-type", "text/event-stream");
            let chunks = [b"id: 1\ndata: a\n\n".to_vec(), invalid.chars().map(|byte| byte as u8).collect()];
            let body = stream::iter(chunks.map(Ok::<_, Infallible>));
            std::future::ready(Ok::<_, Infallible>(response.body(body).unwrap()))
        });
        for with_blocks in [false, true] {
            let mut source = EventSource::with_connector(connector, TokioTimer).with_decoder(decoder());
            if with_blocks {
                source = source.with_blocks();
            }
            assert!(matches!(source.next().await, Some(Item::Open(_))));
            assert!(matches!(source.next().await, Some(Item::Event(_) | Item::Block(_))));
            assert!(matches!(source.next().await, Some(Item::Undecodable(_))));
            assert!(source.is_terminated() && source.next().await.is_none());
            let stopped = source.into_stopped();
            assert_eq!((stopped.reason(), stopped.is_failure()), (StopReason::Permanent, true));
        }
        let events = EventSource::with_connector(connector, TokioTimer).with_decoder(decoder()).events();
        let ends: Vec<_> = events.map(|event| event.is_ok()).collect().await;
        assert_eq!(ends, [true, false, false]);
    }
}
