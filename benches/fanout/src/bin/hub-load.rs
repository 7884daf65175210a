//! Publishes events to one process, for readers of another, and prints one row of the first table of `run-hub`: when
//! they arrived, and what they cost the server of the readers. Fails if a reader did not receive every event once and
//! in order.

use anyhow::{Context, bail};
use eventwire_fanout::{Fanout, Processes, quantile};
use std::{env, time::Duration};

/// The delays of the first events are not counted: connections to Redis are opened, and scripts are loaded.
const WARM_UP: usize = 10;
/// With fewer readers, the memory of one cannot be told from noise.
const READERS_FOR_MEMORY: usize = 1000;

// One thread, so that the servers have at least one processor for themselves.
#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [name, publish_to, read_from, pid, readers, events, per_second] = &args[..] else {
        bail!("usage: hub-load NAME ADDRESS-OR-REDIS-URL READERS-ADDRESS READERS-PID READERS EVENTS EVENTS-PER-SECOND");
    };
    let fanout = Fanout {
        readers: readers.parse()?,
        events: WARM_UP + events.parse::<usize>()?,
        per_second: per_second.parse()?,
    };
    let server = Processes::of(pid).with_context(|| format!("{name} does not run"))?;
    let figures = fanout.run(publish_to, read_from, &server).await?;

    let mut delays = Vec::with_capacity(figures.receipts.len());
    let mut last = vec![Duration::ZERO; fanout.events];
    for receipt in figures.receipts.iter().filter(|receipt| receipt.event >= WARM_UP) {
        delays.push(receipt.delay);
        last[receipt.event] = last[receipt.event].max(receipt.delay);
    }
    delays.sort_unstable();
    last.sort_unstable();
    let last = &last[WARM_UP..];
    let memory = match fanout.readers {
        READERS_FOR_MEMORY.. => format!("{:.1}", figures.memory / fanout.readers as f64),
        _ => "-".to_owned(),
    };
    println!(
        "| {name} | {readers} | {:.1} | {:.2} | {:.2} | {:.2} | {:.2} | {:.1} | {memory} |",
        figures.per_second,
        quantile(&delays, 0.5),
        quantile(&delays, 0.99),
        quantile(last, 0.5),
        quantile(last, 0.99),
        figures.processor_time.as_secs_f64() * 1e6 / (fanout.readers * fanout.events) as f64,
    );
    fanout.check(&figures.receipts)
}
