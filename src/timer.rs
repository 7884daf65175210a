//! Time, as whoever runs the program has it.

use core::time::Duration;

/// Makes futures that take some time: the clock of a runtime, handed in, so that none is assumed.
///
/// Any function from a [`Duration`] to a future will do, such as `tokio::time::sleep`, `gloo_timers::future::sleep` on wasm (up to 24 days, which is all that a browser takes), or
/// a closure; with feature `tokio` there is `TokioTimer`, which has a name.
///
/// ```
/// # use eventwire::Timer;
/// # use std::{future, time::Duration};
/// fn is_a_timer(_: impl Timer) {}
///
/// is_a_timer(|_: Duration| future::ready(())); // a clock for tests, which takes no time
/// ```
pub trait Timer {
    /// A future that is ready when the time is over.
    type Sleep: Future<Output = ()>;

    /// A future that takes so long, from now on.
    fn sleep(&self, duration: Duration) -> Self::Sleep;
}

impl<F, S> Timer for F
where
    F: Fn(Duration) -> S,
    S: Future<Output = ()>,
{
    type Sleep = S;

    fn sleep(&self, duration: Duration) -> S {
        self(duration)
    }
}

/// tokio's clock. Its futures need a tokio runtime with its time enabled to run in.
#[cfg(all(feature = "tokio", not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none")))))]
#[derive(Clone, Copy, Debug, Default)]
pub struct TokioTimer;

#[cfg(all(feature = "tokio", not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none")))))]
impl Timer for TokioTimer {
    type Sleep = tokio::time::Sleep;

    fn sleep(&self, duration: Duration) -> tokio::time::Sleep {
        tokio::time::sleep(duration)
    }
}
