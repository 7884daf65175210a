//! Many streams at a time through the gateway of the examples, on the loopback interface: client and server in two processes,
//! every event of every stream checked, and the memory that a stream costs on either side.
//!
//! `cargo bench --bench streams --features http-body,json,tokio`; as a test (`cargo test`) it opens fewer. Linux tells how much
//! memory a process has; elsewhere that is left out.

#[path = "streams/client.rs"]
mod client;
#[path = "streams/memory.rs"]
mod memory;
#[path = "../examples/types/openai.rs"]
#[expect(dead_code, reason = "the streams ask for no usage")]
mod openai;
#[path = "streams/peer.rs"]
mod peer;
#[path = "streams/plan.rs"]
mod plan;
#[path = "../examples/gateway/server.rs"]
mod server;

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
    let begun = Instant::now();
    let outcome = tokio::time::timeout(plan.patience, client::run(plan, &peer)).await;
    let outcome = outcome.map_err(|_| format!("not all streams were over after {:?}", plan.patience))??;

    println!(
        "{} streams of {} events, all complete, {:.1} s",
        plan.streams,
        plan.events(),
        begun.elapsed().as_secs_f64()
    );
    println!("open at the same time: {}", outcome.most_open);
    for (side, memory) in [("server", outcome.server), ("client", outcome.client)] {
        match memory {
            Some(memory) => println!("{side}: {} KiB a stream ({memory})", memory.grown() / 1024 / plan.streams),
            None => println!("{side}: memory not measured"),
        }
    }
    if outcome.most_open < plan.streams {
        return Err("some were over before the last had begun; make them longer with --words or --delay".into());
    }
    Ok(())
}
