//! Thousands of readers in one process, and a restart of Redis.

use crate::{
    BUSY, PATIENCE,
    checker::Checker,
    hubs::{RESYNC, topic},
    item::{Item, event},
    ledger::{Back, Gaps, Keys, Ledger, Rules},
    number,
};
use eventwire_hub::{Hub, Resume};
use eventwire_log_tests::RedisServer;
use eventwire_redis::RedisLog;
use futures_util::StreamExt;
use std::{
    fs,
    sync::{
        Arc, PoisonError,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};
use tokio::{
    runtime::Builder,
    time::{sleep, timeout},
};

const TOPICS: usize = 10;
const EVENTS: usize = 20;

#[test]
fn all_readers_get_everything_through_a_restart() {
    let _busy = BUSY.lock().unwrap_or_else(PoisonError::into_inner);
    let readers = number("EVENTWIRE_READERS", 300);
    let Some(server) = RedisServer::start(&["--appendonly", "yes", "--appendfsync", "always"]) else { return };
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(restart(readers, server));
    runtime.shutdown_background();
}

struct Readers {
    ledger: Ledger,
    /// How many have the opening, and how often one has got the last event of a half, or the first one of the second.
    opened: AtomicUsize,
    caught_up: AtomicUsize,
}

async fn restart(count: usize, mut server: RedisServer) {
    let hub = Hub::new(RedisLog::open(&server.url()).unwrap()).with_max_readers(count).with_resync(RESYNC);
    let ledger = Ledger::new(TOPICS, Rules { gaps: Gaps::BetweenEpochs, keys: Keys::Kept, back: Back::Never });
    let readers = Arc::new(Readers { ledger, opened: 0.into(), caught_up: 0.into() });
    send(&hub, &readers, 1).await;

    let (before, begun) = (resident(), Instant::now());
    let tasks: Vec<_> = (0..count).map(|index| tokio::spawn(read(hub.clone(), Arc::clone(&readers), index))).collect();
    wait_for(&readers.opened, count).await;
    let (memory, opened) = (resident().saturating_sub(before), begun.elapsed());
    send(&hub, &readers, EVENTS - 1).await;
    let live = last(&hub, &readers, count).await;

    server.kill();
    sleep(RESYNC / 2).await;
    server.start_again();
    let restarted = last(&hub, &readers, 2 * count).await;
    send(&hub, &readers, EVENTS - 1).await;
    wait_for(&readers.caught_up, 3 * count).await;

    for number in 0..TOPICS {
        hub.finish(&topic(number)).await.unwrap();
    }
    let mut gaps = 0;
    for task in tasks {
        let checker = timeout(PATIENCE, task).await.expect("each stream ends").unwrap();
        assert_eq!(checker.events, 2 * EVENTS);
        gaps += checker.gaps;
    }
    assert_eq!(gaps, count, "the restart is one gap for each reader");
    let (violations, accepted, maybe) = readers.ledger.check();
    assert_eq!((violations, accepted, maybe), (vec![], TOPICS * (2 * EVENTS + 1), 0));
    eprintln!(
        "{count} readers of {TOPICS} topics: {:.1} kB each, opened in {opened:.1?}; an event of each topic reaches all \
         in {live:.1?}, and the first one after a restart in {restarted:.1?}",
        memory as f64 / count as f64
    );
}

async fn read(hub: Hub<RedisLog>, readers: Arc<Readers>, index: usize) -> Checker {
    let mut checker = Checker::new(index % TOPICS);
    let mut reader = hub.subscribe(&topic(index % TOPICS), Resume::Live).await.unwrap();
    while let Some(item) = reader.next().await {
        let item = Item::read(item.as_ref()).unwrap();
        checker.hear(item, &readers.ledger).unwrap();
        match item {
            Item::Opening(_) => drop(readers.opened.fetch_add(1, SeqCst)),
            Item::Event { .. } if checker.events.is_multiple_of(EVENTS) || checker.events == EVENTS + 1 => {
                readers.caught_up.fetch_add(1, SeqCst);
            }
            _ => {}
        }
    }
    checker
}

/// Sends an event to each topic, and returns after how long all readers have it.
async fn last(hub: &Hub<RedisLog>, readers: &Readers, all: usize) -> Duration {
    let begun = Instant::now();
    send(hub, readers, 1).await;
    wait_for(&readers.caught_up, all).await;
    begun.elapsed()
}

/// Sends events to each topic.
async fn send(hub: &Hub<RedisLog>, readers: &Readers, count: usize) {
    for topic_number in 0..TOPICS {
        for _ in 0..count {
            let number = readers.ledger.begin(topic_number, true);
            let at = hub.send_once(&topic(topic_number), &number.to_string(), &event(number, 100)).await.unwrap();
            readers.ledger.accepted(topic_number, number, at).unwrap();
        }
    }
}

async fn wait_for(counter: &AtomicUsize, count: usize) {
    let begun = Instant::now();
    while counter.load(SeqCst) < count {
        assert!(begun.elapsed() < PATIENCE, "{} of {count}", counter.load(SeqCst));
        sleep(Duration::from_millis(5)).await;
    }
}

/// The memory of this process, in kB.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(0)
}
