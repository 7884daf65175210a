//! The settings of a client that reconnects.

use super::{Resend, backoff::Backoff};
use core::time::Duration;

/// How a client reconnects: its delays, limits on attempts, and what may be sent again.
///
/// It is plain data: clone it, keep it in a configuration, share it between clients. [`Reconnect`](super::Reconnect) is the machine
/// that follows it. What is decided by code is passed to the `EventSource`.
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
/// The first delay is the reconnection time, which is the server's last `retry` or [a
/// default](ReconnectPolicy::with_reconnection_time), plus up to as much again. From the second attempt in a row
/// without progress, the upper bound doubles each time, up to [a ceiling](ReconnectPolicy::with_max_delay), and the
/// delay is chosen at random between the reconnection time and that bound. Only progress, which is an event unless you
/// decide otherwise, resets the bound: a server that answers 200 and closes at once is not asked more often than one
/// that does not answer. No delay is shorter than [a floor](ReconnectPolicy::with_min_delay), so `retry: 0` does not
/// spin.
///
/// If a response that is worth retrying has a `Retry-After` in the future, that is the delay, within the floor and
/// the ceiling for [what a server may ask for](ReconnectPolicy::with_max_server_delay), plus up to a quarter of it, so that clients
/// that were turned away together do not come back together.
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
    /// The defaults, which each setter names.
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

    /// Sets the longest delay that attempts without progress lead to. Defaults to 30 seconds.
    ///
    /// If the reconnection time plus a quarter is longer, that is the ceiling, so that jitter remains for long
    /// reconnection times.
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

    /// Sets how many attempts in a row may bring no progress, the first one included. Defaults to no limit, as in browsers.
    ///
    /// After the last one the client stops, with [`AttemptsExhausted`](super::StopReason::AttemptsExhausted).
    #[must_use]
    pub fn with_max_attempts(mut self, attempts: u32) -> ReconnectPolicy {
        self.max_attempts = Some(attempts);
        self
    }

    /// Sets how many attempts there may be until the first connection is open. Defaults to no limit; `EventSource::events` makes
    /// that 5, unless there is this limit or [the other one](ReconnectPolicy::with_max_attempts).
    ///
    /// After the last one the client stops, with [`NeverOpened`](super::StopReason::NeverOpened). So a mistyped host is an error, and
    /// a server that fails later is waited for. `u32::MAX` means no limit.
    #[must_use]
    pub fn with_max_first_attempts(mut self, attempts: u32) -> ReconnectPolicy {
        self.max_first_attempts = Some(attempts);
        self
    }

    /// Sets whether the request may be sent again. Defaults to what [is known](super::Reconnect::handle_resend) of the request.
    #[must_use]
    pub fn with_resend(mut self, resend: Resend) -> ReconnectPolicy {
        self.resend = Some(resend);
        self
    }

    /// Sets the greatest length of a last event ID that is sent in a header, in bytes. Defaults to 8 KiB, which is as
    /// much as many servers accept in all headers together.
    ///
    /// With a longer one the client stops, with [`LastEventIdTooLong`](super::StopReason::LastEventIdTooLong), because reconnecting
    /// without it would repeat events or lose some.
    #[must_use]
    pub fn with_max_last_event_id(mut self, bytes: usize) -> ReconnectPolicy {
        self.max_last_event_id = bytes;
        self
    }

    /// The limit on [attempts in a row](ReconnectPolicy::with_max_attempts).
    #[must_use]
    pub const fn max_attempts(&self) -> Option<u32> {
        self.max_attempts
    }

    /// The limit on [first attempts](ReconnectPolicy::with_max_first_attempts).
    #[must_use]
    pub const fn max_first_attempts(&self) -> Option<u32> {
        self.max_first_attempts
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
