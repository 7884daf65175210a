//! Calls in any order and at any time, including meaningless ones. The guarantees must always be kept.

use super::{BUSY, START, STREAM, THEN, decoder, ms, s};
use eventwire::Decoder;
use eventwire_client::{Action, ReadyState, Reconnect, ReconnectPolicy, Resend, ResponseHead, StopReason, Verdict};
use std::time::Duration;

/// A simple seeded generator (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound
    }

    fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        let place = usize::try_from(self.below(u64::try_from(all.len()).unwrap())).unwrap();
        all[place].clone()
    }

    fn time(&mut self) -> Duration {
        match self.below(20) {
            0 => START,
            1 => Duration::MAX,
            2 => s(self.below(10_000)),
            _ => ms(self.below(20_000)),
        }
    }
}

/// What a caller knows about the state of the rules.
#[derive(Default)]
struct Known {
    connects_since_progress: u32,
    /// `Connect` was returned, and no call since then has ended the attempt.
    is_connecting: bool,
    /// The first and the last time of a call since `Connect`.
    told: Option<(Duration, Duration)>,
    /// When the last known delay ends, if there was no call since.
    until: Option<Duration>,
    stopped: Option<StopReason>,
    may_have_been_open: bool,
}

const RESENDS: [Resend; 7] = [
    Resend::Always,
    Resend::Always,
    Resend::UnlessSent,
    Resend::UntilProgress,
    Resend::WithCursor,
    Resend::Never,
    Resend::Unknown,
];

impl Known {
    fn tell(&mut self, now: Duration) {
        let (earliest, latest) = self.told.unwrap_or((now, now));
        self.told = Some((earliest.min(now), latest.max(now)));
        self.is_connecting = false;
    }
}

