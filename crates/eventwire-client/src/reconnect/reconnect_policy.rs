//! The settings for reconnecting.

use crate::reconnect::{backoff::Backoff, resend::Resend};
use core::time::Duration;

/// The settings for reconnecting: delays, limits on attempts, and what may be sent again.
///
/// It is plain data: clone it, store it in a configuration, share it between clients.
/// [`Reconnect`](crate::Reconnect) follows it. Decisions that need code are methods of `EventSource`.
///
/// ```
/// use eventwire_client::ReconnectPolicy;
/// use std::time::Duration;
///
/// let patient = ReconnectPolicy::new().with_max_delay(Duration::from_secs(300));
/// let impatient = patient.clone().with_max_attempts(3);
/// assert_ne!(patient, impatient);
/// ```
///
/// The crate's page explains [the delays](crate#the-delays) and [what is sent again](crate#what-is-sent-again).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReconnectPolicy {
    pub(super) backoff: Backoff,
    pub(super) max_attempts: Option<u32>,
    pub(super) max_first_attempts: Option<u32>,
    pub(super) resend: Option<Resend>,
    pub(super) max_last_event_id: usize,
    pub(super) jitter_seed: Option<u64>,
}

impl ReconnectPolicy {
    /// Returns the defaults, which each setter documents.
    #[must_use]
    pub fn new() -> ReconnectPolicy {
        ReconnectPolicy {
            backoff: Backoff::DEFAULT,
            max_attempts: None,
            max_first_attempts: None,
            resend: None,
            max_last_event_id: 8 * 1024,
            jitter_seed: None,
        }
    }

    /// Sets the reconnection time until the server sets one. Defaults to 3 seconds, as in browsers.
    #[must_use]
    pub fn with_reconnection_time(mut self, time: Duration) -> ReconnectPolicy {
        self.backoff.reconnection_time = time;
        self
    }

    /// Sets the shortest delay, which applies even if the server asks for a shorter one. Defaults to 100 ms; less
    /// than 1 ms means 1 ms.
    #[must_use]
    pub fn with_min_delay(mut self, delay: Duration) -> ReconnectPolicy {
        self.backoff.min = delay;
        self
    }

    /// Sets the longest delay after attempts without progress. Defaults to 30 seconds.
    ///
    /// If the reconnection time plus a quarter is longer, that is the maximum, so that long reconnection times also
    /// have jitter.
    #[must_use]
    pub fn with_max_delay(mut self, delay: Duration) -> ReconnectPolicy {
        self.backoff.max = delay;
        self
    }

    /// Sets the longest delay that a server may ask for, by `retry` or `Retry-After`. Defaults to one hour.
    #[must_use]
    pub fn with_max_server_delay(mut self, delay: Duration) -> ReconnectPolicy {
        self.backoff.max_server_delay = delay;
        self
    }

    /// Sets the limit on attempts in a row without progress, including the first one. Defaults to no limit, as in
    /// browsers.
    ///
    /// At the limit the client stops, with [`AttemptsExhausted`](crate::StopReason::AttemptsExhausted). Attempts that
    /// the server turned away, for example by a 429, count.
    ///
    /// With [`Resend::UnlessSent`], the default for a POST, this limit and [the next
    /// one](ReconnectPolicy::with_max_first_attempts) allow the same attempts, because such a request is not sent again
    /// after an event stream has been open. After a restart, only this one applies.
    #[must_use]
    pub fn with_max_attempts(mut self, attempts: u32) -> ReconnectPolicy {
        self.max_attempts = Some(attempts);
        self
    }

    /// Sets the limit on attempts until a first connection is open, so that a mistyped host is an error. Defaults to 5,
    /// or to no limit if [the other one](ReconnectPolicy::with_max_attempts) is set.
    ///
    /// At the limit the client stops, with [`NeverOpened`](crate::StopReason::NeverOpened). A server that fails
    /// after a connection was open is not affected. `u32::MAX` means no limit.
    #[must_use]
    pub fn with_max_first_attempts(mut self, attempts: u32) -> ReconnectPolicy {
        // Not until a first event: through a proxy that closes idle connections, a quiet stream is opened many times
        // before it.
        self.max_first_attempts = Some(attempts);
        self
    }

    /// Sets whether the request may be sent again. By default, the connector of an event source decides
    /// (`Attempt::handle_start`). Without an event source,
    /// [`Reconnect::handle_resend`](crate::Reconnect::handle_resend) sets it.
    ///
    /// [`Resend::Unknown`] is a connector's value, for a method whose meaning it does not know. You know what your
    /// request means, so set another value here.
    #[must_use]
    pub fn with_resend(mut self, resend: Resend) -> ReconnectPolicy {
        self.resend = Some(resend);
        self
    }

    /// Sets the maximum length of a last event ID that is sent in a header, in bytes. Defaults to 8 KiB, which is as
    /// much as many servers accept in all headers together.
    ///
    /// If the ID is longer, the client stops, with [`LastEventIdTooLong`](crate::StopReason::LastEventIdTooLong),
    /// because reconnecting without it would repeat or lose events.
    #[must_use]
    pub fn with_max_last_event_id(mut self, bytes: usize) -> ReconnectPolicy {
        self.max_last_event_id = bytes;
        self
    }

    /// Sets the seed of the jitter: with the same seed, the delays are the same.
    ///
    /// Clients of one server should have different seeds. Without this setting, an `EventSource` uses a random seed.
    /// [`Reconnect`](crate::Reconnect) has no source of randomness and uses zero.
    #[must_use]
    pub fn with_jitter_seed(mut self, seed: u64) -> ReconnectPolicy {
        self.jitter_seed = Some(seed);
        self
    }

    /// Returns the limit on first attempts that is set, or its default.
    pub(super) fn first_attempts(&self) -> Option<u32> {
        let default = if self.max_attempts.is_none() { Some(5) } else { None };
        self.max_first_attempts.or(default)
    }
}

impl Default for ReconnectPolicy {
    fn default() -> ReconnectPolicy {
        ReconnectPolicy::new()
    }
}
