//! Several topics of a hub in one stream.

use crate::{
    after_id,
    items::{one, ready, within},
    script::{Script, Wakes},
};
use eventwire_hub::{History, Hub, HubError, MergeError, Resume, Topic, Wake};
use futures_util::{StreamExt, stream};
use http::StatusCode;
use std::{
    pin::pin,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    time::Duration,
};
use tokio::time::{sleep, timeout};

/// Topics `a` of epoch 7 and `b` of epoch 8.
fn hub() -> (Script, Hub<Script>, [Topic; 2]) {
    let log = Script::new();
    let topics = ["a", "b"].map(|name| Topic::new(name).unwrap());
    log.begin(&topics[0], 7);
    log.begin(&topics[1], 8);
    (log.clone(), Hub::new(log).with_history(History::new().with_max_events(1)), topics)
}

#[tokio::test(start_paused = true)]
async fn an_event_has_the_positions_of_all_topics() {
    let (log, hub, topics) = hub();
    let mut reader = hub.subscribe_merged(&topics, Resume::Live).await.unwrap();
    assert_eq!(ready(&mut reader).await, ["@a=7-0,b=8-0"]);
    log.push(&topics[1]);
    assert_eq!(ready(&mut reader).await, ["a=7-0,b=8-1 1"]);
    log.push(&topics[0]);
    log.push(&topics[0]);
    assert_eq!(ready(&mut reader).await, ["a=7-1,b=8-1 1", "a=7-2,b=8-1 2"]);
    assert_eq!(hub.readers(), 2, "one for each topic");
    let id = "a=0000000000000007-1,b=0000000000000008-0";
    let mut returns = hub.subscribe_merged(&topics, after_id(id)).await.unwrap();
    let items = ready(&mut returns).await;
    assert_eq!(items[0], "@a=7-1,b=8-0");
    assert!(
        items[1..] == ["a=7-2,b=8-0 2", "a=7-2,b=8-1 1"] || items[1..] == ["a=7-1,b=8-1 1", "a=7-2,b=8-1 2"],
        "{items:?}"
    );
    drop((reader, returns));
    assert_eq!(hub.readers(), 0);
}

/// One topic reads the log, which takes long. The other one goes on.
#[tokio::test(start_paused = true)]
async fn a_topic_that_lags_does_not_delay_the_others() {
    let (log, hub, topics) = hub();
    let mut reader = hub.subscribe_merged(&topics, Resume::Live).await.unwrap();
    assert_eq!(one(&mut reader).await, "@a=7-0,b=8-0");
    (0..3).for_each(|_| _ = log.push(&topics[0]));
    sleep(Duration::from_millis(1)).await;
    log.set_latency(Duration::from_secs(10));
    for number in 1..=5 {
        log.push(&topics[1]);
        assert_eq!(ready(&mut reader).await, [format!("a=7-0,b=8-{number} {number}")]);
    }
    sleep(Duration::from_secs(30)).await;
    let lagged: Vec<_> = (1..=3).map(|number| format!("a=7-{number},b=8-5 {number}")).collect();
    assert_eq!(ready(&mut reader).await, lagged);
}

#[tokio::test(start_paused = true)]
async fn a_gap_names_its_topic() {
    let (log, hub, topics) = hub();
    (0..10).for_each(|_| _ = log.push(&topics[0]));
    log.trim(&topics[0], 2);
    let mut reader = hub.subscribe_merged(&topics, Resume::Earliest).await.unwrap();
    let items = ready(&mut reader).await;
    assert_eq!(items, ["@a=7-0,b=8-0", "gap a=7-8,b=8-0 a 8", "a=7-9,b=8-0 9", "a=7-10,b=8-0 10"]);
    // An ID that says nothing is a gap in each topic.
    let mut reader = hub.subscribe_merged(&topics, after_id("x")).await.unwrap();
    let items = ready(&mut reader).await;
    assert_eq!(items, ["@a=-,b=-", "gap a=7-10,b=- a ?", "gap a=7-10,b=8-0 b ?"]);
}

