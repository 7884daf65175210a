//! Many streams at the same time through the gateway, on the loopback interface. Client and server are two
//! processes. Every event of every stream is checked, and the memory that a stream costs on each side is measured.
//!
//! `cargo bench -p gateway --bench streams` opens 8,000 streams. As a test
//! (`cargo test -p gateway --bench streams`) it opens 200. Memory is measured on Linux only.

mod chunk;
mod client;
mod memory;
mod peer;
mod plan;

use std::{env, error::Error, process::ExitCode, time::Instant};

use crate::{peer::Peer, plan::Plan};

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let done = match words.first().map(String::as_str) {
        Some(peer::SERVE) => peer::serve(words.get(1)),
        _ => Plan::parse(&words).and_then(|plan| runtime()?.block_on(run(&plan))),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("streams: {error}");
            ExitCode::FAILURE
        }
    }
}

fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()
}

async fn run(plan: &Plan) -> Result<(), Box<dyn Error>> {
    let peer = Peer::start(plan.delay)?;
    let start = Instant::now();
    let outcome = tokio::time::timeout(plan.patience, client::run(plan, &peer)).await;
    let outcome = outcome.map_err(|_| format!("not all streams ended within {:?}", plan.patience))??;

    println!(
        "{} streams of {} events, all complete, {:.1} s",
        plan.streams,
        plan.events(),
        start.elapsed().as_secs_f64()
    );
    println!("open at the same time: {}", outcome.most_open);
    for (side, memory) in [("server", outcome.server), ("client", outcome.client)] {
        match memory {
            Some(memory) => println!("{side}: {} KiB a stream ({memory})", memory.growth() / 1024 / plan.streams),
            None => println!("{side}: memory not measured"),
        }
    }
    if outcome.most_open < plan.streams {
        return Err("the first streams ended before the last began; make them longer with --words or --delay".into());
    }
    Ok(())
}
