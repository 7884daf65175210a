//! Measures what it takes to send one event to a thousand readers, each of whom has a body with keep-alives, and prints the figures
//! as Markdown.
//!
//! The channel between the event and the readers is the same for all, and as little as it can be: a number that says how many events
//! were sent, and the event, which each reader clones. After each event every body is polled until it has nothing more to give, as a
//! server does.

#[path = "../../head.rs"]
mod head;
#[path = "../../rounds.rs"]
mod rounds;
#[expect(dead_code, reason = "there are no megabytes here")]
#[path = "../../turns.rs"]
mod turns;

mod channel;
mod contender;
mod readers;

use crate::contender::{Broadcast, CONTENDERS, OURS, RIVAL};
use std::process::ExitCode;

const USAGE: &str = "usage: cargo run --release --bin broadcast -- [--rounds N]";

/// How many times as fast as axum eventwire's bodies must be, and mean to be.
const BAR: f64 = 1.0;
const AIM: f64 = 1.3;

const READERS: usize = 1000;
/// In one pass.
const EVENTS: usize = 4;
/// Bytes of data.
const SIZES: [usize; 3] = [30, 300, 4096];

fn main() -> ExitCode {
    let Some(rounds) = rounds::asked() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    // Sleeps need a runtime. No time passes in it, so no keep-alive is ever sent.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let _entered = runtime.enter();
    run(rounds);
    ExitCode::SUCCESS
}

fn run(rounds: usize) {
    println!("{}\n", head::line());
    println!("Nanoseconds for one event to one of {READERS} readers, the best of {rounds} rounds.\n");
    let names: Vec<&str> = CONTENDERS.iter().map(|contender| contender.name).collect();
    let place = |wanted: &str| names.iter().position(|name| *name == wanted).expect("a contender");
    let heads = OURS.map(|ours| format!("{RIVAL} / {ours}"));
    println!("| bytes | {} | {} |", names.join(" | "), heads.join(" | "));
    println!("|{}", " --- |".repeat(1 + names.len() + heads.len()));
    for size in SIZES {
        let text = "a line of a chat, or a price. ".chars().cycle().take(size).collect::<String>().leak();
        let passes =
            CONTENDERS.map(|contender| (contender.prepare)(Broadcast { text, readers: READERS, events: EVENTS }));
        let best = rounds::race(passes.each_ref().map(|pass| &**pass), rounds);
        let nanos = best.map(|best| best.as_secs_f64() * 1e9 / (READERS * EVENTS) as f64);
        let ratios = OURS.map(|ours| {
            let ratio = nanos[place(RIVAL)] / nanos[place(ours)];
            let mark = if ratio < BAR {
                " (below the bar)"
            } else if ratio < AIM {
                " (below the aim)"
            } else {
                ""
            };
            format!("{ratio:.2}{mark}")
        });
        let cells: Vec<String> = nanos.iter().map(|nanos| format!("{nanos:.0}")).chain(ratios).collect();
        println!("| {size} | {} |", cells.join(" | "));
    }
}
