//! Topics that the log does not know, or not yet.

use crate::{
    after, after_id, hub,
    items::{events, one, ready, within},
    script::{Fails, Script, Wakes},
    topic,
};
use eventwire_hub::{History, Hub, HubError, Resume, Unknown, Wake};
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn the_first_event_comes_without_a_gap() {
    // Without its hint, it need not be the first one; see the next test.
    for (wakes, gap) in [
        (Wakes::Entries, None),
        (Wakes::Doubled, None),
        (Wakes::Changed, Some("gap 7-0 ?")),
        (Wakes::Lost, Some("gap 7-0 ?")),
        (Wakes::Reversed, Some("gap 7-0 ?")),
    ] {
        for resume in [Resume::Live, Resume::Earliest] {
            let log = Script::new();
            log.set_wakes(wakes);
            let hub = Hub::new(log.clone()).with_resync(Duration::from_secs(5));
            let mut reader = hub.subscribe(&topic(), resume).await.unwrap();
            assert_eq!(ready(&mut reader).await, ["@0-0"]);
            log.push(&topic());
            let expected: Vec<_> = gap.map(str::to_owned).into_iter().chain(events([1])).collect();
            assert_eq!(within(&mut reader, Duration::from_secs(11)).await, expected, "{wakes:?}");
            (2..=3).for_each(|_| _ = log.push(&topic()));
            assert_eq!(within(&mut reader, Duration::from_secs(11)).await, events([2, 3]), "{wakes:?}");
        }
    }
}

/// A topic has come and gone, and there is another one. A page can be read before the hint of the event that is gone.
#[tokio::test(start_paused = true)]
async fn a_first_event_that_is_gone_before_its_hint_comes_is_a_gap() {
    let late = Wakes::Late(Duration::from_secs(60));
    for wakes in [Wakes::Entries, Wakes::Changed, Wakes::Lost, late] {
        let log = Script::new();
        log.set_wakes(wakes);
        let hub = Hub::new(log.clone()).with_resync(Duration::from_secs(5));
        let mut reader = hub.subscribe(&topic(), Resume::Live).await.unwrap();
        assert_eq!(ready(&mut reader).await, ["@0-0"]);
        log.push(&topic());
        log.begin(&topic(), 8);
        log.push(&topic());
        assert_eq!(within(&mut reader, Duration::from_secs(11)).await, ["gap 8-0 ?", "8-1 1"], "{wakes:?}");
        assert_eq!(within(&mut reader, Duration::from_secs(100)).await, [""; 0], "{wakes:?}");
    }
}

