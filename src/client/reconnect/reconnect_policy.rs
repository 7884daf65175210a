//! What can be set of the rules.

use super::{Reconnect, Resend, ResponseHead, Verdict, backoff::Jitter};
use core::time::Duration;

impl Reconnect {
    /// Sets the reconnection time until the server sets one. Three seconds, as in browsers.
    #[must_use]
    pub fn with_reconnection_time(mut self, time: Duration) -> Reconnect {
        self.backoff.reconnection_time = time;
        self
    }

    /// Sets the shortest delay, whatever the server says. 100 ms; less than one millisecond is one millisecond.
    #[must_use]
    pub fn with_min_delay(mut self, delay: Duration) -> Reconnect {
        self.backoff.min = delay;
        self
    }

    /// Sets the longest delay that attempts without an event lead to. 30 seconds, or a quarter more than the reconnection time if
    /// that is more: clients that were told a long time must not come back together, either.
    #[must_use]
    pub fn with_max_delay(mut self, delay: Duration) -> Reconnect {
        self.backoff.max = delay;
        self
    }

    /// Sets the longest delay that a server may ask for, by `retry` or by `Retry-After`. One hour.
    #[must_use]
    pub fn with_max_server_delay(mut self, delay: Duration) -> Reconnect {
        self.backoff.max_of_server = delay;
        self
    }

    /// Sets how many attempts in a row may bring no event, the first included. No limit, as in browsers.
    ///
    /// After the last of them it is over, with [`AttemptsExhausted`](crate::client::StopReason::AttemptsExhausted).
    #[must_use]
    pub fn with_max_attempts(mut self, attempts: u32) -> Reconnect {
        self.max_attempts = Some(attempts);
        self
    }

    /// Sets whether the request may be sent again. [`Resend::Always`], unless the request
    /// [is known](Reconnect::handle_resend) to be one that must not.
    #[must_use]
    pub fn with_resend(mut self, resend: Resend) -> Reconnect {
        self.resend = Some(resend);
        self
    }

    /// Sets the rule by which a response is taken for an event stream, or is asked for again. [`Verdict::of`].
    #[must_use]
    pub fn with_classifier(mut self, classifier: fn(&ResponseHead<'_>) -> Verdict) -> Reconnect {
        self.classifier = classifier;
        self
    }

    /// Sets where the jitter begins. The same number gives the same delays; clients of one server
    /// should have different ones, which an `EventSource` sees to. Zero.
    #[must_use]
    pub fn with_jitter_seed(mut self, seed: u64) -> Reconnect {
        self.backoff.jitter = Some(Jitter { seed });
        self
    }

    /// The same, unless it is set.
    #[cfg(feature = "client")]
    pub(in crate::client) fn seeded(mut self, seed: impl FnOnce() -> u64) -> Reconnect {
        self.backoff.jitter.get_or_insert_with(|| Jitter { seed: seed() });
        self
    }

    /// These settings for a course that has begun with others.
    #[cfg(feature = "client")]
    pub(in crate::client) fn in_place_of(mut self, other: &Reconnect) -> Reconnect {
        self.state = other.state;
        self.attempts = other.attempts;
        self.has_had_event = other.has_had_event;
        self.resend_of_request = other.resend_of_request;
        self
    }
}
