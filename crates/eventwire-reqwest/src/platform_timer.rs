//! The timer of event sources.

use eventwire::Timer;
use std::time::Duration;

/// The timer of event sources over reqwest: tokio's timer on sockets, and the browser's in browsers.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlatformTimer;

#[cfg(not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none"))))]
impl Timer for PlatformTimer {
    type Sleep = <eventwire::TokioTimer as Timer>::Sleep;

    fn sleep(&self, duration: Duration) -> Self::Sleep {
        eventwire::TokioTimer.sleep(duration)
    }

    fn now(&self) -> Option<Duration> {
        eventwire::TokioTimer.now()
    }
}

#[cfg(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none")))]
impl Timer for PlatformTimer {
    type Sleep = gloo_timers::future::TimeoutFuture;

    /// As in every browser, the time is in whole milliseconds, and 24 days at most. A longer one would end immediately.
    fn sleep(&self, duration: Duration) -> Self::Sleep {
        const LONGEST: u32 = i32::MAX as u32;
        let milliseconds = duration.as_nanos().div_ceil(1_000_000);
        gloo_timers::future::TimeoutFuture::new(u32::try_from(milliseconds).unwrap_or(LONGEST).min(LONGEST))
    }
}
