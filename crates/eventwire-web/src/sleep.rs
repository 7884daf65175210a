//! The future of a timeout.

use gloo_timers::future::TimeoutFuture;
use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

/// The longest timeout that a browser takes, in milliseconds; a longer one would be over at once.
const LONGEST: u32 = i32::MAX as u32;

/// The future that [`BrowserTimer`](crate::BrowserTimer) makes. Dropping it clears the timeout.
#[must_use = "a future does nothing unless it is polled"]
pub struct Sleep(TimeoutFuture);

impl Sleep {
    pub(crate) fn new(duration: Duration) -> Sleep {
        let milliseconds = duration.as_nanos().div_ceil(1_000_000);
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