/// Calls in any order and at any time, including meaningless ones. The guarantees must always be kept.
#[test]
fn a_random_walk_keeps_the_guarantees() {
    let heads: Vec<ResponseHead<'_>> = vec![
        STREAM,
        STREAM,
        STREAM,
        BUSY,
        BUSY,
        ResponseHead::new(503, &[("retry-after", "4")]),
        ResponseHead::new(429, &[("retry-after", "99999999999999999999999")]),
        ResponseHead::new(500, &[("retry-after", "Thu, 01 Jan 2026 00:02:03 GMT"), ("date", THEN)]),
        ResponseHead::new(200, &[]),
        ResponseHead::new(204, &[]),
    ];
    let decoders = [
        Decoder::new(),
        Decoder::new(),
        decoder("id: 1\nretry: 0\ndata\n\n"),
        decoder("retry: 5000\n"),
        decoder("retry: 18446744073709551615\n"),
        decoder("id: \u{1}\ndata\n\n"),
        Decoder::new().with_last_event_id(&"x".repeat(8193)).unwrap(),
    ];
    let delays = [START, ms(1), ms(700), s(3), s(50), Duration::MAX];
    let mut random = Random(0x5DEE_CE66_D1CE_4E5B);
    let (mut connects, mut waits, mut stops) = (0, 0, [0; 9]);
    for _ in 0..30_000 {
        let max = random.one_of(&[0, 1, 2, 3, u32::MAX, u32::MAX, u32::MAX, u32::MAX]);
        let max_first = random.one_of(&[2, u32::MAX, u32::MAX]);
        let [time, min, max_delay, max_of_server] = [(); 4].map(|()| random.one_of(&delays));
        let floor = min.max(ms(1));
        let longest = [time, floor, max_delay, max_of_server].into_iter().max().unwrap();
        // The jitter is a quarter, for times of any length.
        let longest = longest.saturating_add(longest / 4);
        let mut rules = Reconnect::new(
            ReconnectPolicy::new()
                .with_jitter_seed(random.below(1 << 31))
                .with_max_attempts(max)
                .with_max_first_attempts(max_first)
                .with_reconnection_time(time)
                .with_min_delay(min)
                .with_max_delay(max_delay)
                .with_max_server_delay(max_of_server),
        );
        let is_decoder_fixed = random.below(2) == 0;
        let mut decoder = random.one_of(&decoders);
        let mut known = Known::default();
        let mut now = START;
        for _ in 0..random.below(60) {
            now = match random.below(8) {
                0 => random.time(),
                1..5 => known.until.unwrap_or(now),
                _ => now.saturating_add(ms(random.below(400))),
            };
            if !is_decoder_fixed && random.below(4) == 0 {
                decoder = random.one_of(&decoders);
            }
            match random.below(40) {
                0..5 => {
                    known.until = None;
                    known.tell(now);
                    match random.below(3) {
                        0 => rules.handle_unsent(now),
                        _ => rules.handle_disconnect(now),
                    }
                }
                5..9 => {
                    known.until = None;
                    known.tell(now);
                    let head = random.one_of(&heads);
                    let verdict = rules.handle_response(now, &head);
                    assert_eq!(verdict, Verdict::default_for(&head));
                    // Without a pending response, this test does not know whether the connection was open.
                    known.may_have_been_open |= verdict == Verdict::Open;
                }
                9 => {
                    known.connects_since_progress = 0;
                    rules.handle_progress();
                }
                10 => rules.handle_undecodable(),
                11 => rules.handle_resend(random.one_of(&RESENDS)),
                13 if random.below(8) == 0 => rules.handle_end(),
                14 if random.below(8) == 0 => {
                    let has_been_open = known.may_have_been_open;
                    known = Known { may_have_been_open: has_been_open, ..Known::default() };
                    rules.handle_restart();
                }
                15 => rules.handle_cursor(random.one_of(&[None, Some("7")])),
                12 if random.below(8) == 0 => rules.handle_close(),
                _ => match rules.poll(now, &decoder) {
                    Action::Connect { last_event_id, .. } => {
                        connects += 1;
                        assert_eq!(known.stopped, None);
                        assert!(!known.is_connecting, "Connect after Connect");
                        assert!(known.until.is_none_or(|until| until <= now), "too early");
                        assert_eq!(last_event_id.unwrap_or(""), decoder.last_event_id());
                        known.connects_since_progress += 1;
                        assert!(known.connects_since_progress <= max);
                        assert!(known.may_have_been_open || known.connects_since_progress <= max_first);
                        assert!(decoder.last_event_id().len() <= 8192);
                        (known.is_connecting, known.told, known.until) = (true, None, None);
                    }
                    Action::Wait(delay) => {
                        waits += 1;
                        assert_eq!(known.stopped, None);
                        let until = now + delay;
                        assert!(known.until.is_none_or(|earlier| earlier == until), "another delay");
                        let (earliest, latest) = known.told.unwrap();
                        assert!(delay > START && until >= earliest.saturating_add(floor), "{until:?}");
                        assert!(until <= latest.saturating_add(longest), "{until:?}");
                        known.until = Some(until);
                    }
                    Action::Read => {
                        assert_eq!(known.stopped, None);
                        assert!(known.is_connecting || known.told.is_some(), "there is nothing to read");
                    }
                    Action::Stop(reason) => {
                        assert!(known.stopped.is_none_or(|earlier| earlier == reason), "{reason} after another");
                        if known.stopped.replace(reason).is_none() {
                            stops[reason_number(reason)] += 1;
                        }
                    }
                },
            }
            assert_eq!(rules.attempts(), known.connects_since_progress);
            let is_over = known.stopped.is_some();
            assert!(!is_over || rules.ready_state() == ReadyState::Closed);
        }
    }
    // The walk has reached all states.
    assert!(connects > 30_000 && waits > 10_000, "{connects}, {waits}");
    assert!(stops.iter().all(|count| *count > 100), "{stops:?}");
}

fn reason_number(reason: StopReason) -> usize {
    let all = [
        StopReason::NoContent,
        StopReason::Finished,
        StopReason::Refused,
        StopReason::AttemptsExhausted,
        StopReason::NeverOpened,
        StopReason::NotResent,
        StopReason::InvalidLastEventId,
        StopReason::LastEventIdTooLong,
        StopReason::Closed,
    ];
    all.iter().position(|other| *other == reason).unwrap()
}
