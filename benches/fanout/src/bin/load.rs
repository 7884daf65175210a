//! Opens connections to a server, publishes events, and prints one row of the table: what they cost the server, and
//! when they arrived. Fails if a connection did not receive every event once and in order.

use anyhow::{Context, bail};
use eventwire_fanout::{Fanout, Processes, quantile};
use std::env;

// One thread, so that the servers have at least one processor for themselves.
#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [name, address, pid, readers, events, per_second] = &args[..] else {
        bail!("usage: load NAME ADDRESS PID CONNECTIONS EVENTS EVENTS-PER-SECOND");
    };
    let fanout = Fanout { readers: readers.parse()?, events: events.parse()?, per_second: per_second.parse()? };
    let server = Processes::of(pid).with_context(|| format!("{name} does not run"))?;
    let figures = fanout.run(address, address, &server).await?;

    let mut delays: Vec<_> = figures.receipts.iter().map(|receipt| receipt.delay).collect();
    delays.sort_unstable();
    println!(
        "| {name} | {readers} | {:.1} | {:.1} | {:.1} | {:.1} |",
        figures.processor_time.as_secs_f64() * 1e6 / (fanout.readers * fanout.events) as f64,
        figures.memory / fanout.readers as f64,
        quantile(&delays, 0.5),
        quantile(&delays, 0.99),
    );
    fanout.check(&figures.receipts)
}
