//! What is sent, and the end.

use crate::{
    after, hub,
    items::{events, one, ready, within},
    script::{Fails, Wakes},
    topic,
};
use eventwire::Event;
use eventwire_hub::{History, HubError, Resume, StreamPosition};
use http::StatusCode;
use std::time::Duration;
use tokio::time::Instant;

#[tokio::test(start_paused = true)]
async fn an_event_is_shown_when_the_log_has_accepted_it() {
    let (log, hub) = hub(3);
    let mut reader = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    assert_eq!(ready(&mut reader).await, ["@7-3"]);
    assert_eq!(hub.send(&topic(), &Event::new("a")).await.unwrap(), StreamPosition::new(7, 4));
    assert_eq!(ready(&mut reader).await, ["7-4 a"]);
    assert_eq!(log.calls().appends, 1);
}

/// Without a key, it could be there twice.
#[tokio::test(start_paused = true)]
async fn an_append_that_fails_is_not_repeated() {
    let (log, hub) = hub(0);
    log.set_fails(Fails { append: true, ..Fails::default() });
    let error = hub.send(&topic(), &Event::new("a")).await.unwrap_err();
    assert!(matches!(error, HubError::Log(_)));
    assert_eq!(StatusCode::from(error), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(log.calls().appends, 1);
    assert!(matches!(hub.finish(&topic()).await, Err(HubError::Log(_))));
    assert_eq!(log.calls().appends, 2);
}

#[tokio::test(start_paused = true)]
async fn an_append_with_a_key_is_repeated_for_some_seconds() {
    let (log, hub) = hub(0);
    log.set_fails(Fails { append: true, ..Fails::default() });
    let started = Instant::now();
    assert!(matches!(hub.send_once(&topic(), "k", &Event::new("a")).await, Err(HubError::Log(_))));
    let appends = log.calls().appends;
    assert!((4..=20).contains(&appends), "{appends}");
    assert!(started.elapsed() < Duration::from_secs(20));
    let mends = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        log.set_fails(Fails::default());
    };
    let event = Event::new("a");
    let topic = topic();
    let (sent, ()) = futures_util::future::join(hub.send_once(&topic, "k", &event), mends).await;
    assert!(sent.is_ok());
    assert!((2..=6).contains(&(log.calls().appends - appends)));
}

#[tokio::test(start_paused = true)]
async fn an_event_with_an_id_is_refused() {
    let (log, hub) = hub(0);
    let event = Event::new("a").with_id("7").unwrap();
    assert!(matches!(hub.send(&topic(), &event).await, Err(HubError::HasId)));
    assert!(matches!(hub.send_once(&topic(), "k", &event).await, Err(HubError::HasId)));
    assert_eq!(log.calls().appends, 0);
}

#[tokio::test(start_paused = true)]
async fn the_end_comes_after_all_events() {
    for wakes in [Wakes::Entries, Wakes::Lost] {
        let (log, hub) = hub(100);
        log.set_wakes(wakes);
        let hub = hub.with_history(History::new().with_max_events(1)).with_resync(Duration::from_millis(100));
        let mut live = hub.subscribe(&topic(), Resume::Live).await.unwrap();
        assert_eq!(one(&mut live).await, "@7-100");
        let mut reads_all = hub.subscribe(&topic(), Resume::Earliest).await.unwrap();
        let mut lags = hub.subscribe(&topic(), after(98)).await.unwrap();
        assert_eq!(one(&mut lags).await, "@7-98");
        assert_eq!(one(&mut lags).await, "7-99 99");
        hub.send(&topic(), &Event::new("101")).await.unwrap();
        hub.finish(&topic()).await.unwrap();
        let ended = |from: u64| [events(from..=101), vec!["(end)".to_owned()]].concat();
        assert_eq!(ready(&mut live).await, ended(101));
        assert_eq!(ready(&mut lags).await, ended(100));
        assert_eq!(ready(&mut reads_all).await[1..], ended(1));
        assert_eq!(ready(&mut live).await, ["(end)"], "it does not go on");
        // To end it again is no error, and it stays ended.
        hub.finish(&topic()).await.unwrap();
        let late = hub.send(&topic(), &Event::new("late")).await.unwrap_err();
        assert!(matches!(late, HubError::Finished));
        assert_eq!(StatusCode::from(late), StatusCode::CONFLICT);
        assert!(matches!(hub.send_once(&topic(), "k", &Event::new("late")).await, Err(HubError::Finished)));

        let error = hub.subscribe(&topic(), after(101)).await.unwrap_err();
        assert!(matches!(error, HubError::UpToDate));
        assert_eq!(StatusCode::from(error), StatusCode::NO_CONTENT);
        for (resume, opening, from) in
            [(after(100), "@7-100", 101), (after(3), "@7-3", 4), (Resume::Live, "@7-101", 102)]
        {
            let mut reader = hub.subscribe(&topic(), resume).await.unwrap();
            assert_eq!(one(&mut reader).await, opening);
            assert_eq!(ready(&mut reader).await, ended(from));
        }
        drop((live, lags, reads_all));
        assert_eq!(hub.readers(), 0);
    }
}

/// The follower needs several pages for them.
#[tokio::test(start_paused = true)]
async fn the_end_comes_after_many_events_that_were_not_told_of() {
    let (log, hub) = hub(1);
    let mut live = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    assert_eq!(ready(&mut live).await, ["@7-1"]);
    log.set_wakes(Wakes::Lost);
    (2..=600).for_each(|_| _ = log.push(&topic()));
    log.finish(&topic());
    let items = within(&mut live, Duration::from_secs(60)).await;
    assert_eq!(items, [events(2..=600), vec!["(end)".to_owned()]].concat());
}

/// Another process knows that the topic has ended, or has more of it.
#[tokio::test(start_paused = true)]
async fn a_reader_that_is_ahead_of_this_hub() {
    let (log, hub) = hub(3);
    let hub = hub.with_resync(Duration::from_secs(100));
    let _stays = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    log.set_wakes(Wakes::Lost);
    (4..=6).for_each(|_| _ = log.push(&topic()));
    let mut ahead = hub.subscribe(&topic(), after(5)).await.unwrap();
    assert_eq!(ready(&mut ahead).await, ["@7-5", "7-6 6"]);
    let reads = log.calls().reads;
    let mut newest = hub.subscribe(&topic(), after(6)).await.unwrap();
    assert_eq!(ready(&mut newest).await, ["@7-6"]);
    assert_eq!(log.calls().reads, reads + 1);
    log.set_wakes(Wakes::Entries);
    log.push(&topic());
    assert_eq!(ready(&mut ahead).await, ["7-7 7"]);
    assert_eq!(ready(&mut newest).await, ["7-7 7"]);
    log.set_wakes(Wakes::Lost);
    log.push(&topic());
    log.finish(&topic());
    let mut newest = hub.subscribe(&topic(), after(8)).await.unwrap();
    assert_eq!(ready(&mut newest).await, ["@7-8", "(end)"]);
}

/// A topic that the log had evicted, for example.
#[tokio::test(start_paused = true)]
async fn a_topic_that_has_ended_can_begin_again() {
    let (log, hub) = hub(3);
    log.finish(&topic());
    assert!(matches!(hub.subscribe(&topic(), after(3)).await, Err(HubError::UpToDate)));
    log.begin(&topic(), 8);
    log.push(&topic());
    tokio::time::sleep(Duration::from_millis(1)).await;
    let mut reader = hub.subscribe(&topic(), after(3)).await.unwrap();
    assert_eq!(ready(&mut reader).await, ["@7-3", "gap 8-0 ?", "8-1 1"]);
}