#[tokio::test(start_paused = true)]
async fn the_end_is_that_of_all_topics() {
    let (log, hub, topics) = hub();
    log.push(&topics[0]);
    let mut reader = hub.subscribe_merged(&topics, Resume::Live).await.unwrap();
    assert_eq!(ready(&mut reader).await, ["@a=7-1,b=8-0"]);
    hub.finish(&topics[0]).await.unwrap();
    assert_eq!(ready(&mut reader).await, [""; 0]);
    log.push(&topics[1]);
    assert_eq!(ready(&mut reader).await, ["a=7-1,b=8-1 1"]);
    hub.finish(&topics[1]).await.unwrap();
    assert_eq!(ready(&mut reader).await, ["(end)"]);
    let newest = "a=0000000000000007-1,b=0000000000000008-1";
    assert!(matches!(hub.subscribe_merged(&topics, after_id(newest)).await, Err(HubError::UpToDate)));
    let older = "a=0000000000000007-1,b=0000000000000008-0";
    let mut reader = hub.subscribe_merged(&topics, after_id(older)).await.unwrap();
    assert_eq!(ready(&mut reader).await, ["@a=7-1,b=8-0", "a=7-1,b=8-1 1", "(end)"]);
}

/// As for a reader of one topic: the channel has the last event, but not the end.
#[tokio::test(start_paused = true)]
async fn the_end_of_a_topic_that_was_found_in_the_log_stays() {
    let (log, hub, topics) = hub();
    (0..3).for_each(|_| _ = log.push(&topics[0]));
    let hub = hub.with_resync(Duration::from_secs(3600));
    let from = "a=0000000000000007-1,b=0000000000000008-0";
    let mut reader = hub.subscribe_merged(&topics, after_id(from)).await.unwrap();
    assert_eq!(one(&mut reader).await, "@a=7-1,b=8-0");
    log.set_latency(Duration::from_millis(10));
    assert!(timeout(Duration::from_millis(5), reader.next()).await.is_err());
    log.push(&topics[0]);
    log.set_wakes(Wakes::Lost);
    log.finish(&topics[0]);
    log.set_wakes(Wakes::Entries);
    assert_eq!(ready(&mut reader).await.last().unwrap(), "a=7-4,b=8-0 4");
    hub.finish(&topics[1]).await.unwrap();
    assert_eq!(ready(&mut reader).await, ["(end)"]);
}

/// The log has lost a topic that has ended, and there is another one of its name.
#[tokio::test(start_paused = true)]
async fn a_topic_that_was_finished_can_go_on() {
    for wakes in [Wakes::Entries, Wakes::Changed, Wakes::Lost] {
        // A reader that was there, and one that finds the end in the log.
        for from in ["a=0000000000000007-3,b=0000000000000008-0", "a=0000000000000007-1,b=0000000000000008-0"] {
            let (log, hub, topics) = hub();
            (0..3).for_each(|_| _ = log.push(&topics[0]));
            hub.finish(&topics[0]).await.unwrap();
            let hub = hub.with_resync(Duration::from_secs(5));
            let mut reader = hub.subscribe_merged(&topics, after_id(from)).await.unwrap();
            let items = within(&mut reader, Duration::from_secs(20)).await;
            assert!(items.last().unwrap().contains("a=7-3,b=8-0"), "{items:?}");
            log.set_wakes(wakes);
            log.begin(&topics[0], 9);
            (0..2).for_each(|_| _ = log.push(&topics[0]));
            let goes_on = ["gap a=9-0,b=8-0 a ?", "a=9-1,b=8-0 1", "a=9-2,b=8-0 2"];
            assert_eq!(within(&mut reader, Duration::from_secs(20)).await, goes_on, "{wakes:?} {from}");
            // It can end again, and then go on where it was.
            hub.finish(&topics[0]).await.unwrap();
            assert_eq!(within(&mut reader, Duration::from_secs(20)).await, [""; 0]);
            log.open_again(&topics[0]);
            log.push(&topics[0]);
            assert_eq!(within(&mut reader, Duration::from_secs(20)).await, ["a=9-3,b=8-0 3"], "{wakes:?} {from}");
            hub.finish(&topics[0]).await.unwrap();
            log.push(&topics[1]);
            assert_eq!(within(&mut reader, Duration::from_secs(20)).await, ["a=9-3,b=8-1 1"]);
            hub.finish(&topics[1]).await.unwrap();
            assert_eq!(within(&mut reader, Duration::from_secs(20)).await, ["(end)"]);
        }
    }
}

