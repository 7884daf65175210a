//! The rules for reconnecting, without I/O.

pub(crate) mod action;
mod backoff;
mod http_date;
mod jitter;
pub(crate) mod ready_state;
pub(crate) mod reconnect_policy;
pub(crate) mod resend;
pub(crate) mod response_head;
pub(crate) mod stop_reason;
pub(crate) mod verdict;

use crate::reconnect::{
    action::Action, jitter::Jitter, ready_state::ReadyState, reconnect_policy::ReconnectPolicy, resend::Resend,
    response_head::ResponseHead, stop_reason::StopReason, verdict::Verdict,
};
use core::time::Duration;
use eventwire::Decoder;

/// Decides when to connect, wait, read or stop: the standard's [processing model] without I/O, a clock or
/// randomness.
///
/// Report what happened by the `handle_...` methods, and ask [`poll`](Reconnect::poll) what to do next. Each time is
/// a [`Duration`] since a fixed point of your choice, such as the start of the program. The settings are a
/// [`ReconnectPolicy`]. The last event ID and the reconnection time are read from the [`Decoder`].
///
/// `EventSource` does this with a connector and a timer. With blocking I/O, write a loop:
///
/// ```
/// use eventwire::Decoder;
/// use eventwire_client::{Action, Reconnect, ReconnectPolicy, ResponseHead, StopReason};
/// use std::time::Duration;
/// # const HEAD: ResponseHead<'_> = ResponseHead::new(200, &[("content-type", "text/event-stream")]);
/// # fn send(last_event_id: Option<&str>) -> Option<(ResponseHead<'static>, std::vec::IntoIter<&'static [u8]>)> {
/// #     match last_event_id {
/// #         None => Some((HEAD, vec![&b"id: 1\ndata: a\n\ndata: cut"[..]].into_iter())),
/// #         Some("1") => Some((HEAD, vec![&b"id: 2\nda"[..], b"ta: b\n\n"].into_iter())),
/// #         Some(_) => Some((ResponseHead::new(204, &[]), vec![].into_iter())),
/// #     }
/// # }
/// # let mut now = Duration::ZERO;
/// # let mut sleep = |delay| now += delay;
/// # let epoch = std::time::Instant::now();
///
/// let policy = ReconnectPolicy::new().with_max_attempts(10);
/// let policy = policy.with_jitter_seed(7); // use a random seed
/// let mut reconnect = Reconnect::new(policy);
/// let mut decoder = Decoder::new();
/// let mut body = None;
/// let mut received = Vec::new();
/// let reason = loop {
///     # let elapsed = || epoch.elapsed() * 1_000_000;
///     match reconnect.poll(elapsed(), &decoder) {
///         Action::Connect { last_event_id, .. } => match send(last_event_id) {
///             Some((head, chunks)) => {
///                 reconnect.handle_response(elapsed(), &head);
///                 body = Some(chunks);
///             }
///             None => reconnect.handle_unsent(elapsed()),
///         },
///         Action::Read => match body.as_mut().and_then(Iterator::next) {
///             Some(mut chunk) => while let Some(event) = decoder.decode(&mut chunk)? {
///                 reconnect.handle_progress();
///                 received.push(event.data().to_owned());
///             },
///             None => {
///                 decoder.finish()?;
///                 reconnect.handle_disconnect(elapsed());
///             }
///         },
///         Action::Wait(delay) => sleep(delay),
///         Action::Stop(reason) => break reason,
///     }
/// };
/// assert_eq!(
///     (received, reason),
///     (vec!["a".to_owned(), "b".to_owned()], StopReason::NoContent)
/// );
/// # Ok::<(), eventwire::DecodeError>(())
/// ```
///
/// [processing model]: https://html.spec.whatwg.org/multipage/server-sent-events.html#sse-processing-model
#[derive(Clone, Debug)]
pub struct Reconnect {
    policy: ReconnectPolicy,
    jitter: Jitter,
    /// What the request allows. The policy's setting takes precedence.
    request_resend: Resend,
    /// Attempts since the last progress, or since the start.
    attempts: u32,
    /// Whether the last request may have been carried out.
    was_sent: bool,
    /// Whether any connection has been open.
    has_been_open: bool,
    /// Whether there has been progress since the start or the last restart.
    has_progressed: bool,
    /// Whether there is a cursor besides the last event ID.
    has_cursor: bool,
    state: State,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Start,
    Connecting,
    Open,
    /// The connection ended at this time. The next poll decides what follows.
    Down {
        since: Duration,
        retry_after: Option<Duration>,
    },
    Waiting {
        until: Duration,
    },
    Stopped(StopReason),
}