/// The reader has made up its ID, or the topic is another one of this name.
#[tokio::test(start_paused = true)]
async fn an_id_of_another_epoch_is_a_gap_before_the_first_event() {
    for id in ["0000000000000006-5", "ffffffffffffffff-5"] {
        for wakes in [Wakes::Entries, Wakes::Changed] {
            for kept in [1, 1000] {
                let log = Script::new();
                log.set_wakes(wakes);
                let hub = Hub::new(log.clone()).with_history(History::new().with_max_events(kept));
                let mut reader = hub.subscribe(&topic(), after_id(id)).await.unwrap();
                assert_eq!(ready(&mut reader).await.len(), 1);
                (1..=3).for_each(|_| _ = log.push(&topic()));
                assert_eq!(ready(&mut reader).await, ["gap 7-0 ?", "7-1 1", "7-2 2", "7-3 3"]);
                log.push(&topic());
                assert_eq!(ready(&mut reader).await, events([4]));
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_lags_from_the_very_first_event_gets_no_gap_either() {
    let log = Script::new();
    let hub = Hub::new(log.clone()).with_history(History::new().with_max_events(1));
    let mut quick = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    let mut slow = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    let mut opened = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    assert_eq!(one(&mut opened).await, "@0-0");
    assert_eq!(ready(&mut quick).await, ["@0-0"]);
    for number in 1..=3 {
        log.push(&topic());
        assert_eq!(ready(&mut quick).await, events([number]));
    }
    assert_eq!(ready(&mut opened).await, events(1..=3));
    assert_eq!(ready(&mut slow).await[1..], events(1..=3));
}

#[tokio::test(start_paused = true)]
async fn the_first_events_may_be_many() {
    let log = Script::new();
    let hub = Hub::new(log.clone()).with_history(History::new().with_max_events(10));
    let mut reader = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    assert_eq!(ready(&mut reader).await, ["@0-0"]);
    (1..=1000).for_each(|_| _ = log.push(&topic()));
    assert_eq!(ready(&mut reader).await, events(1..=1000));
}

#[tokio::test(start_paused = true)]
async fn a_first_event_that_is_gone_is_a_gap() {
    let log = Script::new();
    let hub = Hub::new(log.clone());
    let mut reader = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    assert_eq!(ready(&mut reader).await, ["@0-0"]);
    log.set_wakes(Wakes::Lost);
    (1..=3).for_each(|_| _ = log.push(&topic()));
    log.trim(&topic(), 1);
    log.wake(&topic(), Wake::Changed);
    assert_eq!(ready(&mut reader).await, ["gap 7-2 ?", "7-3 3"]);
}

/// A topic may have come and gone while nobody watched.
#[tokio::test(start_paused = true)]
async fn a_first_event_that_comes_while_wake_ups_are_lost_is_a_gap() {
    let log = Script::new();
    let hub = Hub::new(log.clone());
    let mut reader = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    assert_eq!(ready(&mut reader).await, ["@0-0"]);
    log.end_wakes(&topic());
    log.push(&topic());
    assert_eq!(ready(&mut reader).await, ["gap 7-0 ?", "7-1 1"]);
}

#[tokio::test(start_paused = true)]
async fn a_topic_that_ends_before_its_first_event() {
    let log = Script::new();
    let hub = Hub::new(log.clone());
    let mut reader = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    assert_eq!(ready(&mut reader).await, ["@0-0"]);
    hub.finish(&topic()).await.unwrap();
    // The hint does not say that it is the first one.
    assert_eq!(ready(&mut reader).await, ["gap 7-0 ?", "(end)"]);
    assert!(matches!(hub.subscribe(&topic(), after(0)).await, Err(HubError::UpToDate)));
}

/// Its ID says nothing: there may have been a topic while it was away.
#[tokio::test(start_paused = true)]
async fn a_reader_that_returns_from_an_unknown_topic_gets_one_gap() {
    let back = || after_id("0000000000000000-0");
    for kept in [1, 1000] {
        let log = Script::new();
        let hub = Hub::new(log.clone()).with_history(History::new().with_max_events(kept));
        let mut stays = hub.subscribe(&topic(), Resume::Live).await.unwrap();
        let mut waits = hub.subscribe(&topic(), back()).await.unwrap();
        assert_eq!(ready(&mut waits).await, ["@0-0"]);
        log.push(&topic());
        log.push(&topic());
        assert_eq!(ready(&mut stays).await, ["@0-0", "7-1 1", "7-2 2"]);
        assert_eq!(ready(&mut waits).await, ["gap 7-0 ?", "7-1 1", "7-2 2"]);
        let mut returns = hub.subscribe(&topic(), back()).await.unwrap();
        assert_eq!(ready(&mut returns).await, ["@0-0", "gap 7-0 ?", "7-1 1", "7-2 2"]);
        let reads = log.calls().reads;
        log.push(&topic());
        for reader in [&mut stays, &mut waits, &mut returns] {
            assert_eq!(ready(reader).await, events([3]));
        }
        assert_eq!(log.calls().reads, reads, "they have joined");
    }
    // The topic that it has missed is gone, and there is another one.
    let log = Script::new();
    log.begin(&topic(), 7);
    log.push(&topic());
    log.forget(&topic());
    let hub = Hub::new(log.clone());
    let mut returns = hub.subscribe(&topic(), back()).await.unwrap();
    assert_eq!(ready(&mut returns).await, ["@0-0"]);
    log.begin(&topic(), 8);
    log.push(&topic());
    assert_eq!(ready(&mut returns).await, ["gap 8-0 ?", "8-1 1"]);
}

#[tokio::test(start_paused = true)]
async fn not_found() {
    let log = Script::new();
    let hub = Hub::new(log.clone()).with_unknown(Unknown::NotFound);
    assert!(matches!(hub.subscribe(&topic(), Resume::Live).await, Err(HubError::NotFound)));
    assert_eq!(hub.readers(), 0);
    // Nobody waits for it.
    tokio::time::sleep(Duration::from_millis(10)).await;
    assert_eq!((hub.topics(), log.watchers(&topic())), (0, 0));
    log.push(&topic());
    assert!(hub.subscribe(&topic(), Resume::Live).await.is_ok());
    assert!(hub.subscribe(&topic(), after(1)).await.is_ok());
}

/// The follower's first calls fail, and then the log does not know the topic.
#[tokio::test(start_paused = true)]
async fn a_log_that_was_down_does_not_know_the_topic() {
    for unknown in [Unknown::Wait, Unknown::NotFound] {
        let log = Script::new();
        log.set_fails(Fails { read: true, ..Fails::default() });
        let hub = Hub::new(log.clone()).with_unknown(unknown);
        assert!(matches!(hub.subscribe(&topic(), Resume::Live).await, Err(HubError::Log(_))));
        log.set_fails(Fails::default());
        tokio::time::sleep(Duration::from_secs(3)).await;
        let subscribed = hub.subscribe(&topic(), Resume::Live).await;
        if unknown == Unknown::NotFound {
            assert!(matches!(subscribed, Err(HubError::NotFound)), "{subscribed:?}");
            continue;
        }
        let mut reader = subscribed.unwrap();
        assert_eq!(ready(&mut reader).await, ["@0-0"]);
        log.push(&topic());
        assert_eq!(ready(&mut reader).await, events([1]));
    }
}

/// A hub that could not start begins with the tail, too: it does not read all that the log has.
#[tokio::test(start_paused = true)]
async fn a_log_that_was_down_is_followed_from_its_tail() {
    let (log, hub) = hub(5000);
    log.set_fails(Fails { read: true, ..Fails::default() });
    assert!(matches!(hub.subscribe(&topic(), Resume::Live).await, Err(HubError::Log(_))));
    log.set_fails(Fails::default());
    tokio::time::sleep(Duration::from_secs(3)).await;
    let mut reader = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    assert_eq!(ready(&mut reader).await, ["@7-5000"]);
    assert!(log.calls().reads < 10, "{:?}", log.calls());
}
