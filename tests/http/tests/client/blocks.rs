//! Comments and blocks without data from an event source.

use crate::fake::{
    Answer::{self, Stream},
    Fake,
    Step::{Chunk, Failure, Hang, Silence as Pause},
    source,
};
use eventwire::{Decoder, Dialect, Eof, TokioTimer, Utf8Policy};
use eventwire_client::{ConnectionError, EventSource, Item, StopReason, connector_fn};
use futures_util::{
    StreamExt, TryStreamExt,
    stream::{self, FusedStream},
};
use http::Response;
use std::{convert::Infallible, time::Duration};
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

async fn shown(source: &mut EventSource<Fake, TokioTimer>) -> Vec<String> {
    let items = source.by_ref().map(|item| match item {
        Item::Open(_) => "open".to_owned(),
        Item::Event(event) => format!("event {}", event.data()),
        Item::Comment(comment) => format!("comment {}", comment.text()),
        Item::Block(block) => format!("block {:?}", block.to_bytes()),
        Item::Undecodable(error) => error.to_string(),
        Item::Reconnecting { error: ConnectionError::Ended, .. } => "ended".to_owned(),
        Item::Reconnecting { error, .. } => format!("lost: {error}"),
        other => panic!("{other:?}"),
    });
    items.collect().await
}

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

#[tokio::test(start_paused = true)]
async fn all_blocks_of_a_server() {
    let items = [
        "open",
        "comment hello",
        r#"block b"id: 1\n\n""#,
        r#"block b"event: ping\n\n""#,
        "comment inside",
        r#"block b"data: a\n\n""#,
        "lost: the stream is truncated: the connection ended early",
        "open",
        "comment again",
        "lost: reset",
        "open",
        r#"block b"id: 4\n\n""#,
        "ended",
    ];
    let mut without = self::source(ANSWERS).with_decoder(Decoder::new().without_comments()).with_blocks();
    let mut expected = items.to_vec();
    expected.retain(|item| !item.starts_with("comment"));
    assert_eq!(shown(&mut without).await, expected);

    let mut source = source(ANSWERS).with_blocks();
    assert_eq!(shown(&mut source).await, items);
    // An ID without an event is sent with the next request.
    let ids: Vec<_> = source.connector().attempts().into_iter().map(|(_, id)| id).collect();
    assert_eq!(ids, ["", "1", "1", "4"]);
    // So is the next delay from the `retry` of a block that was cut off.
    let times: Vec<_> = source.connector().all().into_iter().map(|(_, time)| time).collect();
    let delays: Vec<_> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(delays.iter().zip([7, 20, 20]).all(|(delay, least)| *delay >= least * SECOND), "{delays:?}");
}

