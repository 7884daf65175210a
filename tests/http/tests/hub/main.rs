//! Channels over HTTP: what readers get when they return, when their connections are killed, and in a browser.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../client/browser.rs"]
mod browser;
#[path = "../client/chance.rs"]
mod chance;
mod killing_relay;
mod server;
#[path = "../client/watch.rs"]
mod watch;

mod chromium;
mod relay;
mod rows;

use eventwire_client::ReconnectPolicy;
use eventwire_hub::{Channel, History, StreamPosition};
use eventwire_test_support::PATIENCE;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// Waits until this is so, which must not take long.
async fn until(what: &str, is_so: impl Fn() -> bool) {
    let waiting = async {
        while !is_so() {
            sleep(Duration::from_millis(2)).await;
        }
    };
    timeout(PATIENCE, waiting).await.expect(what);
}

/// Returns a channel that keeps this many events, of a known epoch.
fn channel(epoch: u64, max_events: usize) -> Channel {
    let channel = Channel::new(History::new().with_max_events(max_events));
    channel.restart(StreamPosition::new(epoch, 0)).unwrap();
    channel
}

/// The server's reconnection time, without a long delay after failures.
fn quick() -> ReconnectPolicy {
    let short = Duration::from_millis(1);
    ReconnectPolicy::new().with_max_first_attempts(u32::MAX).with_min_delay(short).with_max_delay(short)
}

/// A proxy configured on the machine could not reach the servers of the tests.
fn http_client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}
