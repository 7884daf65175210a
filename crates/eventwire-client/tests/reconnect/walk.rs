//! Calls in any order and at any time, including meaningless ones. The rules and their twin must always agree.

use super::{Both, Call, Fact, Next, START, Settings, decoder, ms, s};
use eventwire::Decoder;
use eventwire_client::{ReadyState, Resend, ResponseHead, Verdict};
use std::{collections::HashMap, time::Duration};

#[test]
fn a_random_walk_agrees_with_the_twin() {
    let mut random = Random(0x5DEE_CE66_D1CE_4E5B);
    let (mut connects, mut reads, mut waits, mut stops) = (0, 0, 0, HashMap::new());
    let mut ranges: HashMap<(Duration, Duration), [u32; 4]> = HashMap::new();
    for _ in 0..20_000 {
        let mut both = Both::new(random.settings());
        let mut decoder = random.decoder();
        let mut now = START;
        for _ in 0..random.below(60) {
            let end = if let Fact::Delay { until } = both.naive.state() { until } else { now };
            now = match random.below(8) {
                0 => random.time(),
                1 => end.saturating_sub(Duration::from_nanos(1)),
                2..5 => end,
                _ => now.saturating_add(ms(random.below(400))),
            };
            if random.below(8) == 0 {
                decoder = random.decoder();
            }
            let before = both.naive.state();
            match random.below(6) {
                0..2 => {
                    both.tell(random.call(now));
                    continue;
                }
                2 if matches!(before, Fact::Stop(_)) => both.tell(Call::Restart),
                _ => {}
            }
            match (both.poll(now, &decoder), before) {
                (Next::Connect(_), _) => connects += 1,
                (Next::Read, _) => reads += 1,
                (Next::Stop(reason), _) => *stops.entry(reason).or_insert(0) += 1,
                // A poll after the beginning of the range would not see the shorter delays.
                (Next::Wait(rest), Fact::Down { at, retry_after, .. }) if now <= at => {
                    waits += 1;
                    let (least, most) = both.naive.delays(retry_after, decoder.reconnection_time());
                    if let Some(place) = place(least, now + rest - at, most) {
                        ranges.entry((least, most)).or_default()[place] += 1;
                    }
                }
                (Next::Wait(_), _) => waits += 1,
            }
        }
    }
    let reached = (connects, reads, waits);
    assert!(connects > 30_000 && reads > 30_000 && waits > 30_000, "{reached:?}");
    assert!(stops.len() == 10 && stops.values().all(|count| *count > 1000), "{stops:?}");
    // Each range of delays is used evenly.
    ranges.retain(|_, quarters| quarters.iter().sum::<u32>() > 200);
    assert!(ranges.len() > 15, "{}", ranges.len());
    for (range, quarters) in ranges {
        let quarter = quarters.iter().sum::<u32>() / 4;
        assert!(quarters.iter().all(|count| (quarter / 2..quarter * 3 / 2).contains(count)), "{range:?}: {quarters:?}");
    }
}

#[test]
fn the_ready_states_have_the_standards_numbers() {
    assert_eq!([ReadyState::Connecting, ReadyState::Open, ReadyState::Closed].map(|state| state as u8), [0, 1, 2]);
}

