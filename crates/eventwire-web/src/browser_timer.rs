//! The browser's timer.

use crate::adapters::Sleep;
use eventwire::Timer;
use std::time::Duration;

/// The browser's timer, `setTimeout`: for event sources, and for timeouts such as `with_idle_timeout`.
///
/// Durations are rounded up to whole milliseconds. A duration of more than about 24.8 days (2,147,483,647 ms) ends
/// after that time. In a background tab, browsers may fire timers late, by a second or more.
///
/// ```no_run
/// # async fn example(response: http::Response<eventwire_web::Body>) -> Result<(), Box<dyn std::error::Error>> {
/// use eventwire::EventsExt;
/// use eventwire_web::BrowserTimer;
/// use std::time::Duration;
///
/// let body = response.into_body();
/// let mut events = body.events().with_idle_timeout(Duration::from_secs(60), BrowserTimer);
/// while let Some(event) = events.next().await {
///     web_sys::console::log_1(&event?.data().into());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct BrowserTimer;

impl Timer for BrowserTimer {
    type Sleep = Sleep;

    fn sleep(&self, duration: Duration) -> Sleep {
        Sleep::new(duration)
    }
}
