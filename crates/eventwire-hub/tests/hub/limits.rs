//! How many readers and topics there can be, when a topic is no longer followed, and how streams end.

use crate::{
    after, hub,
    items::{events, one, ready, within},
    script::{Fails, Script},
    topic,
};
use eventwire_hub::{History, Hub, HubError, Resume, Topic};
use futures_util::{FutureExt, StreamExt, future::join_all};
use std::{collections::HashSet, time::Duration};
use tokio::time::sleep;

const MINUTE: Duration = Duration::from_secs(60);
const ONE: History = History::new().with_max_events(1);

fn topics(count: usize) -> Vec<Topic> {
    (0..count).map(|number| Topic::new(&format!("topic {number}")).unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn no_more_readers_than_there_may_be() {
    let (log, hub) = hub(3);
    let hub = hub.with_max_readers(3);
    let others = topics(1);
    let mut readers = Vec::new();
    for topic in [&topic(), &topic(), &others[0]] {
        readers.push(hub.subscribe(topic, Resume::Live).await.unwrap());
    }
    let mut times = HashSet::new();
    for _ in 0..20 {
        let Err(HubError::Full { retry_after }) = hub.subscribe(&topic(), after(3)).await else { panic!("not full") };
        assert!(retry_after >= Duration::from_secs(5) && retry_after <= Duration::from_secs(15));
        times.insert(retry_after);
    }
    assert!(times.len() > 10, "they return at different times: {times:?}");
    assert_eq!(hub.readers(), 3);
    // Nobody was closed.
    log.push(&topic());
    assert_eq!(ready(&mut readers[0]).await, ["@7-3", "7-4 4"]);
    readers.pop();
    assert_eq!(hub.readers(), 2);
    assert!(hub.subscribe(&topic(), Resume::Live).await.is_ok());
}

/// Also while they wait for the log: those who give up leave their place.
#[tokio::test(start_paused = true)]
async fn a_reader_that_gives_up_while_it_subscribes() {
    let (log, hub) = hub(3);
    let hub = hub.with_max_readers(1);
    log.set_latency(MINUTE);
    let topic = topic();
    let mut subscribing = Box::pin(hub.subscribe(&topic, Resume::Live));
    assert!((&mut subscribing).now_or_never().is_none());
    assert_eq!(hub.readers(), 1);
    assert!(matches!(hub.subscribe(&topic, Resume::Live).await, Err(HubError::Full { .. })));
    drop(subscribing);
    assert_eq!(hub.readers(), 0);
    assert!(hub.subscribe(&topic, Resume::Live).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn an_idle_topic_makes_room_but_none_with_readers() {
    let log = Script::new();
    let topics = topics(4);
    topics.iter().for_each(|topic| log.begin(topic, 7));
    let hub = Hub::new(log.clone()).with_max_topics(2);
    let mut first = hub.subscribe(&topics[0], Resume::Live).await.unwrap();
    let second = hub.subscribe(&topics[1], Resume::Live).await.unwrap();
    assert!(matches!(hub.subscribe(&topics[2], Resume::Live).await, Err(HubError::Full { .. })));
    assert!(hub.subscribe(&topics[1], Resume::Live).await.is_ok());
    drop(second);
    assert_eq!(hub.topics(), 2, "it is followed for a minute");
    let third = hub.subscribe(&topics[2], Resume::Live).await.unwrap();
    assert_eq!((hub.topics(), hub.readers()), (2, 2));
    assert!(matches!(hub.subscribe(&topics[1], Resume::Live).await, Err(HubError::Full { .. })));
    sleep(Duration::from_millis(1)).await;
    let watched: Vec<_> = topics.iter().map(|topic| log.watchers(topic)).collect();
    assert_eq!(watched, [1, 0, 1, 0]);
    log.push(&topics[0]);
    assert_eq!(ready(&mut first).await, ["@7-0", "7-1 1"]);
    // A minute later, the evicted follower does not end that of the same topic.
    drop(third);
    let _second = hub.subscribe(&topics[1], Resume::Live).await.unwrap();
    sleep(2 * MINUTE).await;
    let watched: Vec<_> = topics.iter().map(|topic| log.watchers(topic)).collect();
    assert_eq!(watched, [1, 1, 0, 0]);
}

#[tokio::test(start_paused = true)]
async fn a_topic_is_followed_until_it_was_idle_for_long_enough() {
    let (log, hub) = hub(3);
    let hub = hub.with_idle(5 * MINUTE);
    // The clock does not stand at its beginning.
    sleep(60 * MINUTE).await;
    let followed = || (hub.topics(), log.watchers(&topic()));
    let first = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    let second = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    sleep(60 * MINUTE).await;
    drop(first);
    sleep(60 * MINUTE).await;
    assert_eq!(followed(), (1, 1), "there is a reader");
    drop(second);
    sleep(4 * MINUTE).await;
    assert_eq!(followed(), (1, 1));
    // Another one comes and goes: the time begins again, and it has needed no other follower.
    drop(hub.subscribe(&topic(), Resume::Live).await.unwrap());
    sleep(4 * MINUTE).await;
    assert_eq!(followed(), (1, 1));
    assert_eq!(log.calls().watches, 1);
    sleep(2 * MINUTE).await;
    assert_eq!(followed(), (0, 0));
    let reads = log.calls().reads;
    sleep(60 * MINUTE).await;
    assert_eq!(log.calls().reads, reads);
    let mut reader = hub.subscribe(&topic(), after(2)).await.unwrap();
    assert_eq!(ready(&mut reader).await, ["@7-2", "7-3 3"]);
}

/// Nobody waits for a log that is down either.
#[tokio::test(start_paused = true)]
async fn an_idle_topic_of_a_log_that_fails_is_left() {
    let (log, hub) = hub(3);
    let reader = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    log.set_fails(Fails { read: true, watch: true, ..Fails::default() });
    log.end_wakes(&topic());
    sleep(MINUTE).await;
    drop(reader);
    sleep(2 * MINUTE).await;
    assert_eq!(hub.topics(), 0);
    let watches = log.calls().watches;
    sleep(60 * MINUTE).await;
    assert_eq!(log.calls().watches, watches);
}

#[tokio::test(start_paused = true)]
async fn times_without_end() {
    let (log, hub) = hub(3);
    let hub = hub.with_idle(Duration::MAX).with_resync(Duration::MAX);
    let mut reader = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    log.push(&topic());
    assert_eq!(ready(&mut reader).await, ["@7-3", "7-4 4"]);
    drop(reader);
    sleep(100_000 * MINUTE).await;
    assert_eq!((hub.topics(), log.calls().reads), (1, 1));
}

/// Those that wait, those that read the log, and those whose log does not answer.
#[tokio::test(start_paused = true)]
async fn streams_end_with_the_hub() {
    let (log, hub) = hub(100);
    let clone = hub.clone();
    let mut live = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    let mut replays = hub.subscribe(&topic(), Resume::Earliest).await.unwrap();
    let mut waits = hub.subscribe(&topic(), Resume::Earliest).await.unwrap();
    assert_eq!(one(&mut live).await, "@7-100");
    assert_eq!(one(&mut replays).await, "@7-0");
    assert_eq!(one(&mut waits).await, "@7-0");
    assert_eq!(one(&mut replays).await, "7-1 1");
    log.set_fails(Fails { read: true, ..Fails::default() });
    assert_eq!(ready(&mut waits).await, [""; 0]);
    drop(hub);
    assert_eq!(ready(&mut live).await, [""; 0]);
    drop(clone);
    assert_eq!(ready(&mut live).await, ["(end)"]);
    // It finds out when it tries again.
    assert_eq!(within(&mut waits, Duration::from_secs(3)).await, ["(end)"]);
    let rest = ready(&mut replays).await;
    let (end, rest) = rest.split_last().unwrap();
    assert_eq!(end, "(end)");
    assert_eq!(*rest, events(2..=100)[..rest.len()]);
    assert_eq!(log.watchers(&topic()), 0);
}

#[tokio::test(start_paused = true)]
async fn few_readers_read_the_log_at_once() {
    let (log, hub) = hub(100);
    log.set_latency(Duration::from_millis(10));
    let hub = hub.with_history(ONE);
    let topic = topic();
    let subscribing = (0..200).map(|_| hub.subscribe(&topic, Resume::Earliest));
    let mut readers: Vec<_> = join_all(subscribing).await.into_iter().map(Result::unwrap).collect();
    let all = join_all(readers.iter_mut().map(ready)).await;
    assert!(all.iter().all(|items| items[1..] == events(1..=100)));
    // The follower has none of the permits.
    assert!((32..=33).contains(&log.calls().reads_at_once), "{:?}", log.calls());
}

/// A client that does not take its bytes is not polled.
#[tokio::test(start_paused = true)]
async fn readers_that_are_not_polled_do_not_keep_others_from_the_log() {
    let (log, hub) = hub(100);
    log.set_latency(Duration::from_millis(10));
    let mut readers = Vec::new();
    for _ in 0..100 {
        let mut reader = hub.subscribe(&topic(), Resume::Earliest).await.unwrap();
        assert_eq!(one(&mut reader).await, "@7-0");
        assert!(reader.next().now_or_never().is_none(), "it reads");
        readers.push(reader);
    }
    let mut reader = hub.subscribe(&topic(), Resume::Earliest).await.unwrap();
    assert_eq!(ready(&mut reader).await[1..], events(1..=100));
    // And those that are polled again have lost nothing.
    for reader in &mut readers {
        assert_eq!(ready(reader).await, events(1..=100));
    }
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_is_dropped_while_it_reads_stops_reading() {
    let (log, hub) = hub(100);
    let mut live = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    assert_eq!(ready(&mut live).await, ["@7-100"]);
    log.set_fails(Fails { read: true, ..Fails::default() });
    for _ in 0..100 {
        let mut reader = hub.subscribe(&topic(), Resume::Earliest).await.unwrap();
        assert_eq!(one(&mut reader).await, "@7-0");
        assert!(reader.next().now_or_never().is_none());
        sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(hub.readers(), 1);
    let reads = log.calls().reads;
    sleep(MINUTE / 4).await;
    assert_eq!(log.calls().reads, reads, "nobody reads for a reader that has left");
}
