//! A connection for wake-ups that is dead, while that for commands is not.

use crate::{
    PATIENCE,
    hubs::{RESYNC, topic},
    proxy::{Buffers, Cut, Proxy},
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
    let hub = Hub::new(RedisLog::open(&proxy.url()).unwrap()).with_resync(RESYNC);
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
