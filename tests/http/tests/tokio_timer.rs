//! Keep-alives with tokio's clock.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use eventwire::{Event, KeepAlive, Timer, TokioTimer};
use futures_util::{StreamExt, stream};
use std::{future, pin::pin, time::Duration};

const INTERVAL: Duration = Duration::from_millis(2);

#[tokio::test]
async fn the_type_works() {
    check(TokioTimer).await;
}

#[tokio::test]
async fn the_function_works() {
    check(tokio::time::sleep).await;
}

/// At the end of a burst the task has used up tokio's budget, and polls of the sleep have no effect.
#[tokio::test(start_paused = true)]
async fn a_comment_comes_after_a_burst() {
    let burst = stream::unfold(0, async |count| {
        if count == 1000 {
            future::pending::<()>().await;
        }
        tokio::task::coop::consume_budget().await;
        Some((Event::new("1"), count + 1))
    });
    let mut blocks = pin!(KeepAlive::new(burst, INTERVAL, TokioTimer).skip(1000));
    let last = tokio::time::timeout(1000 * INTERVAL, blocks.next()).await.expect("a comment").unwrap();
    assert_eq!(last.unwrap().into_bytes(), ": keep-alive\n\n");
}

/// Checks that three comments arrive after the first one, after three intervals at the earliest.
async fn check(timer: impl Timer) {
    let begun = tokio::time::Instant::now();
    let blocks = KeepAlive::new(stream::pending::<Event>(), INTERVAL, timer).take(4);
    let sent: Vec<_> = blocks.map(|block| block.unwrap().into_bytes()).collect().await;
    assert!(begun.elapsed() >= 3 * INTERVAL);
    assert_eq!(sent, [": \n\n", ": keep-alive\n\n", ": keep-alive\n\n", ": keep-alive\n\n"]);
}
