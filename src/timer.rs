//! A source of sleeps.

use core::time::Duration;

/// A source of sleeps, supplied by the caller's runtime, so that the crate works with any runtime.
///
/// Any function from a [`Duration`] to a future is a timer: `tokio::time::sleep`, a closure such as
/// `|duration| timer.sleep(duration)`, or `gloo_timers::future::sleep` on wasm (up to 24 days, the longest time in
/// browsers). With tokio, prefer `TokioTimer` (feature `tokio`): it has a clock, and a type that you can name in a
/// struct.
///
/// ```
/// # use eventwire::Timer;
/// # use std::{future, time::Duration};
/// fn is_a_timer(_: impl Timer) {}
///
/// is_a_timer(|_: Duration| future::ready(())); // a timer for tests, which does not wait
/// ```
pub trait Timer {
    /// A future that is ready when the time has passed.
    type Sleep: Future<Output = ()>;

    /// Returns a future that is ready after `duration`, counted from this call.
    fn sleep(&self, duration: Duration) -> Self::Sleep;

    /// Returns the time since some fixed moment, if this timer has a clock that is cheap to read. Defaults to `None`.
    ///
    /// The clock saves work: [`KeepAlive`](crate::KeepAlive) and [`Timeout`](crate::Timeout) then read the
    /// clock after each block or chunk, instead of creating a new sleep. The clock must run at the same speed as the
    /// sleeps, and must never go back; otherwise a keep-alive or a timeout may be late. Measured by this clock, a
    /// sleep may be too short, but must last at least half of its duration.
    fn now(&self) -> Option<Duration> {
        None
    }
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

/// A [`Timer`] that uses tokio's sleeps and clock. It needs a tokio runtime with time enabled.
#[cfg(all(feature = "tokio", not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none")))))]
#[derive(Clone, Copy, Debug, Default)]
pub struct TokioTimer;

#[cfg(all(feature = "tokio", not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none")))))]
impl Timer for TokioTimer {
    type Sleep = tokio::time::Sleep;

    fn sleep(&self, duration: Duration) -> tokio::time::Sleep {
        tokio::time::sleep(duration)
    }

    #[inline]
    fn now(&self) -> Option<Duration> {
        use std::{sync::LazyLock, time::Instant};

        /// One hour before the first call: if a test has paused tokio's clock before that call, the clock shows an
        /// earlier time.
        static START: LazyLock<Instant> = LazyLock::new(|| {
            let now = Instant::now();
            now.checked_sub(Duration::from_secs(3600)).unwrap_or(now)
        });
        Some(tokio::time::Instant::now().into_std().saturating_duration_since(*START))
    }
}
