//! A turn: a contender runs for a while, before the next one does.

use std::time::{Duration, Instant};

/// The length of a turn, so that the clock and the first cold pass hardly matter.
const TURN: Duration = Duration::from_millis(15);

pub(crate) fn passes_in_a_turn(pass: Duration) -> u32 {
    (TURN.as_secs_f64() / pass.as_secs_f64()).ceil().max(1.0) as u32
}

/// Returns the average time of this many passes.
pub(crate) fn time(passes: u32, mut pass: impl FnMut()) -> Duration {
    let start = Instant::now();
    for _ in 0..passes {
        pass();
    }
    start.elapsed() / passes
}

pub(crate) fn per_second(bytes: usize, duration: Duration) -> f64 {
    bytes as f64 / duration.as_secs_f64()
}
