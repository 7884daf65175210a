//! Watches a connection before and between its events.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use eventwire_web::{AbortSignal, ConnectionError, FetchError, Hooks, ResponseHead, UnexpectedResponse, Verdict};

use crate::failure;
use crate::views::ConnectionView;

/// If the server asks for a longer delay than this, the request fails.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Shows the state of the connection. The chat and the feed use the same type, so that the client is compiled once.
pub(crate) struct Watch {
    pub(crate) view: ConnectionView,
    pub(crate) signal: AbortSignal,
    /// Whether the server has begun to answer.
    pub(crate) is_open: Rc<Cell<bool>>,
}

impl Hooks<FetchError> for Watch {
    fn opens(&mut self, head: &ResponseHead<'_>) -> bool {
        let opens = Verdict::default_for(head) == Verdict::Open;
        if opens {
            self.is_open.set(true);
            self.view.open();
        }
        opens
    }

    fn response_verdict(&mut self, refusal: &UnexpectedResponse) -> Verdict {
        match refusal.retry_after() {
            Some(delay) if delay > LONGEST_WAIT => Verdict::Fail,
            _ => Verdict::default_for(&refusal.head()),
        }
    }

    fn delay(&mut self, delay: Duration, _: u32, error: &ConnectionError<FetchError>) -> Duration {
        // A source whose signal is aborted stops after this delay, so the view is not told about it.
        if !self.signal.aborted() {
            self.view.waiting(&failure::reason(error), delay.as_secs_f64() * 1000.0);
        }
        delay
    }
}
