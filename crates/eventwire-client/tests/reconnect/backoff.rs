//! How long the delays are: they double up to a ceiling, with jitter, and start from the server's or the caller's
//! reconnection time.

use super::{BUSY, START, STREAM, connected, decoder, ms, open, s, wait};
use eventwire::Decoder;
use eventwire_client::{Reconnect, ReconnectPolicy, ResponseHead};
use std::time::Duration;

/// Returns the delay after this many attempts without an event; for 0, after an event.
#[track_caller]
fn delay_after(policy: ReconnectPolicy, fruitless: u32, decoder: &Decoder) -> Duration {
    let mut rules = open(Reconnect::new(policy));
    let mut now = START;
    if fruitless == 0 {
        rules.handle_progress();
    }
    for _ in 1..fruitless {
        rules.handle_disconnect(now);
        now = now.saturating_add(wait(&mut rules, now, decoder));
        rules = connected(rules, now, decoder);
    }
    rules.handle_disconnect(now);
    wait(&mut rules, now, decoder)
}

/// Checks that all delays after this many attempts are between these two, and are spread over the entire range.
#[track_caller]
fn check_delays(policy: &ReconnectPolicy, fruitless: u32, stream: &str, least: Duration, bound: Duration) {
    let draws = 400;
    let decoder = decoder(stream);
    let mut quarters = [0; 4];
    for seed in 0..draws {
        let delay = delay_after(policy.clone().with_jitter_seed(seed), fruitless, &decoder);
        assert!(least <= delay && delay <= bound, "{delay:?}, not {least:?} to {bound:?}, after {fruitless}");
        if let Some(place) = ((delay - least).as_nanos() * 4).checked_div((bound - least).as_nanos()) {
            quarters[usize::try_from(place).unwrap()] += 1;
        }
    }
    assert!(least == bound || quarters.iter().all(|count| *count > draws / 8), "{quarters:?} after {fruitless}");
}

#[test]
fn delays_double_from_the_reconnection_time_to_the_ceiling() {
    let policy = ReconnectPolicy::new();
    for (fruitless, bound) in
        [(0, 6), (1, 6), (2, 12), (3, 24), (4, 30), (5, 30), (31, 30), (32, 30), (33, 30), (70, 30)]
    {
        check_delays(&policy, fruitless, "", s(3), s(bound));
        check_delays(&policy, fruitless, "data\n\n", s(3), s(bound));
    }
    let policy =
        ReconnectPolicy::new().with_reconnection_time(ms(1)).with_min_delay(START).with_max_delay(Duration::MAX);
    for (fruitless, bound) in [(0, 2), (1, 2), (2, 4), (3, 8), (10, 1024), (20, 1 << 20), (31, 1 << 31)] {
        check_delays(&policy, fruitless, "", ms(1), ms(bound));
    }
}

#[test]
fn each_setting_moves_its_own_limit() {
    let new = ReconnectPolicy::new;
    check_delays(&new().with_reconnection_time(s(1)), 1, "", s(1), s(2));
    check_delays(&new().with_reconnection_time(s(20)), 1, "", s(20), s(30));
    // Near the ceiling and above it, there still is a jitter of a quarter.
    check_delays(&new().with_reconnection_time(s(24)), 5, "", s(24), s(30));
    check_delays(&new().with_reconnection_time(s(30)), 5, "", s(30), ms(37_500));
    check_delays(&new().with_reconnection_time(s(40)), 5, "", s(40), s(50));
    check_delays(&new().with_max_delay(START), 5, "", s(3), ms(3750));
    check_delays(&new().with_max_delay(s(4)), 5, "", s(3), s(4));
    check_delays(&new().with_max_delay(s(600)), 5, "", s(3), s(96));
    // The floor.
    check_delays(&new().with_reconnection_time(START), 1, "", ms(100), ms(200));
    check_delays(&new().with_reconnection_time(START), 2, "", ms(100), ms(400));
    check_delays(&new().with_min_delay(s(5)), 1, "", s(5), s(10));
    check_delays(&new().with_min_delay(s(40)), 1, "", s(40), s(50));
    check_delays(&new().with_reconnection_time(START).with_min_delay(START), 1, "", ms(1), ms(2));
    check_delays(&new().with_reconnection_time(START).with_min_delay(ms(2)), 1, "", ms(2), ms(4));
}

