//! A source of sleeps.

use core::time::Duration;

/// A source of sleeps, supplied by the caller's runtime, so that the crate works with any runtime.
///
/// Any function from a [`Duration`] to a future is a timer: `tokio::time::sleep`, `gloo_timers::future::sleep` on
/// wasm (up to 24 days, the longest time in browsers), or a closure. A closure also wraps another timer:
/// `|duration| timer.sleep(duration)`. With feature `tokio`, `TokioTimer` is a timer with a type name.
///
/// ```
/// # use eventwire::Timer;
/// # use std::{future, time::Duration};
/// fn is_a_timer(_: impl Timer) {}
///
/// is_a_timer(|_: Duration| future::ready(())); // a clock for tests, which takes no time
/// ```
pub trait Timer {
    /// A future that is ready when the time has passed.
    type Sleep: Future<Output = ()>;

    /// Returns a future that is ready after `duration`, counted from this call.
    fn sleep(&self, duration: Duration) -> Self::Sleep;

    /// Returns the time since some fixed moment, if this timer has a clock that is cheap to read. Defaults to
    /// `None`.
    ///
    /// With a clock, [`KeepAlive`](crate::KeepAlive) and [`IdleTimeout`](crate::IdleTimeout) need not create a new
    /// sleep after each block or chunk: they keep the running sleep and read the clock. The clock must run as fast
    /// as the sleeps, and must never go back. If it does, a keep-alive or a timeout may be late. By this clock, a
    /// sleep may end too early, but not before half of its duration has passed.
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

/// A [`Timer`] of tokio's sleeps and clock. Its futures need a tokio runtime with time enabled.
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