impl Reconnect {
    /// Creates a `Reconnect` with these settings, before the first connection.
    #[must_use]
    pub fn new(policy: ReconnectPolicy) -> Reconnect {
        let jitter = Jitter::new(policy.jitter_seed.unwrap_or_default());
        Reconnect {
            policy,
            jitter,
            request_resend: Resend::Always,
            attempts: 0,
            was_sent: false,
            has_been_open: false,
            has_progressed: false,
            has_cursor: false,
            state: State::Start,
        }
    }

    /// Returns the settings.
    #[must_use]
    pub const fn policy(&self) -> &ReconnectPolicy {
        &self.policy
    }

    /// Replaces the settings. The state and the number of attempts are kept, and so is the jitter unless the policy
    /// has a seed.
    ///
    /// ```
    /// use eventwire::Decoder;
    /// use eventwire_client::{Action, Reconnect, ReconnectPolicy};
    /// use std::time::Duration;
    ///
    /// let (mut reconnect, decoder) = (Reconnect::default(), Decoder::new());
    /// reconnect.poll(Duration::ZERO, &decoder);
    /// reconnect.set_policy(ReconnectPolicy::new().with_max_attempts(1));
    /// reconnect.handle_disconnect(Duration::ZERO);
    /// // The first attempt counts.
    /// assert!(matches!(reconnect.poll(Duration::ZERO, &decoder), Action::Stop(_)));
    /// ```
    pub fn set_policy(&mut self, policy: ReconnectPolicy) {
        if let Some(seed) = policy.jitter_seed {
            self.jitter = Jitter::new(seed);
        }
        self.policy = policy;
    }

