//! How long the delays are, written by hand from the documentation, and that they depend on the seed.

use super::{Both, Call, Next, START, Settings, decoder, ms, s, walk::place};
use eventwire::Decoder;
use eventwire_client::{Action, Reconnect, ReconnectPolicy};
use std::time::Duration;

const DEFAULT: Settings = Settings::DEFAULT;
const MAX: Duration = Duration::MAX;

/// A name, the settings, the stream, the attempts without an event (0 after an event), and the range of the delay.
type Row = (&'static str, Settings, &'static str, u32, Duration, Duration);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    ("after an event", DEFAULT, "data\n\n", 0, s(3), s(6)),
    ("after the first attempt", DEFAULT, "", 1, s(3), s(6)),
    ("it doubles", DEFAULT, "", 2, s(3), s(12)),
    ("it doubles again", DEFAULT, "", 3, s(3), s(24)),
    ("up to the maximum", DEFAULT, "", 4, s(3), s(30)),
    ("2^31", DEFAULT, "", 31, s(3), s(30)),
    ("2^32", DEFAULT, "", 32, s(3), s(30)),
    ("long after", DEFAULT, "", 70, s(3), s(30)),
    ("without a maximum", Settings { reconnection_time: ms(1), min_delay: START, max_delay: MAX, ..DEFAULT }, "", 10,
        ms(1), ms(1 << 10)),
    ("without a maximum, 2^31", Settings { reconnection_time: ms(1), min_delay: START, max_delay: MAX, ..DEFAULT }, "",
        31, ms(1), ms(1 << 31)),
    ("near the maximum", Settings { reconnection_time: s(24), ..DEFAULT }, "", 1, s(24), s(30)),
    ("a quarter above the maximum", Settings { reconnection_time: s(40), ..DEFAULT }, "", 5, s(40), s(50)),
    ("a maximum below the reconnection time", Settings { max_delay: START, ..DEFAULT }, "", 5, s(3), ms(3750)),
    ("a minimum", Settings { min_delay: s(5), ..DEFAULT }, "", 1, s(5), s(10)),
    ("a minimum above the maximum", Settings { min_delay: s(40), ..DEFAULT }, "", 1, s(40), s(50)),
    ("the shortest minimum", Settings { min_delay: START, ..DEFAULT }, "retry: 0\n", 1, ms(1), ms(2)),
    ("no reconnection time", Settings { reconnection_time: START, ..DEFAULT }, "", 2, ms(100), ms(400)),
    ("the server's time", DEFAULT, "retry: 9000\ndata\n\n", 0, s(9), s(18)),
    ("the server's last time", DEFAULT, "retry: 1000\nretry: 2000\nretry: +9\n", 1, s(2), s(4)),
    ("the server's time overrides the setting", Settings { reconnection_time: s(20), ..DEFAULT }, "retry: 1000\n", 2,
        s(1), s(4)),
    ("the server's time is zero", DEFAULT, "retry: 0\n", 1, ms(100), ms(200)),
    ("the server's time is an hour", DEFAULT, "retry: 3600000\n", 1, s(3600), s(4500)),
    ("the server's time is too long", DEFAULT, "retry: 18446744073709551615\n", 9, s(3600), s(4500)),
    ("the server's time does not fit", DEFAULT, "retry: 99999999999999999999999\n", 1, s(3600), s(4500)),
    ("a limit for the server", Settings { max_server_delay: s(2), ..DEFAULT }, "retry: 9000\n", 1, s(2), s(4)),
    ("the server's limit is not the caller's", Settings { reconnection_time: s(7200), ..DEFAULT }, "", 1,
        s(7200), s(9000)),
    ("the longest reconnection time", Settings { reconnection_time: MAX, ..DEFAULT }, "", 1, MAX, MAX),
    ("the longest minimum", Settings { min_delay: MAX, ..DEFAULT }, "", 1, MAX, MAX),
];

#[test]
fn each_delay_is_in_its_range() {
    for (name, settings, stream, attempts, least, most) in ROWS {
        let decoder = decoder(stream);
        let mut quarters = [0; 4];
        for seed in 0..200 {
            let mut both =
                Both::new(Settings { jitter_seed: Some(seed), max_first_attempts: Some(u32::MAX), ..settings.clone() });
            let mut now = START;
            for _ in 0..*attempts.max(&1) {
                if let Next::Wait(delay) = both.poll(now, &decoder) {
                    now = now.saturating_add(delay);
                    both.poll(now, &decoder);
                }
                if *attempts == 0 {
                    both.tell(Call::Progress);
                }
                both.tell(Call::Disconnect(now));
            }
            let Next::Wait(delay) = both.poll(now, &decoder) else { panic!("{name}: {both:?}") };
            assert!(*least <= delay && delay <= *most, "{name}: {delay:?}");
            place(*least, delay, *most).into_iter().for_each(|place| quarters[place] += 1);
        }
        assert!(least == most || quarters.iter().all(|count| *count > 25), "{name}: {quarters:?}");
    }
}

#[test]
fn the_documented_defaults() {
    assert_eq!(ReconnectPolicy::new(), Settings::DEFAULT.policy());
    assert_eq!(ReconnectPolicy::default(), ReconnectPolicy::new());
    assert_eq!(Reconnect::default().policy(), &ReconnectPolicy::new());
}

/// Returns the delays after five attempts that fail.
fn delays(rules: &mut Reconnect) -> [Duration; 5] {
    let decoder = Decoder::new();
    [(); 5].map(|()| {
        rules.handle_restart();
        rules.poll(START, &decoder);
        rules.handle_disconnect(START);
        let Action::Wait(delay) = rules.poll(START, &decoder) else { panic!("{rules:?}") };
        delay
    })
}

#[test]
fn delays_depend_on_the_seed() {
    let seeded = |seed| ReconnectPolicy::new().with_jitter_seed(seed);
    let mut all = Vec::new();
    for seed in [0, 1, 2, 3, u64::MAX, 1 << 63] {
        let of_seed = delays(&mut Reconnect::new(seeded(seed)));
        assert_eq!(of_seed, delays(&mut Reconnect::new(seeded(seed))));
        all.extend(of_seed);
    }
    assert_eq!(delays(&mut Reconnect::default()), all[..5], "the seed is zero");
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 30, "no delay repeats itself");
}

/// A policy without a seed must not take the jitter of clients that have different ones back to the same sequence.
#[test]
fn a_new_policy_changes_the_jitter_only_if_it_has_a_seed() {
    let mut rules = Reconnect::new(ReconnectPolicy::new().with_jitter_seed(1));
    let [first, second] = [(); 2].map(|()| delays(&mut rules));
    rules.set_policy(ReconnectPolicy::new().with_jitter_seed(1));
    assert_eq!(delays(&mut rules), first);
    rules.set_policy(ReconnectPolicy::new());
    assert_eq!(delays(&mut rules), second);
}
