//! Logs that break their rules, and entries that are no events. Nothing loops, nothing panics, and nobody is stuck when
//! the log is right again.

use crate::{
    after, hub,
    items::{events, one, ready, within},
    script::Wakes,
    topic,
};
use bytes::Bytes;
use eventwire_hub::{History, HubError, Page, Resume, StreamPosition, Wake};
use futures_util::StreamExt;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

const MINUTE: Duration = Duration::from_secs(60);

fn page(entries: &[(u64, u64)], tail: (u64, u64)) -> Page {
    let entry =
        |(epoch, sequence): &(u64, u64)| (StreamPosition::new(*epoch, *sequence), Bytes::from("data: broken\n\n"));
    Page { entries: entries.iter().map(entry).collect(), tail: StreamPosition::new(tail.0, tail.1), finished: false }
}

/// Breaks the log for a minute, with a live reader and one that lags.
async fn check(name: &str, answer: impl FnMut(Option<StreamPosition>, usize) -> Page + Send + 'static) {
    let (log, hub) = hub(5);
    let hub = hub.with_history(History::new().with_max_events(1)).with_resync(Duration::from_secs(1));
    let mut live = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    let mut lags = hub.subscribe(&topic(), after(1)).await.unwrap();
    assert_eq!(ready(&mut live).await, ["@7-5"]);
    assert_eq!(one(&mut lags).await, "@7-1");
    let before = log.calls();
    log.answer(answer);
    log.wake(&topic(), Wake::Changed);
    // Both are read all the time.
    let mut items = [0, 0];
    let until = Instant::now() + MINUTE;
    while Instant::now() < until {
        for (reader, items) in [&mut live, &mut lags].into_iter().zip(&mut items) {
            if let Ok(Some(_)) = timeout(Duration::from_millis(5), reader.next()).await {
                *items += 1;
            }
            assert!(*items < 1000, "{name}: {items} items");
        }
    }
    let reads = log.calls().reads - before.reads;
    assert!(reads < 1000, "{name}: {reads} reads in a minute");
    let _ = hub.subscribe(&topic(), Resume::Live).await;

    // Everybody goes on in a new epoch.
    log.begin(&topic(), 0x99);
    log.push(&topic());
    log.answer_rightly();
    for reader in [&mut live, &mut lags] {
        let items = within(reader, 2 * MINUTE).await;
        assert_eq!(items.last().map(String::as_str), Some("99-1 1"), "{name}: {items:?}");
    }
    log.push(&topic());
    for reader in [&mut live, &mut lags] {
        assert_eq!(ready(reader).await, ["99-2 2"], "{name}");
    }
    assert!(hub.subscribe(&topic(), Resume::Live).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn rules_that_are_broken() {
    check("out of order", |_, _| page(&[(7, 6), (7, 8), (7, 7)], (7, 8))).await;
    check("with a hole", |_, _| page(&[(7, 6), (7, 8)], (7, 8))).await;
    check("repeated", |_, _| page(&[(7, 6), (7, 6)], (7, 8))).await;
    check("again", |_, _| page(&[(7, 1), (7, 2), (7, 3)], (7, 8))).await;
    check("beyond the tail", |_, _| page(&[(7, 6), (7, 7)], (7, 6))).await;
    check("another epoch within a page", |_, _| page(&[(7, 6), (8, 7)], (8, 7))).await;
    check("the tail of another epoch", |_, _| page(&[(7, 6)], (8, 6))).await;
    check("epoch 0", |_, _| page(&[(0, 1)], (0, 1))).await;
    check("a tail in epoch 0", |_, _| page(&[], (0, 9))).await;
    check("number 0", |_, _| page(&[(7, 0)], (7, 1))).await;
    check("a tail that goes back", |_, _| page(&[], (7, 2))).await;
    check("a tail that is never reached", |_, _| page(&[], (7, u64::MAX))).await;
    check("the last number", |_, _| page(&[(7, u64::MAX)], (7, u64::MAX))).await;
    check("two tails", {
        let mut reads = 0;
        move |_, _| {
            reads += 1;
            page(&[], (7, if reads % 2 == 0 { 90 } else { 100 }))
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_gap_each_time() {
    check("without entries", |after, _| {
        let after = after.unwrap_or(StreamPosition::new(7, 0));
        page(&[], (after.epoch(), after.sequence() + 10))
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_new_epoch_each_time() {
    let new_epoch = || {
        let mut epoch = 100;
        move || {
            epoch += 1;
            epoch
        }
    };
    let mut epoch = new_epoch();
    check("without entries", move |_, _| page(&[], (epoch(), 0))).await;
    let mut epoch = new_epoch();
    check("with an entry", move |_, _| {
        let epoch = epoch();
        page(&[(epoch, 1)], (epoch, 1))
    })
    .await;
    let mut epoch = new_epoch();
    check("with more to come", move |_, _| {
        let epoch = epoch();
        page(&[(epoch, 1)], (epoch, 5))
    })
    .await;
    let mut epoch = new_epoch();
    check("two of them", move |_, _| {
        let epoch = 8 + epoch() % 2;
        page(&[(epoch, 1)], (epoch, 5))
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_topic_that_is_unknown_each_second_time() {
    let mut reads = 0;
    check("unknown", move |_, _| {
        reads += 1;
        if reads % 2 == 0 { page(&[], (0, 0)) } else { page(&[(8, 1)], (8, 1)) }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn new_readers_are_told() {
    let (log, hub) = hub(5);
    let mut live = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    assert_eq!(ready(&mut live).await, ["@7-5"]);
    log.answer(|_, _| page(&[(7, 9), (7, 8)], (7, 9)));
    log.wake(&topic(), Wake::Changed);
    sleep(Duration::from_millis(1)).await;
    let error = hub.subscribe(&topic(), Resume::Live).await.unwrap_err();
    assert!(matches!(error, HubError::OutOfOrder));
    assert_eq!(http::StatusCode::from(error), http::StatusCode::SERVICE_UNAVAILABLE);
    log.answer_rightly();
    log.push(&topic());
    assert_eq!(within(&mut live, Duration::from_secs(5)).await, events([6]));
    assert!(hub.subscribe(&topic(), Resume::Live).await.is_ok());
}

/// Wake-ups that lie: only a read decides. An entry of a wake-up is used only if it is the next one.
#[tokio::test(start_paused = true)]
async fn wake_ups_out_of_place() {
    let (log, hub) = hub(5);
    let mut live = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    assert_eq!(ready(&mut live).await, ["@7-5"]);
    for (epoch, sequence) in [(7, 1), (7, 5), (7, 7), (7, u64::MAX), (6, 6), (8, 1), (0, 0), (0, 1)] {
        log.wake(&topic(), Wake::Entry(StreamPosition::new(epoch, sequence), Bytes::from("data: lie\n\n")));
        assert_eq!(ready(&mut live).await, [""; 0]);
        // Also if it is no event, and would be skipped at its place.
        log.wake(&topic(), Wake::Entry(StreamPosition::new(epoch, sequence), Bytes::new()));
        assert_eq!(ready(&mut live).await, [""; 0]);
    }
    log.push(&topic());
    assert_eq!(ready(&mut live).await, events([6]));
    // What it has already needs no read.
    let reads = log.calls().reads;
    for number in 1..=6 {
        log.wake(&topic(), Wake::Entry(StreamPosition::new(7, number), Bytes::from("data: late\n\n")));
    }
    assert_eq!(ready(&mut live).await, [""; 0]);
    assert_eq!(log.calls().reads, reads);
}

const NO_EVENTS: [&[u8]; 12] = [
    b"",
    b"\n",
    b"data: two\n\ndata: blocks\n\n",
    b"data: a\n\n\n",
    b"id: 5\ndata: a\n\n",
    b"data: a\nid\n\n",
    b"\xEF\xBB\xBFdata: a\n\n",
    b"data: unfinished\n",
    b"data: unfinished",
    b": a comment\n\n",
    b"event: without data\n\n",
    b"unknown: field\n\n",
];

#[tokio::test(start_paused = true)]
async fn an_entry_that_is_no_event_is_a_gap_of_one() {
    for bytes in NO_EVENTS {
        for wakes in [Wakes::Entries, Wakes::Changed] {
            let case = String::from_utf8_lossy(bytes);
            let (log, hub) = hub(2);
            log.set_wakes(wakes);
            let mut live = hub.subscribe(&topic(), Resume::Live).await.unwrap();
            assert_eq!(ready(&mut live).await, ["@7-2"]);
            log.push_bytes(&topic(), bytes);
            assert_eq!(ready(&mut live).await, ["gap 7-3 1"], "{case:?}");
            log.push(&topic());
            assert_eq!(ready(&mut live).await, events([4]));
            log.push_bytes(&topic(), bytes);
            log.push_bytes(&topic(), bytes);
            log.push(&topic());
            assert_eq!(ready(&mut live).await, ["gap 7-5 1", "gap 7-6 1", "7-7 7"], "{case:?}");
            let mut reads = hub.subscribe(&topic(), Resume::Earliest).await.unwrap();
            let all = ["@7-0", "7-1 1", "7-2 2", "gap 7-3 1", "7-4 4", "gap 7-5 1", "gap 7-6 1", "7-7 7"];
            assert_eq!(ready(&mut reads).await, all, "{case:?}");
        }
    }
}
