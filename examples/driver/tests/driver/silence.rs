//! Servers that send nothing, or no progress.

use crate::{
    outcome::ask,
    server::{BEFORE_TEXT, Step, run, whole},
};
use std::time::Duration;

/// The driver's idle timeout and event timeout.
const IDLE: Duration = Duration::from_secs(120);
const NO_PROGRESS: Duration = Duration::from_secs(300);

/// The model may have begun, and without an event its answer cannot be continued.
#[tokio::test(start_paused = true)]
async fn before_the_first_event() {
    let line = "there is no complete answer: not retried: no";
    let outcome = ask([run([Step::Hang]), whole()]).await;
    outcome.failed(0, &format!("{line} response received for 120s"), &["POST "], 1);
    let outcome = ask([run([Step::Head, Step::Hang]), whole()]).await;
    outcome.failed(0, &format!("{line} data received for 120s"), &["POST "], 1);
    assert!(outcome.elapsed >= IDLE, "{outcome:#?}");
    let outcome = ask([run([Step::Head, Step::Repeat(": ping\n\n")]), whole()]).await;
    outcome.failed(0, &format!("{line} progress for 300s"), &["POST "], 1);
}

#[tokio::test(start_paused = true)]
async fn in_the_middle_of_the_answer() {
    let outcome = ask([run([Step::Head, Step::Events(BEFORE_TEXT + 2), Step::Half, Step::Hang]), whole()]).await;
    outcome.is_whole(&["POST ", "GET /resp_1?stream=true&starting_after=3"]);
    assert!(outcome.elapsed >= IDLE, "{outcome:#?}");
}

/// Pings show that the server is alive, but not that the answer continues.
#[tokio::test(start_paused = true)]
async fn pings_alone() {
    for ping in [
        ": ping\n\n",
        "event: ping\ndata: {\"type\":\"ping\"}\n\n",
        "data: {\"type\":\"keepalive\"}\n\n",
        "data: {\"type\":\"response.in_progress\",\"sequence_number\":1}\n\n",
    ] {
        let outcome = ask([run([Step::Head, Step::Events(BEFORE_TEXT), Step::Repeat(ping)]), whole()]).await;
        outcome.is_whole(&["POST ", "GET /resp_1?stream=true&starting_after=1"]);
        assert!(outcome.elapsed >= NO_PROGRESS, "{outcome:#?}");
    }
}
