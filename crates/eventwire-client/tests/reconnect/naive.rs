//! The naive twin of the rules: a log of what has happened. For each question it reads the complete log again.
//!
//! It is written from the crate's page, and shares no code with the crate: a mistake in shared code would affect both
//! sides of a comparison, and no test would see it.

use super::{ms, s};
use eventwire::Decoder;
use eventwire_client::{Action, ReconnectPolicy, Resend, ResponseHead, StopReason, Verdict};
use std::time::Duration;

/// What a policy contains.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) reconnection_time: Duration,
    pub(crate) min_delay: Duration,
    pub(crate) max_delay: Duration,
    pub(crate) max_server_delay: Duration,
    pub(crate) max_last_event_id: usize,
    pub(crate) max_attempts: Option<u32>,
    pub(crate) max_first_attempts: Option<u32>,
    pub(crate) resend: Option<Resend>,
    pub(crate) jitter_seed: Option<u64>,
}

impl Settings {
    pub(crate) const DEFAULT: Settings = Settings {
        reconnection_time: s(3),
        min_delay: ms(100),
        max_delay: s(30),
        max_server_delay: s(60 * 60),
        max_last_event_id: 8 * 1024,
        max_attempts: None,
        max_first_attempts: None,
        resend: None,
        jitter_seed: None,
    };

    pub(crate) fn policy(&self) -> ReconnectPolicy {
        let mut policy = ReconnectPolicy::new()
            .with_reconnection_time(self.reconnection_time)
            .with_min_delay(self.min_delay)
            .with_max_delay(self.max_delay)
            .with_max_server_delay(self.max_server_delay)
            .with_max_last_event_id(self.max_last_event_id);
        policy = self.max_attempts.map_or(policy.clone(), |max| policy.with_max_attempts(max));
        policy = self.max_first_attempts.map_or(policy.clone(), |max| policy.with_max_first_attempts(max));
        policy = self.resend.map_or(policy.clone(), |resend| policy.with_resend(resend));
        self.jitter_seed.map_or(policy.clone(), |seed| policy.with_jitter_seed(seed))
    }
}

