//! What is missing: after a slow reader, a trimmed log, or a new epoch.

use crate::{
    after, after_id, hub,
    items::{events, one, ready, within},
    script::Wakes,
    topic,
};
use eventwire::Event;
use eventwire_hub::{History, Hub, Resume};
use futures_util::StreamExt;
use std::time::Duration;
use tokio::time::timeout;

const ONE: History = History::new().with_max_events(1);

#[tokio::test(start_paused = true)]
async fn a_reader_that_lags_reads_the_log_and_gets_no_gap() {
    let (log, hub) = hub(0);
    let hub = hub.with_history(ONE).with_resync(Duration::from_secs(3600));
    let mut quick = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    let mut slow = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    assert_eq!(one(&mut slow).await, "@7-0");
    assert_eq!(one(&mut quick).await, "@7-0");
    let reads = log.calls().reads;
    for number in 1..=100 {
        log.push(&topic());
        assert_eq!(ready(&mut quick).await, events([number]));
    }
    assert_eq!(log.calls().reads, reads, "a reader that keeps up reads nothing");
    assert_eq!(ready(&mut slow).await, events(1..=100));
    assert_eq!(log.calls().reads, reads + 2, "two pages of 64");
    log.push(&topic());
    assert_eq!(ready(&mut slow).await, events([101]));
    assert_eq!(log.calls().reads, reads + 2);
}

/// It is told that something is missing, and then gets everything that came since, also what only the log still has.
#[tokio::test(start_paused = true)]
async fn a_slow_reader_with_an_unreadable_id_reads_what_came_since() {
    let (log, hub) = hub(3);
    let hub = hub.with_history(ONE);
    let mut slow = hub.subscribe(&topic(), after_id("none")).await.unwrap();
    let mut quick = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    assert_eq!(one(&mut quick).await, "@7-3");
    (4..=8).for_each(|_| _ = log.push(&topic()));
    assert_eq!(ready(&mut quick).await, events(4..=8));
    assert_eq!(one(&mut slow).await, "gap 7-3 ?");
    assert_eq!(ready(&mut slow).await, events(4..=8));
}