#[test]
fn the_servers_reconnection_time_overrides_the_default() {
    let new = ReconnectPolicy::new;
    check_delays(&new(), 1, "retry: 1000\n\n", s(1), s(2));
    check_delays(&new(), 0, "retry: 9000\ndata\n\n", s(9), s(18));
    check_delays(&new().with_reconnection_time(s(20)), 2, "retry: 1000\n", s(1), s(4));
    check_delays(&new(), 1, "retry: 1000\nretry: 2000\nretry: +9\n", s(2), s(4));
    check_delays(&new(), 1, "retry: 0\n", ms(100), ms(200));
    check_delays(&new().with_min_delay(START), 1, "retry: 0\n", ms(1), ms(2));
    check_delays(&new().with_min_delay(START), 0, "retry: 0\n", ms(1), ms(2));
    check_delays(&new().with_min_delay(s(2)), 1, "retry: 1000\n", s(2), s(4));
    check_delays(&new(), 1, "retry: 40000\n", s(40), s(50));
    check_delays(&new(), 1, "retry: 3600000\n", s(3600), s(4500));
    check_delays(&new(), 1, "retry: 3600001\n", s(3600), s(4500));
    check_delays(&new(), 9, "retry: 18446744073709551615\n", s(3600), s(4500));
    check_delays(&new(), 1, "retry: 99999999999999999999999\n", s(3600), s(4500));
    check_delays(&new().with_max_server_delay(s(2)), 1, "retry: 9000\n", s(2), s(4));
    check_delays(&new().with_max_server_delay(s(2)).with_min_delay(s(5)), 1, "retry: 9000\n", s(5), s(10));
    let generous = new().with_max_server_delay(Duration::MAX);
    assert!(delay_after(generous, 9, &decoder("retry: 18446744073709551615\n")) >= ms(u64::MAX));
}

/// The limit for a server's reconnection time does not apply to the caller's.
#[test]
fn the_callers_reconnection_time_is_not_limited_like_the_servers() {
    check_delays(&ReconnectPolicy::new().with_reconnection_time(s(7200)), 1, "", s(7200), s(9000));
    check_delays(&ReconnectPolicy::new().with_reconnection_time(s(7200)), 1, "retry: 7200000\n", s(3600), s(4500));
    check_delays(&ReconnectPolicy::new().with_max_server_delay(s(1)), 1, "", s(3), s(6));
}

/// Returns the delays for a server that is never reachable.
fn delays(mut rules: Reconnect, count: usize) -> Vec<Duration> {
    let mut now = START;
    (0..count)
        .map(|_| {
            rules = connected(rules.clone(), now, &Decoder::new());
            rules.handle_disconnect(now);
            let delay = wait(&mut rules, now, &Decoder::new());
            now += delay;
            delay
        })
        .collect()
}

#[test]
fn delays_depend_on_the_seed() {
    let of = |seed| delays(Reconnect::new(ReconnectPolicy::new().with_jitter_seed(seed)), 50);
    let mut all: Vec<Vec<Duration>> = [0, 1, 2, 3, u64::MAX, 1 << 63].map(of).to_vec();
    assert_eq!(all, [0, 1, 2, 3, u64::MAX, 1 << 63].map(of));
    assert_eq!(delays(Reconnect::default(), 50), all[0]);
    all.iter().flatten().for_each(|delay| assert!((s(3)..=s(30)).contains(delay), "{delay:?}"));
    // No two sequences have the same delay at the same place, and no sequence repeats itself.
    for place in 0..50 {
        let mut column: Vec<Duration> = all.iter().map(|delays| delays[place]).collect();
        column.sort();
        column.dedup();
        assert_eq!(column.len(), 6, "at {place}");
    }
    for delays in &mut all {
        delays.sort();
        delays.dedup();
        assert_eq!(delays.len(), 50);
    }
}

