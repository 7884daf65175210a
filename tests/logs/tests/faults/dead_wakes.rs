//! A connection for wake-ups that is dead or stalled, while that for commands is not.

use crate::{
    PATIENCE,
    checker::Checker,
    hubs::{RESYNC, topic},
    item::{Item, event},
    ledger::{Back, Gaps, Keys, Ledger, Rules},
    proxy::{Buffers, Cut, Gate, Proxy},
};
use eventwire_hub::{Hub, Resume};
use eventwire_log_tests::RedisServer;
use eventwire_redis::RedisLog;
use futures_util::StreamExt;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// Otherwise, each event would come as late as the next resync.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_dead_connection_for_wakes_is_replaced() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let proxy = Proxy::start(server.port(), Buffers::Usual).await;
    let hub = Hub::new(log(&proxy.url())).with_resync(RESYNC);
    let mut reader = hub.subscribe(&topic(0), Resume::Live).await.unwrap();
    reader.next().await;
    let connections = proxy.accepted();

    proxy.cut(Cut::SwallowWakes);
    let replaced = async {
        while proxy.accepted() == connections {
            sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(PATIENCE, replaced).await.expect("there is another connection");
}

/// The hub reads the topic without a wake-up, and finds the first event of its second life.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_topic_that_has_come_and_gone_meanwhile() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let proxy = Proxy::start(server.port(), Buffers::Usual).await;
    let (hub, other) = (Hub::new(log(&proxy.url())).with_resync(RESYNC), Hub::new(log(&server.url())));
    let rules = Rules { gaps: Gaps::BetweenEpochs, keys: Keys::Kept, back: Back::Never };
    let (ledger, mut checker) = (Ledger::new(1, rules), Checker::new(0));
    let mut reader = hub.subscribe(&topic(0), Resume::Live).await.unwrap();
    let mut hear = async || {
        let item = timeout(PATIENCE, reader.next()).await.expect("an item").unwrap();
        checker.hear(Item::read(item.as_ref()).unwrap(), &ledger).unwrap();
        (checker.events, checker.gaps)
    };
    assert_eq!(hear().await, (0, 0));

    proxy.set(Gate::WakesStalled);
    for number in 1..=2 {
        server.command::<()>(&["FLUSHALL"]);
        assert_eq!(ledger.begin(0, false), number);
        ledger.accepted(0, number, other.send(&topic(0), &event(number, 0)).await.unwrap()).unwrap();
    }
    assert_eq!(hear().await, (0, 1), "the first event was missed");
    assert_eq!(hear().await, (1, 1));
    assert_eq!(ledger.check().0, []);
}

fn log(url: &str) -> RedisLog {
    RedisLog::open(url).unwrap()
}
