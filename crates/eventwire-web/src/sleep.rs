//! The future of a timeout.

use gloo_timers::future::TimeoutFuture;
use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

/// The longest timeout that browsers accept, in milliseconds. A longer one would end immediately.
const LONGEST: u32 = i32::MAX as u32;

/// The future that [`BrowserTimer`](crate::BrowserTimer) returns. Dropping it clears the timeout.
#[must_use = "a future does nothing unless it is polled"]
pub struct Sleep(TimeoutFuture);

impl Sleep {
    pub(crate) fn new(duration: Duration) -> Sleep {
        // Not `as_nanos`, because dividing 128 bits needs much code.
        let rounded_up = u64::from(duration.subsec_nanos().div_ceil(1_000_000));
        let milliseconds = duration.as_secs().saturating_mul(1_000).saturating_add(rounded_up);
        Sleep(TimeoutFuture::new(u32::try_from(milliseconds).unwrap_or(LONGEST).min(LONGEST)))
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.0).poll(context)
    }
}

impl fmt::Debug for Sleep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sleep").finish_non_exhaustive()
    }
}
