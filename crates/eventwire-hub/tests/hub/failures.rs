//! A log that fails, and wake-ups that are lost or end.

use crate::{
    after, hub,
    items::{events, one, ready, within},
    script::{Fails, Wakes},
    topic,
};
use eventwire_hub::{History, HubError, Page, Resume, StreamPosition, Wake};
use futures_util::future::join;
use std::time::Duration;
use tokio::time::{Instant, sleep};

const ALL: Fails = Fails { append: true, read: true, watch: true };

/// Connected readers stay, and go on when the log is back.
#[tokio::test(start_paused = true)]
async fn a_log_that_fails_for_an_hour() {
    let (log, hub) = hub(5);
    let hub = hub.with_history(History::new().with_max_events(1));
    let mut live = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    let mut lags = hub.subscribe(&topic(), after(1)).await.unwrap();
    assert_eq!(ready(&mut live).await, ["@7-5"]);
    log.set_fails(ALL);
    log.end_wakes(&topic());
    let calls = log.calls();
    assert_eq!(within(&mut live, Duration::from_secs(3600)).await, [""; 0]);
    let watches = log.calls().watches - calls.watches;
    assert!((100..=5000).contains(&watches), "{watches} tries in an hour");
    let refused = hub.subscribe(&topic(), Resume::Live).await;
    assert!(matches!(refused, Err(HubError::Log(_))), "{refused:?}");
    // Also if the hub did not follow the topic.
    let other = eventwire_hub::Topic::new("other").unwrap();
    assert!(matches!(hub.subscribe(&other, Resume::Live).await, Err(HubError::Log(_))));
    assert_eq!(hub.readers(), 2);
    let calls = log.calls();
    assert_eq!(within(&mut lags, Duration::from_secs(3600)).await, ["@7-1"]);
    let reads = log.calls().reads - calls.reads;
    assert!((100..=5000).contains(&reads), "{reads} tries in an hour");

    log.push(&topic());
    log.set_fails(Fails::default());
    assert_eq!(within(&mut live, Duration::from_secs(5)).await, events([6]));
    assert_eq!(within(&mut lags, Duration::from_secs(5)).await, events(2..=6));
    log.push(&topic());
    assert_eq!(ready(&mut live).await, events([7]));
    assert_eq!(ready(&mut lags).await, events([7]));
    assert!(hub.subscribe(&topic(), Resume::Live).await.is_ok());
    assert!(hub.subscribe(&other, Resume::Live).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn only_reads_fail_or_only_watches() {
    for fails in [Fails { read: true, ..Fails::default() }, Fails { watch: true, ..Fails::default() }] {
        let (log, hub) = hub(2);
        let mut live = hub.subscribe(&topic(), Resume::Live).await.unwrap();
        assert_eq!(ready(&mut live).await, ["@7-2"]);
        log.set_fails(fails);
        log.wake(&topic(), Wake::Changed);
        log.end_wakes(&topic());
        sleep(Duration::from_secs(10)).await;
        assert!(matches!(hub.subscribe(&topic(), Resume::Live).await, Err(HubError::Log(_))));
        log.set_fails(Fails::default());
        log.push(&topic());
        assert_eq!(within(&mut live, Duration::from_secs(5)).await, events([3]));
        assert!(hub.subscribe(&topic(), Resume::Live).await.is_ok());
    }
}

#[tokio::test(start_paused = true)]
async fn a_lost_wake_up_delays_an_event_by_at_most_a_resync() {
    for resync in [1, 7, 60].map(Duration::from_secs) {
        let (log, hub) = hub(2);
        let hub = hub.with_resync(resync);
        let mut live = hub.subscribe(&topic(), Resume::Live).await.unwrap();
        assert_eq!(one(&mut live).await, "@7-2");
        log.set_wakes(Wakes::Lost);
        for number in 3..=5 {
            sleep(resync / 3).await;
            let sent = Instant::now();
            log.push(&topic());
            assert_eq!(within(&mut live, Duration::ZERO).await, [""; 0]);
            let next = tokio::time::timeout(resync * 2, futures_util::StreamExt::next(&mut live)).await;
            assert_eq!(crate::items::text(next.unwrap().unwrap()), format!("7-{number} {number}"));
            assert!(sent.elapsed() <= resync + Duration::from_millis(5), "{:?}", sent.elapsed());
        }
        // No more often than that.
        let reads = log.calls().reads;
        sleep(resync * 10).await;
        assert!((9..=11).contains(&(log.calls().reads - reads)));
    }
}

#[tokio::test(start_paused = true)]
async fn wake_ups_that_end_are_asked_for_again() {
    let (log, hub) = hub(2);
    let mut live = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    assert_eq!(ready(&mut live).await, ["@7-2"]);
    for number in 3..=10 {
        // What comes now, the wake-ups do not tell.
        log.end_wakes(&topic());
        log.push(&topic());
        assert_eq!(within(&mut live, Duration::from_secs(5)).await, events([number]));
        assert_eq!(log.watchers(&topic()), 1);
        assert_eq!(log.calls().watches, usize::try_from(number).unwrap() - 1);
    }
}

#[tokio::test(start_paused = true)]
async fn wake_ups_that_end_at_once_do_not_loop() {
    let (log, hub) = hub(2);
    let mut live = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    assert_eq!(ready(&mut live).await, ["@7-2"]);
    let ending = tokio::spawn({
        let log = log.clone();
        async move {
            loop {
                log.end_wakes(&topic());
                sleep(Duration::from_millis(1)).await;
            }
        }
    });
    sleep(Duration::from_secs(60)).await;
    assert!((20..=150).contains(&log.calls().watches), "{:?}", log.calls());
    ending.abort();
    log.push(&topic());
    assert_eq!(within(&mut live, Duration::from_secs(5)).await, events([3]));
}

/// Who waits for the follower is answered, and the hub starts another one.
#[tokio::test(start_paused = true)]
async fn a_log_that_panics() {
    let (log, hub) = hub(2);
    log.set_latency(Duration::from_millis(10));
    log.answer(|_, _| panic!("the log panics, as the test wants"));
    let topic = topic();
    let subscribed = join(hub.subscribe(&topic, Resume::Live), hub.subscribe(&topic, Resume::Earliest));
    let subscribed = tokio::time::timeout(Duration::from_secs(1), subscribed).await.unwrap();
    assert!(matches!(subscribed, (Err(HubError::Full { .. }), Err(HubError::Full { .. }))), "{subscribed:?}");
    assert_eq!((hub.readers(), hub.topics()), (0, 0));

    log.answer_rightly();
    let mut reader = hub.subscribe(&topic, Resume::Earliest).await.unwrap();
    assert_eq!(ready(&mut reader).await, ["@7-0", "7-1 1", "7-2 2"]);

    // The readers of a follower that panics end, and can return.
    log.answer(|_, _| panic!("the log panics, as the test wants"));
    log.wake(&topic, Wake::Changed);
    assert_eq!(ready(&mut reader).await, ["(end)"]);
    log.answer_rightly();
    log.push(&topic);
    let mut reader = hub.subscribe(&topic, after(2)).await.unwrap();
    assert_eq!(ready(&mut reader).await, ["@7-2", "7-3 3"]);
}

/// A reader that is ahead of its follower does not wait for it forever.
#[tokio::test(start_paused = true)]
async fn a_log_that_panics_only_for_the_follower() {
    let (log, hub) = hub(3);
    let _live = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    log.set_wakes(Wakes::Lost);
    (4..=6).for_each(|_| _ = log.push(&topic()));
    let mut ahead = hub.subscribe(&topic(), after(6)).await.unwrap();
    assert_eq!(ready(&mut ahead).await, ["@7-6"]);
    let mut reads = 0;
    log.answer(move |_, _| {
        reads += 1;
        assert!(reads > 1, "the log panics, as the test wants");
        Page { entries: Vec::new(), tail: StreamPosition::new(7, 6), finished: false }
    });
    log.wake(&topic(), Wake::Changed);
    assert_eq!(ready(&mut ahead).await, ["(end)"]);
}

/// A page that is read by a reader.
#[tokio::test(start_paused = true)]
async fn a_log_that_panics_while_a_reader_reads() {
    let (log, hub) = hub(2);
    let mut live = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    assert_eq!(ready(&mut live).await, ["@7-2"]);
    let mut reader = hub.subscribe(&topic(), Resume::Earliest).await.unwrap();
    assert_eq!(one(&mut reader).await, "@7-0");
    log.answer(|_, _| panic!("the log panics, as the test wants"));
    assert_eq!(ready(&mut reader).await, ["(end)"]);
    log.answer_rightly();
    log.push(&topic());
    assert_eq!(ready(&mut live).await, events([3]));
}
