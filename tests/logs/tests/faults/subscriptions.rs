//! The connection with the subscriptions, which can die alone, and for which Redis holds little.

use crate::{
    PATIENCE,
    checker::Checker,
    hubs::{RESYNC, topic},
    item::event,
    ledger::{Back, Gaps, Keys, Ledger, Outcome, Rules},
};
use eventwire_hub::{Hub, Resume};
use eventwire_log_tests::{
    RedisServer,
    proxy::{Cut, Gate, Proxy},
};
use eventwire_redis::RedisLog;
use futures_util::StreamExt;
use std::{slice, time::Duration};
use tokio::time::{sleep, timeout};

fn hub(url: &str) -> Hub<RedisLog> {
    Hub::new(RedisLog::open(url).unwrap()).with_resync(RESYNC)
}

/// Otherwise, each event would come as late as the next resync.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_dead_connection_for_wakes_is_replaced() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let proxy = Proxy::start(server.port()).await;
    let hub = hub(&proxy.url());
    let mut reader = hub.subscribe(&topic(0), Resume::Live).await.unwrap();
    reader.next().await;
    let connections = proxy.accepted();
    proxy.cut(Cut::SilenceWakes);
    let replaced = async {
        while proxy.accepted() == connections {
            sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(PATIENCE, replaced).await.expect("there is another connection");
}

/// A page is larger than 32 MB, where Redis closes the connection of a subscriber.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_catches_up_with_large_events() {
    const EVENTS: usize = 40;
    let Some(server) = RedisServer::start(&[]) else { return };
    let proxy = Proxy::start(server.port()).await;
    let (hub, other) = (hub(&proxy.url()), hub(&server.url()));
    let rules = Rules { gaps: Gaps::Nowhere, keys: Keys::Kept, back: Back::Never };
    let (ledger, mut checker) = (Ledger::new(1, rules), Checker::new(0));
    let send = async || {
        let number = ledger.begin(0, false);
        let at = other.send(&topic(0), &event(number, 1 << 20)).await.unwrap();
        ledger.answered(0, number, Outcome::Accepted(at)).unwrap();
    };
    send().await;
    let mut reader = hub.subscribe(&topic(0), Resume::Live).await.unwrap();
    proxy.set(Gate::Refusing);
    for _ in 0..EVENTS {
        send().await;
    }
    let connections = proxy.accepted();
    proxy.set(Gate::Open);
    while checker.events < EVENTS {
        let block = timeout(PATIENCE, reader.next()).await.expect("the hub catches up").unwrap();
        Checker::hear_block(slice::from_mut(&mut checker), block.as_ref(), &ledger).unwrap();
    }
    assert!(proxy.accepted() <= connections + 2, "the connection was closed");
}