/// Returns the quarter of the range in which the delay is. `None` if there is only one delay, if the time ends before,
/// or if the range is so long (`u64::MAX` nanoseconds) that not all of it is used.
pub(crate) fn place(least: Duration, delay: Duration, most: Duration) -> Option<usize> {
    let range = u64::try_from((most - least).as_nanos()).ok()?;
    let quarter = (delay.checked_sub(least)?.as_nanos() * 4).checked_div(u128::from(range))?;
    usize::try_from(quarter).ok()
}

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

    /// Returns settings of which about half are the default.
    fn settings(&mut self) -> Settings {
        let mut settings = Settings { jitter_seed: Some(self.below(1 << 31)), ..Settings::DEFAULT };
        for delay in [
            &mut settings.reconnection_time,
            &mut settings.min_delay,
            &mut settings.max_delay,
            &mut settings.max_server_delay,
        ] {
            let other = self.one_of(&[START, ms(1), ms(700), s(3), s(50), Duration::MAX]);
            *delay = self.one_of(&[other, *delay]);
        }
        let rarely = self.below(8) == 0;
        settings.max_attempts = self.one_of(&[None, None, Some(3), Some(if rarely { 0 } else { u32::MAX })]);
        settings.max_first_attempts = self.one_of(&[None, None, Some(2), Some(if rarely { 0 } else { u32::MAX })]);
        settings.max_last_event_id = if rarely { self.one_of(&[0, 3]) } else { settings.max_last_event_id };
        settings.resend = self.one_of(&[false, false, false, true]).then(|| self.resend());
        settings
    }

    fn resend(&mut self) -> Resend {
        use Resend::{Always, Never, Unknown, UnlessSent, UntilProgress, WithCursor};
        self.one_of(&[Always, Always, Always, UnlessSent, UntilProgress, WithCursor, Never, Unknown])
    }

    /// Returns a decoder with a last event ID and a reconnection time, or without.
    fn decoder(&mut self) -> Decoder {
        let character = char::from(u8::try_from(self.below(256)).unwrap());
        let id = match self.below(20) {
            0 if !"\0\n\r".contains(character) => format!("a{character}b"),
            1 => "x".repeat(self.one_of(&[1, 3, 4, 8192, 8193])),
            2 => " padded ".to_owned(),
            3..7 => "1".to_owned(),
            _ => String::new(),
        };
        let retry = self.one_of(&["", "", "", "0", "400", "5000", "3600000", "3600001", "18446744073709551615", "-1"]);
        decoder(&format!("retry: {retry}\n\n")).with_last_event_id(&id).unwrap()
    }

    fn call(&mut self, now: Duration) -> Call {
        match self.below(100) {
            0..24 => Call::Disconnect(now),
            24..34 => Call::Unsent(now),
            34..60 => {
                let (head, verdict, retry_after) = self.one_of(RESPONSES);
                Call::Response(now, head, verdict, retry_after)
            }
            60..70 => {
                use Verdict::{Fail, NotProcessed, Open, RetryIfAllowed, Stop};
                let verdict =
                    self.one_of(&[Open, NotProcessed, NotProcessed, RetryIfAllowed, RetryIfAllowed, Stop, Fail]);
                let retry_after = self.one_of(&[None, Some(START), Some(ms(1)), Some(s(20)), Some(Duration::MAX)]);
                Call::Verdict(now, verdict, retry_after)
            }
            70..76 => Call::Progress,
            76..78 => Call::Undecodable,
            78..86 => Call::Resend(self.resend()),
            86..89 => Call::Cursor(self.one_of(&[None, Some("7"), Some("")])),
            89..92 => Call::SetDelay(now, self.time()),
            92..95 => Call::Restart,
            95 => Call::SetPolicy(Settings { jitter_seed: None, ..self.settings() }),
            96 => Call::SetPolicy(self.settings()),
            97 => Call::PermanentError,
            98 => Call::End,
            _ => Call::Close,
        }
    }
}

/// Heads with their default verdict and their `Retry-After`.
#[rustfmt::skip]
const RESPONSES: &[(ResponseHead<'_>, Verdict, Option<Duration>)] = &[
    (ResponseHead::new(200, &[("content-type", "text/event-stream")]), Verdict::Open, None),
    (ResponseHead::new(200, &[("content-type", "text/event-stream")]), Verdict::Open, None),
    (ResponseHead::new(200, &[("content-type", "text/event-stream"), ("retry-after", "9")]), Verdict::Open, Some(s(9))),
    (ResponseHead::new(429, &[]), Verdict::NotProcessed, None),
    (ResponseHead::new(429, &[("retry-after", "3601")]), Verdict::NotProcessed, Some(s(3601))),
    (ResponseHead::new(502, &[]), Verdict::RetryIfAllowed, None),
    (ResponseHead::new(503, &[("retry-after", "4")]), Verdict::RetryIfAllowed, Some(s(4))),
    (ResponseHead::new(200, &[]), Verdict::Fail, None),
    (ResponseHead::new(204, &[("retry-after", "4")]), Verdict::Stop, Some(s(4))),
];
