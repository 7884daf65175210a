//! Measures the cost of sending one event to a thousand readers, each with a body that sends keep-alives, and prints
//! the figures as Markdown.
//!
//! All contenders use the same minimal channel between the event and the readers: the number of events sent, and the
//! event, which each reader clones. After each event, every body is polled until it is pending, as in a server.

#[path = "../../head.rs"]
mod head;
#[path = "../../rounds.rs"]
mod rounds;
#[expect(dead_code, reason = "no result is in megabytes")]
#[path = "../../turns.rs"]
mod turns;

mod channel;
mod contender;
mod readers;

use crate::contender::{Broadcast, CONTENDERS, OURS, RIVAL};
use std::process::ExitCode;

const USAGE: &str = "usage: cargo run --release --bin broadcast -- [--rounds N]";

/// The required throughput as a multiple of axum's, and the aim.
const BAR: f64 = 1.0;
const AIM: f64 = 1.3;

const READERS: usize = 1000;
/// The number of events in one pass.
const EVENTS: usize = 4;
/// Bytes of data.
const SIZES: [usize; 3] = [30, 300, 4096];

fn main() -> ExitCode {
    let Some(rounds) = rounds::asked() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    // Sleeps need a runtime. The clock of this one never advances, so no keep-alive is ever sent.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let _entered = runtime.enter();
    run(rounds);
    ExitCode::SUCCESS
}

fn run(rounds: usize) {
    println!("{}\n", head::line());
    println!("Nanoseconds per event and reader, with {READERS} readers, the best of {rounds} rounds.\n");
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
