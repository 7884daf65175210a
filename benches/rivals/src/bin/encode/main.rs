//! Measures how fast eventwire and other crates write events, from the same texts, in interleaved rounds, and prints
//! the figures as Markdown.

#[expect(dead_code, reason = "the recordings and the chunk sizes are only for readers")]
#[path = "../../../../corpora.rs"]
mod corpora;
#[path = "../../head.rs"]
mod head;
#[path = "../../rounds.rs"]
mod rounds;
#[path = "../../turns.rs"]
mod turns;

mod contender;
mod message;

use crate::{
    contender::{CONTENDERS, Contender, Messages, OURS, RIVALS},
    message::Message,
    turns::per_second,
};
use std::process::ExitCode;

const USAGE: &str = "usage: cargo run --release --bin encode -- [--rounds N]";

/// The goal for eventwire's throughput, as a multiple of axum's encoder.
const BAR: f64 = 2.0;

const CORPORA: [&str; 7] = ["openai", "anthropic", "ticks", "tiny", "lines24", "cjk-emoji", "mib"];

fn main() -> ExitCode {
    let Some(rounds) = rounds::asked() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    run(rounds);
    ExitCode::SUCCESS
}

fn run(rounds: usize) {
    println!("{}\n", head::line());
    println!(
        "MB/s of type, ID and data, the best of {rounds} rounds. The first two columns encode existing events, the others"
    );
    println!("borrowed texts.\n");
    let names: Vec<&str> = CONTENDERS.iter().map(|contender| contender.name).collect();
    let pairs: Vec<(&str, &str)> = OURS.iter().flat_map(|ours| RIVALS.map(|rival| (*ours, rival))).collect();
    let heads: Vec<String> = pairs.iter().map(|(ours, rival)| format!("{ours} / {rival}")).collect();
    println!("| corpus | {} | {} |", names.join(" | "), heads.join(" | "));
    println!("|{}", " --- |".repeat(1 + names.len() + heads.len()));
    let mut all: Vec<Vec<f64>> = Vec::new();
    for name in CORPORA {
        let messages = message::all(&corpora::named(name).expect("a corpus that is built")).leak();
        let bytes = messages.iter().map(Message::len).sum();
        let passes = CONTENDERS.map(|contender| contender.prepare(messages));
        let best = rounds::race(passes.each_ref().map(|pass| &**pass), rounds);
        let speeds = best.map(|best| per_second(bytes, best));
        let speed = |wanted: &str| speeds[names.iter().position(|name| *name == wanted).expect("a contender")];
        let ratios: Vec<f64> = pairs.iter().map(|(ours, rival)| speed(ours) / speed(rival)).collect();
        let speeds = speeds.iter().map(|speed| format!("{:.0}", speed / 1e6));
        let cells: Vec<String> = speeds.chain(ratios.iter().map(|ratio| format!("{ratio:.2}"))).collect();
        println!("| {name} | {} |", cells.join(" | "));
        all.push(ratios);
    }
    println!();
    for (column, head) in heads.iter().enumerate() {
        let logarithms: f64 = all.iter().map(|ratios| ratios[column].ln()).sum();
        println!("Geometric mean of {head}: {:.2}.", (logarithms / all.len() as f64).exp());
    }
    let below = all.iter().zip(CORPORA).filter(|(ratios, _)| ratios[0] < BAR);
    let below: Vec<String> = below.map(|(ratios, name)| format!("{name} ({:.2})", ratios[0])).collect();
    println!("Rows of {} below {BAR}: {} of {}: {}.", heads[0], below.len(), all.len(), below.join(", "));
}

impl Contender {
    /// Returns a pass over the messages, which returns the number of bytes written. Decodes the output first and
    /// compares it with the messages.
    fn prepare(self, messages: Messages) -> Box<dyn Fn() -> usize> {
        message::check(self.name, messages, &(self.written)(messages));
        (self.prepare)(messages)
    }
}
