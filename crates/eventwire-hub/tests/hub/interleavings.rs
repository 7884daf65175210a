//! A replay and then live events, without a hole and without a double, whenever events are appended.
//!
//! Each call of the log takes two ticks, and it looks at the topic between them. Three events are appended at all
//! possible times between the ticks: before the reader subscribes, before and after each look, between the answer and
//! the join, and later. The clock is paused, so each run is the same.

use crate::{
    after, hub,
    items::{events, one, within},
    script::Wakes,
    topic,
};
use eventwire_hub::{History, Resume};
use std::time::Duration;
use tokio::{runtime::Builder, time::sleep};

const TICK: Duration = Duration::from_millis(10);
/// A resync takes longer than everything else.
const RESYNC: Duration = Duration::from_millis(400);

#[derive(Clone, Copy, Debug)]
struct Case {
    wakes: Wakes,
    /// How many events the hub keeps.
    kept: usize,
    begins: Begins,
    /// How many ticks the reader waits before it reads.
    is_late: u32,
    /// After how many ticks and a half the events are appended.
    appends: [u32; 3],
}

#[derive(Clone, Copy, Debug)]
enum Begins {
    Live,
    Earliest,
    After(u64),
}

/// How many events there are before.
const BEFORE: u64 = 3;
/// The reader subscribes two ticks after the start. That takes four ticks: a watch, and a read of the tail. Its first
/// page takes two more.
const SUBSCRIBES: u32 = 2;
const LAST: u32 = 10;

async fn run(case: Case) {
    let (log, hub) = hub(BEFORE);
    log.set_latency(TICK);
    log.set_wakes(case.wakes);
    let hub = hub.with_history(History::new().with_max_events(case.kept)).with_resync(RESYNC);
    let appending = tokio::spawn({
        let log = log.clone();
        async move {
            let mut slept = 0;
            sleep(TICK / 2).await;
            for append in case.appends {
                sleep(TICK * (append - slept)).await;
                slept = append;
                log.push(&topic());
            }
        }
    });
    sleep(TICK * SUBSCRIBES).await;
    let resume = match case.begins {
        Begins::Live => Resume::Live,
        Begins::Earliest => Resume::Earliest,
        Begins::After(sequence) => after(sequence),
    };
    let mut reader = hub.subscribe(&topic(), resume).await.unwrap();
    sleep(TICK * case.is_late).await;
    let opening = one(&mut reader).await;
    let items = within(&mut reader, RESYNC * 2).await;
    appending.await.unwrap();

    let appended_by = |ticks: u32| BEFORE + case.appends.iter().filter(|append| **append < ticks).count() as u64;
    let begins = opening.strip_prefix("@7-").and_then(|number| number.parse().ok()).unwrap();
    let possible = match case.begins {
        Begins::Live => appended_by(SUBSCRIBES)..=appended_by(SUBSCRIBES + 4),
        Begins::Earliest => 0..=0,
        Begins::After(sequence) => sequence..=sequence,
    };
    assert!(possible.contains(&begins), "{opening} in {case:?}");
    assert_eq!(items, events(begins + 1..=BEFORE + 3), "after {opening} in {case:?}");
}

fn run_all(wakes: Wakes) {
    let mut cases = 0;
    for begins in [Begins::Live, Begins::Earliest, Begins::After(2), Begins::After(BEFORE)] {
        for (kept, is_late) in [(1, 0), (1, 4), (1000, 2)] {
            for first in 0..=LAST {
                for second in first..=LAST {
                    for third in second..=LAST {
                        let case = Case { wakes, kept, begins, is_late, appends: [first, second, third] };
                        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
                        runtime.unwrap().block_on(run(case));
                        cases += 1;
                    }
                }
            }
        }
    }
    assert_eq!(cases, 4 * 3 * 286);
}

#[test]
fn with_entries_as_wake_ups() {
    [Wakes::Entries, Wakes::Doubled, Wakes::Late(TICK * 5 / 2)].into_iter().for_each(run_all);
}

#[test]
fn with_other_wake_ups_or_none() {
    [Wakes::Changed, Wakes::Lost, Wakes::Reversed].into_iter().for_each(run_all);
}

/// Several pages, the last of which is not full, and events that come while they are read.
#[tokio::test(start_paused = true)]
async fn a_replay_of_several_pages_joins_the_live_events() {
    for (events_before, kept) in [(63, 1), (64, 1), (65, 1), (150, 1), (150, 20), (150, 1000)] {
        let (log, hub) = hub(events_before);
        log.set_latency(TICK);
        let hub = hub.with_history(History::new().with_max_events(kept));
        let mut reader = hub.subscribe(&topic(), Resume::Earliest).await.unwrap();
        assert_eq!(one(&mut reader).await, "@7-0");
        for number in 1..=events_before + 50 {
            if number > events_before - 20 && number <= events_before + 30 {
                log.push(&topic());
            }
            assert_eq!(vec![one(&mut reader).await], events([number]));
        }
        assert_eq!(within(&mut reader, TICK).await, [""; 0]);
        // It has joined: an event is there without a read.
        let reads = log.calls().reads;
        log.push(&topic());
        assert_eq!(within(&mut reader, TICK).await, events([events_before + 51]));
        assert_eq!(log.calls().reads, reads);
    }
}
