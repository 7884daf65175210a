//! Futures over sources that never wait.

use futures_util::FutureExt;
use std::pin::pin;

/// Returns the output of a future over a source that never waits. It may still be pending now and then, to let other
/// tasks run.
#[track_caller]
pub(crate) fn run<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    for _ in 0..1_000_000 {
        if let Some(output) = future.as_mut().now_or_never() {
            return output;
        }
    }
    panic!("it never ends");
}