#[tokio::test(start_paused = true)]
async fn a_trimmed_log_is_a_gap_with_an_exact_count() {
    let (log, hub) = hub(10);
    log.trim(&topic(), 3);
    let hub = hub.with_history(ONE);
    let mut gaps = 0;
    for (resume, opening, gap) in [
        (Resume::Earliest, "@7-0", Some("gap 7-7 7")),
        (after(4), "@7-4", Some("gap 7-7 3")),
        (after(6), "@7-6", Some("gap 7-7 1")),
        (after(7), "@7-7", None),
    ] {
        let mut reader = hub.subscribe(&topic(), resume).await.unwrap();
        let mut expected = vec![opening.to_owned()];
        expected.extend(gap.map(str::to_owned));
        expected.extend(events(8..=10));
        assert_eq!(ready(&mut reader).await, expected);
        gaps += u8::from(gap.is_some());
        assert!(format!("{reader:?}").contains(&format!("gaps: {gaps},")), "{reader:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_lags_behind_a_trimmed_log_is_told_how_much_is_gone() {
    let (log, hub) = hub(0);
    let hub = hub.with_history(ONE);
    let mut slow = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    assert_eq!(one(&mut slow).await, "@7-0");
    log.push(&topic());
    assert_eq!(one(&mut slow).await, "7-1 1");
    (2..=20).for_each(|_| _ = log.push(&topic()));
    log.trim(&topic(), 5);
    let mut expected = vec!["gap 7-15 14".to_owned()];
    expected.extend(events(16..=20));
    assert_eq!(ready(&mut slow).await, expected);
    // The whole log is gone, and the hub too has less.
    (21..=30).for_each(|_| _ = log.push(&topic()));
    log.trim(&topic(), 0);
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(ready(&mut slow).await, ["gap 7-30 10"]);
    log.push(&topic());
    assert_eq!(ready(&mut slow).await, events([31]));
}

#[tokio::test(start_paused = true)]
async fn the_follower_too_finds_that_the_log_was_trimmed() {
    let (log, hub) = hub(3);
    let mut reader = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    assert_eq!(ready(&mut reader).await, ["@7-3"]);
    log.set_wakes(Wakes::Lost);
    (4..=9).for_each(|_| _ = log.push(&topic()));
    log.trim(&topic(), 2);
    log.set_wakes(Wakes::Entries);
    log.push(&topic());
    log.trim(&topic(), 2);
    assert_eq!(ready(&mut reader).await, ["gap 7-8 5", "7-9 9", "7-10 10"]);
}

#[tokio::test(start_paused = true)]
async fn ids_that_are_not_of_the_log() {
    let (log, hub) = hub(9);
    for (id, items) in [
        // The log may have lost its end.
        ("0000000000000007-12", vec!["@7-12"]),
        ("0000000000000007-18446744073709551615", vec!["@7-18446744073709551615"]),
        ("x", vec!["gap 7-9 ?"]),
        ("0000000000000006-9", vec!["@6-9", "gap 7-7 ?", "7-8 8", "7-9 9"]),
    ] {
        log.trim(&topic(), 2);
        let mut reader = hub.subscribe(&topic(), after_id(id)).await.unwrap();
        assert_eq!(ready(&mut reader).await, items, "{id}");
    }
    let mut readers = Vec::new();
    for id in ["0000000000000007-12", "x"] {
        readers.push(hub.subscribe(&topic(), after_id(id)).await.unwrap());
        ready(readers.last_mut().unwrap()).await;
    }
    log.push(&topic());
    assert_eq!(ready(&mut readers[0]).await, ["gap 7-9 ?", "7-10 10"]);
    assert_eq!(ready(&mut readers[1]).await, ["7-10 10"]);
}

/// Live readers, those that lag, and those that return get one gap event each, whether the log tells of the first event
/// or only of a change, or of nothing.
#[tokio::test(start_paused = true)]
async fn a_new_epoch_is_one_gap() {
    for wakes in [Wakes::Entries, Wakes::Changed, Wakes::Lost] {
        for events_after in [0, 1, 3] {
            let (log, hub) = hub(5);
            let hub = hub.with_history(ONE).with_resync(Duration::from_secs(10));
            let long = Duration::from_secs(30);
            let mut live = hub.subscribe(&topic(), Resume::Live).await.unwrap();
            let mut lags = hub.subscribe(&topic(), after(1)).await.unwrap();
            assert_eq!(ready(&mut live).await, ["@7-5"]);
            assert_eq!(one(&mut lags).await, "@7-1");
            assert_eq!(one(&mut lags).await, "7-2 2");
            log.set_wakes(wakes);
            log.begin(&topic(), 8);
            (0..events_after).for_each(|_| _ = log.push(&topic()));
            // Until there is an event, nothing is known to be missing.
            let mut expected = Vec::from_iter((events_after > 0).then(|| "gap 8-0 ?".to_owned()));
            expected.extend((1..=events_after).map(|number| format!("8-{number} {number}")));
            assert_eq!(within(&mut live, long).await, expected, "{wakes:?}");
            // What it has read already, it still gets.
            let mut items = within(&mut lags, long).await;
            let read_before = items.iter().take_while(|item| item.starts_with("7-")).count();
            let read_before: Vec<_> = items.drain(..read_before).collect();
            assert_eq!(read_before, events(3..=5));
            assert_eq!(items, expected, "{wakes:?}");
            for (resume, opening) in [(after(5), "@7-5"), (after(2), "@7-2"), (after(99), "@7-99")] {
                let mut returns = hub.subscribe(&topic(), resume).await.unwrap();
                assert_eq!(one(&mut returns).await, opening);
                assert_eq!(within(&mut returns, long).await, expected, "{wakes:?}");
            }
            log.push(&topic());
            let mut expected = Vec::from_iter((events_after == 0).then(|| "gap 8-0 ?".to_owned()));
            expected.push(format!("8-{0} {0}", events_after + 1));
            for reader in [&mut live, &mut lags] {
                assert_eq!(within(reader, long).await, expected);
            }
        }
    }
}

/// The log has lost a topic that has ended, and a reader has not got all of it.
#[tokio::test(start_paused = true)]
async fn a_topic_that_has_ended_and_is_lost() {
    let (log, hub) = hub(5);
    let hub = hub.with_history(ONE).with_resync(Duration::from_secs(10));
    let mut live = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    hub.finish(&topic()).await.unwrap();
    assert_eq!(ready(&mut live).await, ["@7-5", "(end)"]);
    log.forget(&topic());
    let mut lags = hub.subscribe(&topic(), after(2)).await.unwrap();
    let items = within(&mut lags, Duration::from_secs(60)).await;
    assert_eq!(items, ["@7-2", "gap 7-5 3", "(end)"]);
}

/// The channel gets the last event while a reader that lags reads it in the log, and the hint of the end is lost.
#[tokio::test(start_paused = true)]
async fn a_reader_that_finds_the_end_in_the_log_needs_no_hint() {
    let (log, hub) = hub(3);
    let hub = hub.with_history(ONE).with_resync(Duration::from_secs(3600));
    let mut reader = hub.subscribe(&topic(), after(1)).await.unwrap();
    assert_eq!(one(&mut reader).await, "@7-1");
    log.set_latency(Duration::from_millis(10));
    assert!(timeout(Duration::from_millis(5), reader.next()).await.is_err());
    log.push(&topic());
    log.set_wakes(Wakes::Lost);
    log.finish(&topic());
    assert_eq!(ready(&mut reader).await, ["7-2 2", "7-3 3", "7-4 4", "(end)"]);
}

#[tokio::test(start_paused = true)]
async fn several_epochs_in_a_row() {
    let (log, hub) = hub(5);
    let mut live = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    let mut lags = hub.subscribe(&topic(), after(1)).await.unwrap();
    assert_eq!(ready(&mut live).await, ["@7-5"]);
    for epoch in [8, 9, 0x10] {
        log.begin(&topic(), epoch);
        log.push(&topic());
        assert_eq!(ready(&mut live).await, [format!("gap {epoch:x}-0 ?"), format!("{epoch:x}-1 1")]);
    }
    assert_eq!(ready(&mut lags).await, ["@7-1", "gap 10-0 ?", "10-1 1"]);
}

/// A log without persistence has restarted: nobody is told anything before there is a new epoch.
#[tokio::test(start_paused = true)]
async fn a_topic_that_the_log_has_lost_is_one_gap_when_it_is_there_again() {
    let (log, hub) = hub(5);
    let hub = hub.with_history(ONE).with_resync(Duration::from_secs(1));
    let long = Duration::from_secs(10);
    let mut live = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    let mut lags = hub.subscribe(&topic(), after(1)).await.unwrap();
    assert_eq!(within(&mut live, long).await, ["@7-5"]);
    log.forget(&topic());
    assert_eq!(within(&mut live, long).await, [""; 0]);
    assert_eq!(within(&mut lags, long).await, ["@7-1"]);
    let other = Hub::new(log.clone());
    let mut returns = other.subscribe(&topic(), after(3)).await.unwrap();
    assert_eq!(within(&mut returns, long).await, ["@7-3"]);
    log.begin(&topic(), 8);
    log.push(&topic());
    for reader in [&mut live, &mut lags, &mut returns] {
        assert_eq!(within(reader, long).await, ["gap 8-0 ?", "8-1 1"]);
    }
}

/// The log has lost its end, in the same epoch so far. This hub still has it, and others wait with it for another
/// epoch.
#[tokio::test(start_paused = true)]
async fn an_end_that_is_lost_is_sent_where_it_is_known() {
    let (log, hub) = hub(3);
    let mut live = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    (4..=9).for_each(|_| _ = log.push(&topic()));
    assert_eq!(ready(&mut live).await.last().unwrap(), "7-9 9");
    log.set_wakes(Wakes::Lost);
    log.begin(&topic(), 7);
    (1..=5).for_each(|_| _ = log.push(&topic()));
    log.wake(&topic(), eventwire_hub::Wake::Changed);
    assert_eq!(ready(&mut live).await, [""; 0]);
    let mut told = hub.subscribe(&topic(), after(5)).await.unwrap();
    assert_eq!(ready(&mut told).await, ["@7-5", "7-6 6", "7-7 7", "7-8 8", "7-9 9"]);
    let other = Hub::new(log.clone());
    let mut elsewhere = other.subscribe(&topic(), after(9)).await.unwrap();
    assert_eq!(ready(&mut elsewhere).await, ["@7-9"]);
    log.set_wakes(Wakes::Entries);
    log.begin(&topic(), 8);
    log.push(&topic());
    for reader in [&mut live, &mut told, &mut elsewhere] {
        assert_eq!(ready(reader).await, ["gap 8-0 ?", "8-1 1"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_position_that_is_made_up_is_a_gap_as_soon_as_the_log_goes_on() {
    let (log, hub) = hub(3);
    let mut reader = hub.subscribe(&topic(), after(99)).await.unwrap();
    assert_eq!(ready(&mut reader).await, ["@7-99"]);
    (4..=5).for_each(|_| _ = log.push(&topic()));
    assert_eq!(ready(&mut reader).await, ["gap 7-3 ?", "7-4 4", "7-5 5"]);
}

#[tokio::test(start_paused = true)]
async fn a_gap_event_of_the_program() {
    let (log, hub) = hub(10);
    log.trim(&topic(), 1);
    let reader = hub.subscribe(&topic(), after(2)).await.unwrap().with_retry(Duration::from_secs(3));
    let mut reader = reader.with_gap_event(|gap| Event::new(format!("{:?} lost", gap.missed())));
    assert_eq!(ready(&mut reader).await, ["@7-2", "7-9 Some(7) lost", "7-10 10"]);
}

/// Its ID was made up, but then the log got there. When the log has lost its end later, that is not taken for the same.
#[tokio::test(start_paused = true)]
async fn a_reader_is_not_moved_back_to_an_earlier_end() {
    // It reads the log on, or the channel.
    for kept in [1, 3] {
        let (log, hub) = hub(3);
        let hub = hub.with_history(History::new().with_max_events(kept));
        let mut quick = hub.subscribe(&topic(), Resume::Live).await.unwrap();
        let mut reader = hub.subscribe(&topic(), after(9)).await.unwrap();
        assert_eq!(ready(&mut reader).await, ["@7-9"]);
        (4..=12).for_each(|_| _ = log.push(&topic()));
        assert_eq!(ready(&mut quick).await.last().unwrap(), "7-12 12");
        assert_eq!(ready(&mut reader).await, events(10..=12));
        (13..=16).for_each(|_| _ = log.push(&topic()));
        assert_eq!(ready(&mut quick).await, events(13..=16));
        log.set_wakes(Wakes::Lost);
        log.begin(&topic(), 7);
        (1..=5).for_each(|_| _ = log.push(&topic()));
        assert_eq!(ready(&mut reader).await, [""; 0]);
        log.set_wakes(Wakes::Entries);
        log.begin(&topic(), 8);
        log.push(&topic());
        assert_eq!(ready(&mut reader).await, ["gap 8-0 ?", "8-1 1"]);
    }
}
