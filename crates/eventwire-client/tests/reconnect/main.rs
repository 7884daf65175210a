//! The rules of reconnecting, without I/O: the naive twin says what is right, `walk` compares the rules with it, and
//! tables say what a walk would rarely reach.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod delays;
mod http_date;
mod naive;
mod resend;
mod responses;
mod walk;

use self::naive::{Call, Fact, Naive, Next, Settings};
use eventwire::Decoder;
use eventwire_client::{ReadyState, Reconnect};
use std::time::Duration;

const START: Duration = Duration::ZERO;

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

const fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Returns a decoder that has read this.
fn decoder(stream: &str) -> Decoder {
    let mut decoder = Decoder::new();
    let mut input = stream.as_bytes();
    while decoder.decode(&mut input).unwrap().is_some() {}
    assert_eq!(decoder.finish(), Ok(None));
    decoder
}

/// The rules and their twin, which get the same calls.
#[derive(Debug)]
struct Both {
    rules: Reconnect,
    naive: Naive,
}

impl Both {
    fn new(settings: Settings) -> Both {
        Both { rules: Reconnect::new(settings.policy()), naive: Naive::new(settings) }
    }

    #[track_caller]
    fn poll<'d>(&mut self, now: Duration, decoder: &'d Decoder) -> Next<'d> {
        let next = Next::from(self.rules.poll(now, decoder));
        let expected = self.naive.poll(now, decoder, next);
        assert_eq!(next, expected, "at {now:?}: {self:#?}");
        self.compare();
        next
    }

    #[track_caller]
    fn tell(&mut self, call: Call) {
        let rules = &mut self.rules;
        self.naive.tell(&call);
        match call {
            Call::Response(now, head, verdict, _) => assert_eq!(rules.handle_response(now, &head), verdict),
            Call::Verdict(now, verdict, retry_after) => rules.handle_verdict(now, verdict, retry_after),
            Call::Unsent(now) => rules.handle_unsent(now),
            Call::Disconnect(now) => rules.handle_disconnect(now),
            Call::SetDelay(now, delay) => rules.set_delay(now, delay),
            Call::SetPolicy(settings) => rules.set_policy(settings.policy()),
            Call::Resend(resend) => rules.handle_resend(resend),
            Call::Cursor(cursor) => rules.handle_cursor(cursor),
            Call::Progress => rules.handle_progress(),
            Call::Undecodable => rules.handle_undecodable(),
            Call::Restart => rules.handle_restart(),
            Call::PermanentError => rules.handle_permanent_error(),
            Call::End => rules.handle_end(),
            Call::Close => rules.handle_close(),
        }
        self.compare();
    }

    #[track_caller]
    fn compare(&self) {
        let Both { rules, naive } = self;
        let (ready_state, stop_reason) = match naive.state() {
            Fact::Open => (ReadyState::Open, None),
            Fact::Stop(reason) => (ReadyState::Closed, Some(reason)),
            _ => (ReadyState::Connecting, None),
        };
        let seen = (rules.ready_state(), rules.stop_reason(), rules.attempts());
        assert_eq!(seen, (ready_state, stop_reason, naive.attempts()), "{self:#?}");
        assert_eq!(*rules.policy(), naive.settings.policy());
    }
}