/// A task of one topic has panicked. Its reader would get nothing of that topic, and is not told, so it has to return.
#[tokio::test(start_paused = true)]
async fn a_topic_that_is_no_longer_followed_ends_the_stream() {
    for lags in [false, true] {
        let (log, hub, topics) = hub();
        let mut reader = hub.subscribe_merged(&topics, Resume::Live).await.unwrap();
        assert_eq!(one(&mut reader).await, "@a=7-0,b=8-0");
        if lags {
            // The hub keeps one event, so the reader reads the log itself.
            (0..3).for_each(|_| _ = log.push(&topics[0]));
            sleep(Duration::from_millis(1)).await;
        }
        log.answer(|_, _| panic!("a fault of the test"));
        if !lags {
            log.wake(&topics[0], Wake::Changed);
        }
        assert_eq!(ready(&mut reader).await, ["(end)"]);
        log.answer_rightly();
        log.push(&topics[0]);
        let mut returns =
            hub.subscribe_merged(&topics, after_id("a=0000000000000007-0,b=0000000000000008-0")).await.unwrap();
        let count = if lags { 4 } else { 1 };
        assert_eq!(ready(&mut returns).await.last().unwrap(), &format!("a=7-{count},b=8-0 {count}"));
    }
}

/// Nothing happens to a topic that has ended: its readers are not woken, and read nothing.
#[tokio::test(start_paused = true)]
async fn a_topic_that_has_ended_costs_nothing() {
    let (log, hub, topics) = hub();
    let mut reader = hub.subscribe_merged(&topics, Resume::Live).await.unwrap();
    hub.finish(&topics[0]).await.unwrap();
    assert_eq!(ready(&mut reader).await, ["@a=7-0,b=8-0"]);
    let polls = AtomicUsize::new(0);
    let reads = log.calls().reads;
    let counted = stream::poll_fn(|context| {
        polls.fetch_add(1, Relaxed);
        reader.poll_next_unpin(context)
    });
    assert_eq!(within(&mut pin!(counted), Duration::from_secs(100)).await, [""; 0]);
    assert_eq!(polls.load(Relaxed), 2, "when it begins to wait, and when it stops");
    assert!(log.calls().reads - reads <= 2 * 4, "only the followers read, each 30 s");
}

#[tokio::test(start_paused = true)]
async fn topics_that_cannot_be_merged() {
    let (log, hub, topics) = hub();
    let none: [&Topic; 0] = [];
    let slash = Topic::new("room/7").unwrap();
    let many: Vec<_> = (0..17).map(|number| Topic::new(&number.to_string()).unwrap()).collect();
    for (topics, expected) in [
        (Vec::from(none), MergeError::NoTopics),
        (vec![&topics[0], &slash], MergeError::InvalidName("room/7".to_owned())),
        (vec![&topics[0], &topics[0]], MergeError::RepeatedName("a".to_owned())),
        (many.iter().collect(), MergeError::TooManyTopics),
    ] {
        let error = hub.subscribe_merged(topics, Resume::Live).await.unwrap_err();
        assert!(matches!(&error, HubError::Merge(merge) if *merge == expected), "{error:?}");
        assert_eq!(StatusCode::from(error), StatusCode::BAD_REQUEST);
    }
    assert_eq!(hub.readers(), 0, "nobody is left over");
    log.set_fails(crate::script::Fails { read: true, ..Default::default() });
    let others = ["c", "d"].map(|name| Topic::new(name).unwrap());
    assert!(matches!(hub.subscribe_merged(&others, Resume::Live).await, Err(HubError::Log(_))));
    assert_eq!(hub.readers(), 0);
}

/// With fewer places than topics.
#[tokio::test(start_paused = true)]
async fn a_merged_reader_that_does_not_fit() {
    let (_, hub, topics) = hub();
    let hub = hub.with_max_readers(1);
    assert!(matches!(hub.subscribe_merged(&topics, Resume::Live).await, Err(HubError::Full { .. })));
    assert_eq!(hub.readers(), 0);
}
