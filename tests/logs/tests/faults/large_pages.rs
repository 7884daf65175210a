//! A page that is larger than what Redis holds for one who has subscribed to a channel.

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
use tokio::time::timeout;

const EVENTS: usize = 200;
/// All events together are larger than 32 MB, where Redis closes the connection of a subscriber.
const PADDING: usize = 200 << 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_catches_up_with_large_events() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let proxy = Proxy::start(server.port(), Buffers::Usual).await;
    let log = |url: &str| RedisLog::open(url).unwrap();
    let (hub, other) = (Hub::new(log(&proxy.url())).with_resync(RESYNC), Hub::new(log(&server.url())));
    let (ledger, mut checker) =
        (Ledger::new(1, Rules { gaps: Gaps::Nowhere, keys: Keys::Kept, back: Back::Never }), Checker::new(0));
    let send = async || {
        let number = ledger.begin(0, false);
        let at = other.send(&topic(0), &event(number, PADDING)).await.unwrap();
        ledger.accepted(0, number, at).unwrap();
    };
    send().await;
    let mut reader = hub.subscribe(&topic(0), Resume::Live).await.unwrap();

    proxy.set(Gate::Refusing);
    proxy.cut(Cut::Reset);
    for _ in 0..EVENTS {
        send().await;
    }
    proxy.set(Gate::Open);
    while checker.events < EVENTS {
        let item = timeout(PATIENCE, reader.next()).await.expect("the hub catches up").unwrap();
        checker.hear(Item::read(item.as_ref()).unwrap(), &ledger).unwrap();
    }
}
