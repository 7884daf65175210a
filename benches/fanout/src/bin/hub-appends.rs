//! Publishes events as fast as they are accepted, and prints one row of the second table of `run-hub`. Fails if a
//! reader of another process did not receive every event exactly once.

use anyhow::{Context, bail, ensure};
use eventwire_fanout::{Processes, Publisher, Readers, stamped};
use std::{
    env,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Instant,
};
use tokio::task::JoinSet;

/// The events of a round. Both logs keep as many, so a slow reader can miss none.
const EVENTS: usize = 10_000;
/// The median counts, so the first one warms up.
const ROUNDS: usize = 11;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [name, publish_to, read_from, redis, publishers] = &args[..] else {
        bail!("usage: hub-appends NAME ADDRESS-OR-REDIS-URL READERS-ADDRESS REDIS-PID PUBLISHERS");
    };
    let redis = Processes::of(redis).context("Redis does not run")?;
    let mut readers = Readers::open(read_from, 1).await?;
    let mut publishers = Publisher::open(publish_to, publishers.parse()?).await?;

    let before = redis.processor_time()?;
    let mut times = Vec::new();
    let mut received = vec![0; ROUNDS * EVENTS];
    for round in 1..=ROUNDS {
        let next = Arc::new(AtomicUsize::new((round - 1) * EVENTS));
        let mut tasks = JoinSet::new();
        let started = Instant::now();
        for mut publisher in publishers.drain(..) {
            let next = Arc::clone(&next);
            tasks.spawn(async move {
                loop {
                    match next.fetch_add(1, Relaxed) {
                        number if number < round * EVENTS => publisher.publish(stamped(number)).await?,
                        _ => return anyhow::Ok(publisher),
                    }
                }
            });
        }
        while let Some(publisher) = tasks.join_next().await {
            publishers.push(publisher??);
        }
        times.push(started.elapsed());
        for receipt in readers.receive(EVENTS).await? {
            received[receipt.event] += 1;
        }
    }
    let processor_time = redis.processor_time()? - before;
    for receipt in readers.rest().await? {
        received[receipt.event] += 1;
    }
    times.sort_unstable();
    println!(
        "| {name} | {} | {:.0} | {:.1} |",
        publishers.len(),
        EVENTS as f64 / times[ROUNDS / 2].as_secs_f64(),
        processor_time.as_secs_f64() * 1e6 / (ROUNDS * EVENTS) as f64,
    );
    let lost = received.iter().filter(|count| **count == 0).count();
    let twice = received.iter().filter(|count| **count > 1).count();
    ensure!(lost == 0 && twice == 0, "{lost} of {} events were lost, {twice} came more than once", ROUNDS * EVENTS);
    Ok(())
}
