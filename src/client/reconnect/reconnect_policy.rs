//! The settings of a client that reconnects.

use super::{Resend, ResponseHead, Verdict, backoff::Backoff};
use core::time::Duration;

/// How a client reconnects: its delays, a limit on attempts, what may be sent again, and what counts as an event stream.
///
/// It is plain data: clone it, keep it in a configuration, share it between clients. [`Reconnect`](super::Reconnect) is the machine
/// that follows it.
///
/// ```
/// use eventwire::client::ReconnectPolicy;
/// use std::time::Duration;
///
/// let patient = ReconnectPolicy::new().with_max_delay(Duration::from_secs(300));
/// let impatient = patient.clone().with_max_attempts(3);
/// # let _ = impatient;
/// ```
///
/// # The delays
///
/// The first delay is the reconnection time, which is the server's last `retry` or
/// [a default](ReconnectPolicy::with_reconnection_time), plus up to as much again. From the second attempt in a row without an event,
/// the upper bound doubles each time, up to [a ceiling](ReconnectPolicy::with_max_delay), and the delay is chosen at random between
/// the reconnection time and that bound. Only an event resets the bound: a server that answers 200 and closes at once is not asked
/// more often than one that does not answer. No delay is shorter than [a floor](ReconnectPolicy::with_min_delay), so `retry: 0` does
/// not spin.
///
/// If a response that [is worth retrying](Verdict::Retry) has a `Retry-After` in the future, that is the delay, within the floor and
/// the ceiling for [what a server may ask for](ReconnectPolicy::with_max_server_delay).
#[derive(Clone, Debug)]
pub struct ReconnectPolicy {
    pub(super) backoff: Backoff,
    pub(super) max_attempts: Option<u32>,
    pub(super) resend: Option<Resend>,
    pub(super) classifier: fn(&ResponseHead<'_>) -> Verdict,
    pub(super) jitter_seed: Option<u64>,
}

impl ReconnectPolicy {
    /// The defaults, which each setter names.
    #[must_use]
    pub fn new() -> ReconnectPolicy {
        ReconnectPolicy {
            backoff: Backoff::DEFAULT,
            max_attempts: None,
            resend: None,
            classifier: Verdict::default_for,
            jitter_seed: None,
        }
    }

    /// Sets the reconnection time to use until the server sets one. Defaults to 3 seconds, as in browsers.
    #[must_use]
    pub fn with_reconnection_time(mut self, time: Duration) -> ReconnectPolicy {
        self.backoff.reconnection_time = time;
        self
    }

    /// Sets the shortest delay, no matter what the server says. Defaults to 100 ms; anything below 1 ms is 1 ms.
    #[must_use]
    pub fn with_min_delay(mut self, delay: Duration) -> ReconnectPolicy {
        self.backoff.min = delay;
        self
    }

    /// Sets the longest delay that attempts without an event lead to. Defaults to 30 seconds.
    ///
    /// If the reconnection time plus a quarter is longer, that is the ceiling: clients that were told to wait for long must not come
    /// back together either.
    #[must_use]
    pub fn with_max_delay(mut self, delay: Duration) -> ReconnectPolicy {
        self.backoff.max = delay;
        self
    }

    /// Sets the longest delay that a server may ask for, by `retry` or `Retry-After`. Defaults to one hour.
    #[must_use]
    pub fn with_max_server_delay(mut self, delay: Duration) -> ReconnectPolicy {
        self.backoff.max_of_server = delay;
        self
    }

    /// Sets how many attempts in a row may bring no event, the first one included. Defaults to no limit, as in browsers.
    ///
    /// After the last one the client stops, with [`AttemptsExhausted`](super::StopReason::AttemptsExhausted).
    #[must_use]
    pub fn with_max_attempts(mut self, attempts: u32) -> ReconnectPolicy {
        self.max_attempts = Some(attempts);
        self
    }

    /// Sets whether the request may be sent again. Defaults to [`Resend::Always`], unless the request
    /// [is known](super::Reconnect::handle_resend) to be one that must not.
    #[must_use]
    pub fn with_resend(mut self, resend: Resend) -> ReconnectPolicy {
        self.resend = Some(resend);
        self
    }

    /// Sets the function that decides whether a response is an event stream, worth retrying, or a failure. Defaults to
    /// [`Verdict::default_for`].
    #[must_use]
    pub fn with_classifier(mut self, classifier: fn(&ResponseHead<'_>) -> Verdict) -> ReconnectPolicy {
        self.classifier = classifier;
        self
    }

    /// Sets the seed of the delays' jitter: the same seed gives the same delays.
    ///
    /// Clients of one server should have different seeds. Without a seed, an `EventSource` takes a random one, and
    /// [`Reconnect`](super::Reconnect), which has no source of randomness, takes zero.
    #[must_use]
    pub fn with_jitter_seed(mut self, seed: u64) -> ReconnectPolicy {
        self.jitter_seed = Some(seed);
        self
    }
}

impl Default for ReconnectPolicy {
    fn default() -> ReconnectPolicy {
        ReconnectPolicy::new()
    }
}
