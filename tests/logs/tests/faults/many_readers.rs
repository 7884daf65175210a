//! Thousands of readers in one process, and a restart of Redis.

use crate::{
    BUSY, PATIENCE,
    checker::Checker,
    hubs::{RESYNC, topic},
    item::event,
    ledger::{Back, Gaps, Keys, Ledger, Outcome, Rules},
    number,
};
use eventwire_hub::{Hub, Resume};
use eventwire_log_tests::RedisServer;
use eventwire_redis::RedisLog;
use futures_util::StreamExt;
use std::{
    slice,
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
/// How many items of each kind a reader gets.
const OPENING: usize = 1;
const GAP: usize = 1;

#[test]
fn all_readers_get_everything_through_a_restart() {
    let _busy = BUSY.write().unwrap_or_else(PoisonError::into_inner);
    let readers = number("EVENTWIRE_READERS", 300);
    let Some(server) = RedisServer::start(&["--appendonly", "yes", "--appendfsync", "always"]) else { return };
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(restart(readers, server));
    runtime.shutdown_background();
}

async fn restart(count: usize, mut server: RedisServer) {
    let hub = Hub::new(RedisLog::open(&server.url()).unwrap()).with_max_readers(count).with_resync(RESYNC);
    let rules = Rules { gaps: Gaps::BetweenEpochs, keys: Keys::Kept, back: Back::Never };
    let (ledger, received) = (Arc::new(Ledger::new(TOPICS, rules)), Arc::new(AtomicUsize::new(0)));
    send(&hub, &ledger, 1).await;
    let read = |index| tokio::spawn(read(hub.clone(), Arc::clone(&ledger), Arc::clone(&received), index));
    let readers: Vec<_> = (0..count).map(read).collect();
    wait_for(&received, OPENING * count).await;
    send(&hub, &ledger, EVENTS).await;
    wait_for(&received, (OPENING + EVENTS) * count).await;

    server.kill();
    sleep(RESYNC / 2).await;
    server.start_again();
    let restarted = Instant::now();
    send(&hub, &ledger, 1).await;
    wait_for(&received, (OPENING + EVENTS + GAP + 1) * count).await;
    eprintln!("{count} readers of {TOPICS} topics get the first event after a restart in {:.1?}", restarted.elapsed());
    send(&hub, &ledger, EVENTS - 1).await;
    for number in 0..TOPICS {
        hub.finish(&topic(number)).await.unwrap();
    }
    for reader in readers {
        let checker = timeout(PATIENCE, reader).await.expect("each stream ends").unwrap();
        assert_eq!((checker.events, checker.gaps), (2 * EVENTS, GAP), "the restart is one gap");
    }
    assert_eq!(ledger.check(), (vec![], TOPICS * (2 * EVENTS + 1)));
}

/// Reads a topic to its end, and counts the items.
async fn read(hub: Hub<RedisLog>, ledger: Arc<Ledger>, received: Arc<AtomicUsize>, index: usize) -> Checker {
    let mut checker = Checker::new(index % TOPICS);
    let mut reader = hub.subscribe(&topic(checker.topic), Resume::Live).await.unwrap();
    while let Some(block) = reader.next().await {
        Checker::hear_block(slice::from_mut(&mut checker), block.as_ref(), &ledger).unwrap();
        received.fetch_add(1, SeqCst);
    }
    checker
}

/// Sends so many events to each topic.
async fn send(hub: &Hub<RedisLog>, ledger: &Ledger, count: usize) {
    for topic_number in 0..TOPICS {
        for _ in 0..count {
            let number = ledger.begin(topic_number, true);
            let at = hub.send_once(&topic(topic_number), &number.to_string(), &event(number, 100)).await.unwrap();
            ledger.answered(topic_number, number, Outcome::Accepted(at)).unwrap();
        }
    }
}

async fn wait_for(received: &AtomicUsize, count: usize) {
    let begun = Instant::now();
    while received.load(SeqCst) < count {
        assert!(begun.elapsed() < PATIENCE, "{} of {count} items", received.load(SeqCst));
        sleep(Duration::from_millis(5)).await;
    }
}
