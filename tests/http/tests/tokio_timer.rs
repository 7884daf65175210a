//! Keep-alives with tokio's clock.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use eventwire::{Event, KeepAlive, Timer, TokioTimer};
use futures_util::{StreamExt, stream};
use std::time::Duration;

const INTERVAL: Duration = Duration::from_millis(2);

#[tokio::test]
async fn the_type_waits() {
    check(TokioTimer).await;
}

#[tokio::test]
async fn the_function_waits() {
    check(tokio::time::sleep).await;
}

/// Three comments come, no sooner than after three intervals.
async fn check(timer: impl Timer) {
    let begun = tokio::time::Instant::now();
    let blocks: Vec<_> = KeepAlive::new(stream::pending::<Event>(), INTERVAL, timer).take(3).collect().await;
    assert!(begun.elapsed() >= 3 * INTERVAL);
    for block in blocks {
        assert_eq!(block.unwrap().to_bytes(), ": keep-alive\n\n");
    }
}