/// A call of one of the methods of `Reconnect` that change it. The first duration is the time of the call.
#[derive(Clone, Debug)]
pub(crate) enum Call {
    /// A head, its default verdict, and its `Retry-After`.
    Response(Duration, ResponseHead<'static>, Verdict, Option<Duration>),
    Verdict(Duration, Verdict, Option<Duration>),
    Unsent(Duration),
    Disconnect(Duration),
    SetDelay(Duration, Duration),
    SetPolicy(Settings),
    Resend(Resend),
    Cursor(Option<&'static str>),
    Progress,
    Undecodable,
    Restart,
    PermanentError,
    End,
    Close,
}

/// An [`Action`], which only the crate itself can create.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Next<'d> {
    Connect(Option<&'d str>),
    Wait(Duration),
    Read,
    Stop(StopReason),
}

impl<'d> From<Action<'d>> for Next<'d> {
    fn from(action: Action<'d>) -> Next<'d> {
        match action {
            Action::Connect { last_event_id, .. } => Next::Connect(last_event_id),
            Action::Wait(delay) => Next::Wait(delay),
            Action::Read => Next::Read,
            Action::Stop(reason) => Next::Stop(reason),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fact {
    /// The start, or a restart.
    Start,
    Connect,
    Open,
    Down {
        at: Duration,
        may_be_carried_out: bool,
        retry_after: Option<Duration>,
    },
    Delay {
        until: Duration,
    },
    Stop(StopReason),
    Progress,
    Undecodable,
}

#[derive(Debug)]
pub(crate) struct Naive {
    pub(crate) settings: Settings,
    resend: Resend,
    has_cursor: bool,
    log: Vec<Fact>,
}

impl Naive {
    pub(crate) fn new(settings: Settings) -> Naive {
        Naive { settings, resend: Resend::Always, has_cursor: false, log: vec![Fact::Start] }
    }

    /// What happened, and what follows from a response: "What is retried".
    pub(crate) fn tell(&mut self, call: &Call) {
        let state = self.state();
        let is_connected = matches!(state, Fact::Connect | Fact::Open);
        let is_stopped = matches!(state, Fact::Stop(_));
        let down = |at, may_be_carried_out, retry_after| Fact::Down { at, may_be_carried_out, retry_after };
        let of_response = |now, verdict, retry_after| match verdict {
            Verdict::Open => Fact::Open,
            Verdict::NotProcessed => down(now, false, retry_after),
            Verdict::RetryIfAllowed => down(now, true, retry_after),
            Verdict::Stop => Fact::Stop(StopReason::NoContent),
            _ => Fact::Stop(StopReason::UnexpectedResponse),
        };
        let fact = match *call {
            Call::Response(now, _, verdict, after) if state == Fact::Connect => of_response(now, verdict, after),
            Call::Verdict(now, verdict, after) if state == Fact::Connect => of_response(now, verdict, after),
            Call::Unsent(now) if state == Fact::Connect => down(now, false, None),
            Call::Disconnect(now) if is_connected => down(now, true, None),
            Call::SetDelay(now, delay) if matches!(state, Fact::Delay { .. }) => {
                Fact::Delay { until: now.saturating_add(delay) }
            }
            Call::Progress => Fact::Progress,
            Call::Undecodable => Fact::Undecodable,
            Call::Restart => Fact::Start,
            Call::PermanentError if !is_stopped => Fact::Stop(StopReason::Permanent),
            Call::End if !is_stopped => Fact::Stop(StopReason::Finished),
            Call::Close if !is_stopped => Fact::Stop(StopReason::Closed),
            Call::SetPolicy(ref settings) => return self.settings = settings.clone(),
            Call::Resend(resend) => return self.resend = resend,
            Call::Cursor(cursor) => return self.has_cursor = cursor.is_some(),
            _ => return, // This call has no effect now.
        };
        self.log.push(fact);
    }

    /// What is next. A delay is random, so the twin has to know which one the rules chose: if it is too short or
    /// too long, the twin chooses the nearest one that is not.
    pub(crate) fn poll<'d>(&mut self, now: Duration, decoder: &'d Decoder, result: Next<'_>) -> Next<'d> {
        if let Fact::Down { at, retry_after, .. } = self.state()
            && self.obstacle(decoder).is_none()
        {
            let (least, most) = self.delays(retry_after, decoder.reconnection_time());
            let until = if let Next::Wait(rest) = result { now.saturating_add(rest) } else { now };
            let until = until.clamp(at.saturating_add(least), at.saturating_add(most));
            self.log.push(Fact::Delay { until });
        }
        match self.state() {
            Fact::Connect | Fact::Open => Next::Read,
            Fact::Stop(reason) => Next::Stop(reason),
            Fact::Delay { until } if now < until => Next::Wait(until - now),
            _ => match self.obstacle(decoder) {
                Some(reason) => {
                    self.log.push(Fact::Stop(reason));
                    Next::Stop(reason)
                }
                None => {
                    self.log.push(Fact::Connect);
                    Next::Connect(Some(decoder.last_event_id()).filter(|id| !id.is_empty()))
                }
            },
        }
    }

    /// How many attempts there were since the last progress, or since the start.
    pub(crate) fn attempts(&self) -> u32 {
        let since = self.log.iter().rev().take_while(|fact| !matches!(fact, Fact::Start | Fact::Progress));
        since.filter(|fact| **fact == Fact::Connect).map(|_| 1).sum()
    }

    /// The last fact that decides what is next.
    pub(crate) fn state(&self) -> Fact {
        let mut states = self.log.iter().rev().filter(|fact| !matches!(fact, Fact::Progress | Fact::Undecodable));
        *states.next().unwrap()
    }

    /// Why there must not be another attempt: "What is sent again", "Settings". Of several reasons, the first one in
    /// this list counts.
    fn obstacle(&self, decoder: &Decoder) -> Option<StopReason> {
        let start = self.log.iter().rposition(|fact| *fact == Fact::Start).unwrap();
        let since_start = &self.log[start..];
        let may_be_carried_out = since_start.iter().rev().find_map(|fact| match fact {
            Fact::Down { may_be_carried_out, .. } => Some(*may_be_carried_out),
            _ => None,
        }) == Some(true);
        let has_progressed = since_start.iter().any(|fact| matches!(fact, Fact::Progress | Fact::Undecodable));
        let id = decoder.last_event_id();
        let may_be_sent = match self.settings.resend.unwrap_or(self.resend) {
            Resend::Always => true,
            Resend::UntilProgress => !has_progressed,
            Resend::WithCursor => !may_be_carried_out || self.has_cursor || !id.is_empty(),
            // Without an attempt there is no progress.
            Resend::Never => !has_progressed && !since_start.contains(&Fact::Connect),
            _ => !may_be_carried_out,
        };
        let default = self.settings.max_attempts.is_none().then_some(5);
        let first_attempts = self.settings.max_first_attempts.or(default);
        let is_reached = |limit: Option<u32>| limit.is_some_and(|limit| limit <= self.attempts());
        let is_valid = |character: char| character == '\t' || !character.is_ascii_control();
        let reasons = [
            (!may_be_sent, StopReason::NotResent),
            (is_reached(self.settings.max_attempts), StopReason::AttemptsExhausted),
            (is_reached(first_attempts) && !self.log.contains(&Fact::Open), StopReason::NeverOpened),
            (id.len() > self.settings.max_last_event_id, StopReason::LastEventIdTooLong),
            (!id.chars().all(is_valid), StopReason::InvalidLastEventId),
        ];
        reasons.into_iter().find_map(|(is_so, reason)| is_so.then_some(reason))
    }

    /// The shortest and the longest delay: "The delays".
    pub(crate) fn delays(&self, retry_after: Option<Duration>, retry: Option<Duration>) -> (Duration, Duration) {
        let of_server = |time: Duration| time.min(self.settings.max_server_delay);
        let within = |time: Duration| time.max(self.settings.min_delay).max(ms(1));
        let with_quarter = |time: Duration| time.saturating_add(time / 4);
        if let Some(asked) = retry_after.map(of_server).filter(|_| retry_after != Some(Duration::ZERO)) {
            return (within(asked), with_quarter(within(asked)));
        }
        let least = within(retry.map_or(self.settings.reconnection_time, of_server));
        let mut most = least.saturating_mul(2);
        for _ in 1..self.attempts() {
            most = most.saturating_mul(2);
        }
        (least, most.min(self.settings.max_delay.max(with_quarter(least))))
    }
}