#[test]
fn one_client_uses_the_whole_range() {
    let mut quarters = [0; 4];
    for delay in delays(Reconnect::new(ReconnectPolicy::new().with_jitter_seed(5)), 4003).into_iter().skip(3) {
        assert!((s(3)..=s(30)).contains(&delay), "{delay:?}");
        quarters[usize::try_from((delay - s(3)).as_nanos() * 4 / s(27).as_nanos()).unwrap()] += 1;
    }
    assert!(quarters.iter().all(|count| (900..1100).contains(count)), "{quarters:?}");
}

#[test]
fn a_200_without_an_event_does_not_reset_the_delays() {
    let longest = |is_of_use: bool| {
        let mut rules = Reconnect::new(ReconnectPolicy::new().with_jitter_seed(1));
        let mut now = START;
        let mut longest = START;
        for _ in 0..200 {
            rules = connected(rules, now, &Decoder::new());
            rules.handle_response(now, &STREAM);
            if is_of_use {
                rules.handle_progress();
            }
            rules.handle_disconnect(now);
            let delay = wait(&mut rules, now, &Decoder::new());
            longest = longest.max(delay);
            now += delay;
        }
        longest
    };
    assert!(longest(false) > s(28));
    assert!(longest(true) < s(6));
}

#[test]
fn the_longest_durations_do_not_overflow() {
    let max = Duration::MAX;
    let new = ReconnectPolicy::new;
    for policy in [
        new().with_reconnection_time(max),
        new().with_min_delay(max),
        new().with_max_delay(max),
        new().with_max_server_delay(max),
        new().with_reconnection_time(max).with_min_delay(max).with_max_delay(max).with_max_server_delay(max),
        new().with_min_delay(max).with_max_delay(START).with_max_server_delay(START),
        new().with_reconnection_time(START).with_min_delay(START).with_max_delay(max).with_max_server_delay(START),
    ] {
        for decoder in [Decoder::new(), decoder("retry: 18446744073709551615\n"), decoder("retry: 0\n")] {
            for head in [BUSY, ResponseHead::new(503, &[("retry-after", "99999999999999999999999")])] {
                let mut rules = connected(Reconnect::new(policy.clone()), START, &decoder);
                rules.handle_response(START, &head);
                wait(&mut rules, START, &decoder);
                // At the end of representable time, the delay ends too.
                for _ in 0..40 {
                    rules = connected(rules, max, &decoder);
                    rules.handle_response(max, &head);
                }
                rules.handle_disconnect(max);
                rules = connected(rules, max, &decoder);
                rules.handle_disconnect(START);
                wait(&mut rules, START, &decoder);
            }
        }
    }
    assert_eq!(delay_after(new().with_min_delay(max), 1, &Decoder::new()), max);
    assert_eq!(delay_after(new().with_reconnection_time(max), 1, &Decoder::new()), max);
}

/// A policy without a seed must not take the jitter of clients that have different ones back to the same sequence.
#[test]
fn a_new_policy_changes_the_jitter_only_if_it_has_a_seed() {
    /// Returns the next five delays.
    fn delays(rules: &mut Reconnect) -> Vec<Duration> {
        let decoder = Decoder::new();
        let delay = |_| {
            rules.handle_restart();
            *rules = connected(rules.clone(), START, &decoder);
            rules.handle_disconnect(START);
            wait(rules, START, &decoder)
        };
        (0..5).map(delay).collect()
    }
    let run = |policy: Option<ReconnectPolicy>| {
        let mut rules = Reconnect::new(ReconnectPolicy::new().with_jitter_seed(1));
        let before = delays(&mut rules);
        policy.into_iter().for_each(|policy| rules.set_policy(policy));
        (before, delays(&mut rules))
    };
    let (before, after) = run(None);
    assert_ne!(before, after);
    assert_eq!(run(Some(ReconnectPolicy::new())), (before.clone(), after.clone()));
    // The sequence of this seed begins again.
    assert_eq!(run(Some(ReconnectPolicy::new().with_jitter_seed(1))), (before.clone(), before.clone()));
    let (_, other) = run(Some(ReconnectPolicy::new().with_jitter_seed(2)));
    assert!(other != before && other != after);
}