#[tokio::test(start_paused = true)]
async fn by_default_there_are_events_only() {
    let mut source = self::source(ANSWERS);
    let truncated = "lost: the stream is truncated: the connection ended early";
    assert_eq!(shown(&mut source).await, ["open", "event a", truncated, "open", "lost: reset", "open", "ended"]);
    let events: Vec<_> = self::source(ANSWERS).with_blocks().events().try_collect().await.unwrap();
    assert_eq!(events.len(), 1);
    let answers = const { &[Stream(&[Chunk(": c\n\nid: 1\n\ndata: 1\n\ndata: [DONE]\n\n")])] };
    let values = self::source(answers).with_blocks().events().json_with::<u32>(Dialect::OPENAI);
    let values: Vec<_> = values.try_collect().await.unwrap();
    assert_eq!(values, [1]);
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

#[tokio::test(start_paused = true)]
async fn the_end_of_a_body_returns_all_remaining_blocks() {
    let answers = const {
        &[Stream(&[Chunk("id: 1\nretry: 9\nevent: t\n"), Chunk("data: a\n: c")]), Stream(&[Chunk("id: 2\nretry: 8")])]
    };
    let mut source = source(answers).with_decoder(Decoder::new().with_eof(Eof::Dispatch)).with_blocks();
    assert_eq!(
        shown(&mut source).await,
        [
            "open",
            "comment c",
            r#"block b"event: t\nid: 1\nretry: 9\ndata: a\n\n""#,
            "ended",
            "open",
            r#"block b"id: 2\nretry: 8\n\n""#,
            "ended",
        ]
    );
}

/// A comment is data for the idle timeout, but not an event for the progress timeout.
#[tokio::test(start_paused = true)]
async fn comments_are_not_events_for_the_timeouts() {
    let pings = const { &[Stream(&[Chunk(":\n"), Pause(20), Chunk(":\n"), Pause(20), Chunk(":\n"), Hang])] };
    let begun = Instant::now();
    let mut source = self::source(pings).with_idle_timeout(30 * SECOND).with_blocks();
    let lost =
        source.by_ref().filter(|item| std::future::ready(matches!(item, Item::Reconnecting { .. }))).next().await;
    assert!(matches!(lost, Some(Item::Reconnecting { error: ConnectionError::IdleTimeout(_), .. })), "{lost:?}");
    assert_eq!(begun.elapsed(), 70 * SECOND);

    let begun = Instant::now();
    let mut source = self::source(pings).with_progress_timeout(30 * SECOND).with_blocks();
    let lost =
        source.by_ref().filter(|item| std::future::ready(matches!(item, Item::Reconnecting { .. }))).next().await;
    assert!(matches!(lost, Some(Item::Reconnecting { error: ConnectionError::ProgressTimeout(_), .. })), "{lost:?}");
    assert_eq!(begun.elapsed(), 30 * SECOND);
}

/// An event counts even directly after a comment, in the same chunk or in the next one.
#[tokio::test(start_paused = true)]
async fn an_event_after_a_comment_is_an_event_to_the_timeout() {
    let answers = const {
        &[Stream(&[
            Chunk(":\n"),
            Pause(20),
            Chunk(": a\n\ndata: a\n\n"),
            Pause(20),
            Chunk(":\n"),
            Chunk("data: b\n\n"),
            Hang,
        ])]
    };
    let begun = Instant::now();
    let mut source = source(answers).with_progress_timeout(30 * SECOND).with_blocks();
    let lost =
        source.by_ref().filter(|item| std::future::ready(matches!(item, Item::Reconnecting { .. }))).next().await;
    assert!(matches!(lost, Some(Item::Reconnecting { error: ConnectionError::ProgressTimeout(_), .. })), "{lost:?}");
    assert_eq!(begun.elapsed(), 70 * SECOND);
}

/// A body that always has another comment does not stop the progress timeout.
#[tokio::test(start_paused = true)]
async fn a_flood_of_comments_is_no_event() {
    let connector = connector_fn(|_| async {
        let response = Response::builder().header("content-type", "text/event-stream");
        let comments = stream::repeat_with(|| Ok::<_, Infallible>(": flood\n\n: flood\n\n"));
        Ok::<_, Infallible>(response.body(comments).unwrap())
    });
    let mut source =
        EventSource::with_connector(connector, TokioTimer).with_progress_timeout(30 * SECOND).with_blocks();
    let begun = Instant::now();
    let mut comments = 0;
    loop {
        match source.next().await.unwrap() {
            Item::Reconnecting { error: ConnectionError::ProgressTimeout(_), .. } => break,
            Item::Comment(_) => comments += 1,
            Item::Open(_) => {}
            other => panic!("{other:?}"),
        }
        // The time passes between the calls.
        tokio::time::advance(SECOND).await;
        assert!(begun.elapsed() < 60 * SECOND);
    }
    assert!(comments > 20, "{comments}");
}

#[tokio::test(start_paused = true)]
async fn comments_that_are_too_large() {
    let answers = const { &[Stream(&[Chunk(": 0123456789\n: a\ndata: 1\n\n")])] };
    let decoder = Decoder::new().with_max_event_size(9);
    let mut source = source(answers).with_decoder(decoder).with_blocks();
    assert_eq!(
        shown(&mut source).await,
        ["open", "the comment is larger than the limit of 9 bytes", "comment a", r#"block b"data: 1\n\n""#, "ended",]
    );
}