    /// Returns what to do at the time `now`. The time must never be earlier than in the call before.
    ///
    /// [`Action::Connect`] is returned once, and the attempt is counted then. Any other action is returned by every
    /// call, until you report something else or the delay has passed.
    pub fn poll<'d>(&mut self, now: Duration, decoder: &'d Decoder) -> Action<'d> {
        match self.state {
            State::Start => self.connect(decoder),
            State::Connecting | State::Open => Action::Read,
            State::Down { since, retry_after } => {
                self.state = match self.obstacle(decoder) {
                    Some(reason) => State::Stopped(reason),
                    None => State::Waiting { until: since.saturating_add(self.delay(retry_after, decoder)) },
                };
                self.poll(now, decoder)
            }
            State::Waiting { until } if until <= now => self.connect(decoder),
            State::Waiting { until } => Action::Wait(until.saturating_sub(now)),
            State::Stopped(reason) => Action::Stop(reason),
        }
    }

    /// Reports the head of the response. Returns its [default verdict](Verdict::default_for), which
    /// [`poll`](Reconnect::poll) follows.
    ///
    /// To decide otherwise, use [`handle_verdict`](Reconnect::handle_verdict).
    pub fn handle_response(&mut self, now: Duration, head: &ResponseHead<'_>) -> Verdict {
        let verdict = Verdict::default_for(head);
        self.handle_verdict(now, verdict, head.retry_after());
        verdict
    }

    /// Reports your verdict on the head of the response, and its [`Retry-After`](ResponseHead::retry_after).
    ///
    /// [`poll`](Reconnect::poll) follows the verdict: after [`Verdict::Open`], read the body. If no response is
    /// expected, nothing changes.
    pub fn handle_verdict(&mut self, now: Duration, verdict: Verdict, retry_after: Option<Duration>) {
        let State::Connecting = self.state else { return };
        // A request that was turned away was not carried out.
        self.was_sent = !matches!(verdict, Verdict::NotProcessed);
        self.state = match verdict {
            Verdict::Open => {
                self.has_been_open = true;
                State::Open
            }
            Verdict::NotProcessed | Verdict::RetryIfAllowed => State::Down { since: now, retry_after },
            Verdict::Stop => State::Stopped(StopReason::NoContent),
            Verdict::Fail => State::Stopped(StopReason::UnexpectedResponse),
        };
    }

    /// Sets whether the current request, or the last one, may be sent again. Defaults to [`Resend::Always`]. Call it
    /// for each request if your requests have different methods. [`ReconnectPolicy::with_resend`] takes precedence.
    pub fn handle_resend(&mut self, resend: Resend) {
        self.request_resend = resend;
    }

    /// Reports progress: an event that shows that the connection works as it should. The attempts are counted from 1
    /// again.
    ///
    /// You decide which events are progress. In most streams every event is.
    #[inline]
    pub fn handle_progress(&mut self) {
        self.attempts = 0;
        self.has_progressed = true;
    }

    /// Reports an event that could not be decoded, for example because it is too large.
    ///
    /// It counts as progress for [`Resend`], because the server has carried out the request. But the count of
    /// attempts is not reset, because the next connection may return the same event.
    pub fn handle_undecodable(&mut self) {
        self.has_progressed = true;
    }

    /// Reports the cursor that the next request continues from, besides the last event ID, or `None` if there is no
    /// longer one. [`Resend::WithCursor`] asks only whether there is one.
    pub fn handle_cursor(&mut self, cursor: Option<&str>) {
        self.has_cursor = cursor.is_some();
    }

    /// Reports that the connection was lost: it failed, or its body ended. The server may have carried out the
    /// request.
    ///
    /// If there was no connection, nothing changes.
    pub fn handle_disconnect(&mut self, now: Duration) {
        self.go_down(now, true);
    }

    /// Reports that the connection could not be made, so that the request was not sent.
    ///
    /// If no connection was being made, nothing changes.
    pub fn handle_unsent(&mut self, now: Duration) {
        if let State::Connecting = self.state {
            self.go_down(now, false);
        }
    }

    /// Replaces the delay before the next attempt, counted from `now`. If no delay is running, nothing changes.
    ///
    /// ```
    /// use eventwire::Decoder;
    /// use eventwire_client::{Action, Reconnect};
    /// use std::time::Duration;
    ///
    /// let (mut reconnect, decoder) = (Reconnect::default(), Decoder::new());
    /// reconnect.poll(Duration::ZERO, &decoder);
    /// reconnect.handle_disconnect(Duration::ZERO);
    /// assert!(matches!(reconnect.poll(Duration::ZERO, &decoder), Action::Wait(_)));
    /// reconnect.set_delay(Duration::ZERO, Duration::from_secs(1));
    /// assert_eq!(
    ///     reconnect.poll(Duration::ZERO, &decoder),
    ///     Action::Wait(Duration::from_secs(1))
    /// );
    /// ```
    pub fn set_delay(&mut self, now: Duration, delay: Duration) {
        if let State::Waiting { until } = &mut self.state {
            *until = now.saturating_add(delay);
        }
    }

    /// Starts again in any state: the next [`poll`](Reconnect::poll) returns [`Action::Connect`], as if no request
    /// had been sent before.
    ///
    /// The cursor and the decoder's last event ID are kept. If a connection has been open before, the limit on
    /// [first attempts](ReconnectPolicy::with_max_first_attempts) does not apply again.
    pub fn handle_restart(&mut self) {
        self.attempts = 0;
        self.was_sent = false;
        self.has_progressed = false;
        self.state = State::Start;
    }

    /// Reports that the connection failed permanently, so that retrying is pointless: [`StopReason::Permanent`].
    ///
    /// The [standard] leaves it to the client to recognise such failures, for example a URL that cannot be
    /// requested.
    ///
    /// [standard]: https://html.spec.whatwg.org/multipage/server-sent-events.html#sse-processing-model
    pub fn handle_permanent_error(&mut self) {
        self.stop(StopReason::Permanent);
    }

    /// Reports that the stream is complete: [`StopReason::Finished`].
    pub fn handle_end(&mut self) {
        self.stop(StopReason::Finished);
    }

    /// Reports that the client closed the connection: [`StopReason::Closed`].
    pub fn handle_close(&mut self) {
        self.stop(StopReason::Closed);
    }

    /// Returns whether the client is connecting, open or closed: the [standard's] three states.
    ///
    /// [standard's]: https://html.spec.whatwg.org/multipage/server-sent-events.html#dom-eventsource-readystate
    #[must_use]
    pub fn ready_state(&self) -> ReadyState {
        match self.state {
            State::Open => ReadyState::Open,
            State::Stopped(_) => ReadyState::Closed,
            State::Start | State::Connecting | State::Down { .. } | State::Waiting { .. } => ReadyState::Connecting,
        }
    }

    /// Returns why the client stopped, or `None` while it runs.
    ///
    /// ```
    /// use eventwire_client::{Reconnect, StopReason};
    ///
    /// let mut reconnect = Reconnect::default();
    /// assert_eq!(reconnect.stop_reason(), None);
    /// reconnect.handle_close();
    /// assert_eq!(reconnect.stop_reason(), Some(StopReason::Closed));
    /// ```
    #[must_use]
    pub const fn stop_reason(&self) -> Option<StopReason> {
        match self.state {
            State::Stopped(reason) => Some(reason),
            State::Start | State::Connecting | State::Open | State::Down { .. } | State::Waiting { .. } => None,
        }
    }

    /// Returns how many attempts have begun since the last progress, or since the start.
    #[must_use]
    pub const fn attempts(&self) -> u32 {
        self.attempts
    }

    /// Returns whether the request may be sent again, by the policy or else by the request.
    pub(crate) fn resend(&self) -> Resend {
        self.policy.resend.unwrap_or(self.request_resend)
    }

    /// Stops for this reason, unless there is an earlier one.
    fn stop(&mut self, reason: StopReason) {
        if self.stop_reason().is_none() {
            self.state = State::Stopped(reason);
        }
    }

    fn go_down(&mut self, now: Duration, was_sent: bool) {
        if let State::Connecting | State::Open = self.state {
            self.was_sent = was_sent;
            self.state = State::Down { since: now, retry_after: None };
        }
    }

    fn connect<'d>(&mut self, decoder: &'d Decoder) -> Action<'d> {
        if let Some(reason) = self.obstacle(decoder) {
            self.state = State::Stopped(reason);
            return Action::Stop(reason);
        }
        self.state = State::Connecting;
        self.attempts = self.attempts.saturating_add(1);
        Action::Connect { last_event_id: Some(decoder.last_event_id()).filter(|id| !id.is_empty()) }
    }

    /// Returns why there must not be another attempt.
    fn obstacle(&self, decoder: &Decoder) -> Option<StopReason> {
        let id = decoder.last_event_id();
        let may_be_sent = match self.resend() {
            Resend::Always => true,
            Resend::UnlessSent | Resend::Unknown => !self.was_sent,
            Resend::UntilProgress => !self.has_progressed,
            Resend::WithCursor => !self.was_sent || self.has_cursor || !id.is_empty(),
            Resend::Never => self.attempts == 0 && !self.has_progressed,
        };
        let is_at = |limit: Option<u32>| limit.is_some_and(|limit| self.attempts >= limit);
        if !may_be_sent {
            Some(StopReason::NotResent)
        } else if is_at(self.policy.max_attempts) {
            Some(StopReason::AttemptsExhausted)
        } else if !self.has_been_open && is_at(self.policy.first_attempts()) {
            Some(StopReason::NeverOpened)
        } else if id.len() > self.policy.max_last_event_id {
            Some(StopReason::LastEventIdTooLong)
        } else if !id.bytes().all(is_header_value_byte) {
            Some(StopReason::InvalidLastEventId)
        } else {
            None
        }
    }

    fn delay(&mut self, retry_after: Option<Duration>, decoder: &Decoder) -> Duration {
        match retry_after {
            // A delay of zero would not help an overloaded server.
            Some(delay) if !delay.is_zero() => self.policy.backoff.server_delay(&mut self.jitter, delay),
            _ => self.policy.backoff.delay(&mut self.jitter, decoder.reconnection_time(), self.attempts),
        }
    }
}

impl Default for Reconnect {
    /// Creates a `Reconnect` with the default settings.
    fn default() -> Reconnect {
        Reconnect::new(ReconnectPolicy::default())
    }
}

/// Returns whether the byte is valid in the [value of a header](https://www.rfc-editor.org/rfc/rfc9110#section-5.5):
/// control characters other than the tab are not.
fn is_header_value_byte(byte: u8) -> bool {
    byte == b'\t' || !byte.is_ascii_control()
}
