//! The race of all benchmarks: the entries of a row take turns, and the best turn of each counts.

use std::{
    any::Any,
    hint::black_box,
    panic::{self, AssertUnwindSafe},
    time::{Duration, Instant},
};

/// One way to do the work of a row.
pub struct Entry<'a> {
    pub name: &'static str,
    by: By,
    pass: Pass<'a>,
}

/// Does the work once, and returns the number of events, parts or bytes that came out.
type Pass<'a> = Box<dyn Fn() -> Result<usize, String> + 'a>;

#[derive(PartialEq)]
enum By {
    Us,
    Rival,
}

/// A turn is this long, so that the clock and the first cold pass hardly matter.
const TURN: Duration = Duration::from_millis(15);

/// Returns the best time of each entry for one pass, or why it has none. In each round every entry gets one turn, so
/// that a disturbance of the machine affects all of them.
pub fn race(entries: &[Entry<'_>], expected: usize, rounds: usize) -> Vec<Result<Duration, String>> {
    let passes_in_a_turn: Vec<Result<u32, String>> = entries
        .iter()
        .map(|entry| {
            let start = Instant::now();
            entry.attempt(expected)?;
            Ok((TURN.as_secs_f64() / start.elapsed().as_secs_f64()).ceil().max(1.0) as u32)
        })
        .collect();
    let mut best = vec![Duration::MAX; entries.len()];
    for _ in 0..rounds {
        for ((entry, passes), best) in entries.iter().zip(&passes_in_a_turn).zip(&mut best) {
            let Ok(passes) = *passes else { continue };
            let start = Instant::now();
            for _ in 0..passes {
                entry.counted_pass(expected);
            }
            *best = (start.elapsed() / passes).min(*best);
        }
    }
    best.into_iter().zip(passes_in_a_turn).map(|(best, passes)| passes.map(|_| best)).collect()
}

impl<'a> Entry<'a> {
    /// An entry of eventwire's, or a limit. A wrong result stops the program.
    pub fn ours(name: &'static str, pass: impl Fn() -> Result<usize, String> + 'a) -> Entry<'a> {
        Entry { name, by: By::Us, pass: Box::new(pass) }
    }

    /// An entry of another crate. An error, a panic or a wrong number is its result.
    pub fn rival(name: &'static str, pass: impl Fn() -> Result<usize, String> + 'a) -> Entry<'a> {
        Entry { name, by: By::Rival, pass: Box::new(pass) }
    }

    /// One pass after a correct one. A separate function, which callgrind finds by its name.
    #[inline(never)]
    pub fn counted_pass(&self, expected: usize) {
        assert_eq!(black_box((self.pass)()), Ok(expected), "another pass of {}", self.name);
    }

    /// The first pass.
    fn attempt(&self, expected: usize) -> Result<(), String> {
        if self.by == By::Us {
            self.counted_pass(expected);
            return Ok(());
        }
        // Nothing is printed for a panic, because the table reports it.
        let hook = panic::take_hook();
        panic::set_hook(Box::new(|_| {}));
        let came_out = panic::catch_unwind(AssertUnwindSafe(&self.pass));
        panic::set_hook(hook);
        match came_out.unwrap_or_else(|panic| Err(format!("a panic, {}", words_of(&*panic)))) {
            Ok(count) if count == expected => Ok(()),
            Ok(count) => Err(format!("{count} instead of {expected}")),
            Err(error) => Err(error.chars().take(80).collect()),
        }
    }
}

fn words_of(panic: &(dyn Any + Send)) -> &str {
    let constant = panic.downcast_ref::<&str>().copied();
    let built = || panic.downcast_ref::<String>().map(String::as_str);
    constant.or_else(built).unwrap_or("no message")
}
