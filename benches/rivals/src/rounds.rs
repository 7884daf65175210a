//! Passes in interleaved rounds, and the number of rounds on the command line.

use std::{
    env,
    hint::black_box,
    time::{Duration, Instant},
};

use crate::turns::{passes_in_a_turn, time};

/// Returns the number after `--rounds`, or seven without it; `None` if the command line contains anything else.
pub(crate) fn asked() -> Option<usize> {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        [] => Some(7),
        ["--rounds", rounds] => rounds.parse().ok().filter(|&rounds| rounds > 0),
        _ => None,
    }
}

/// Returns the best time of each contender for one pass. In each round, all of them take a turn.
pub(crate) fn race<const N: usize>(passes: [&dyn Fn() -> usize; N], rounds: usize) -> [Duration; N] {
    let mut best = [Duration::MAX; N];
    race_into(&passes, rounds, &mut best);
    best
}

/// Like `race`, for any number of passes.
pub(crate) fn race_into(passes: &[&dyn Fn() -> usize], rounds: usize, best: &mut [Duration]) {
    let in_a_turn: Vec<u32> = passes
        .iter()
        .map(|pass| {
            let start = Instant::now();
            pass();
            passes_in_a_turn(start.elapsed())
        })
        .collect();
    for _ in 0..rounds {
        for ((pass, &in_a_turn), best) in passes.iter().zip(&in_a_turn).zip(&mut *best) {
            *best = time(in_a_turn, || {
                black_box(pass());
            })
            .min(*best);
        }
    }
}
