//! Two processes, A and B, that share a Redis. Events are published at A, and the readers are connected to B.

use crate::{
    client::{self, PATIENCE, Publisher, Reader},
    fanout::{Fanout, quantiles},
    report::{Report, output},
    serve::REDIS,
    server::Server,
};
use anyhow::{Context, ensure};
use futures_util::future::try_join_all;
use std::{
    cell::Cell,
    time::{Duration, Instant},
};
use tokio::time;

const A: u16 = 18411;
const B: u16 = 18412;

/// The delays of the first events are not counted: connections to Redis are opened, and scripts are loaded.
const WARM_UP: usize = 10;
const WORKLOADS: [Fanout; 5] = [
    Fanout { readers: 1, events: WARM_UP + 1000, per_second: 100.0 },
    Fanout { readers: 100, events: WARM_UP + 1000, per_second: 100.0 },
    Fanout { readers: 1000, events: WARM_UP + 1000, per_second: 100.0 },
    Fanout { readers: 1000, events: WARM_UP + 200, per_second: 20.0 },
    Fanout { readers: 10_000, events: WARM_UP + 40, per_second: 2.0 },
];
/// With fewer readers, the memory of one cannot be told from noise.
const READERS_FOR_MEMORY: usize = 1000;

/// The events of a round of the second table. Both logs keep as many, so a slow reader can miss none.
const EVENTS: usize = 10_000;
/// The median counts, so the first one warms up.
const ROUNDS: usize = 11;

struct System {
    name: &'static str,
    server: &'static str,
    /// A, or Redis if the client itself is A.
    publish_to: u16,
    /// How many there are in the second table.
    publishers: usize,
}

pub fn measure(report: &mut Report) {
    if !report.is_installed("redis") || !report.is_installed("eventwire-hub") {
        return;
    }
    let mut systems = vec![
        System { name: "`Hub`, POST", server: "hub", publish_to: A, publishers: 64 },
        System { name: "`Hub::send`", server: "hub", publish_to: REDIS, publishers: 200 },
    ];
    if report.is_installed("nchan") {
        systems.push(System { name: "nchan, POST", server: "nchan-redis", publish_to: A, publishers: 64 });
    }
    println!(
        "| system | readers | events/s | p50 (ms) | p99 (ms) | last p50 (ms) | last p99 (ms) | CPU of B (µs) | memory (KiB) |
|---|---|---|---|---|---|---|---|---|"
    );
    for system in &systems {
        WORKLOADS.iter().for_each(|fanout| report.add(system.name, system.delays(fanout)));
    }
    println!("\n| system | at once | events/s | CPU of Redis (µs) |\n|---|---|---|---|");
    for system in &systems {
        report.add(system.name, system.appends());
    }
    report.add("XADD", xadd(64, 1));
    report.add("XADD", xadd(1, 200));
}

impl System {
    /// Starts Redis, A and B.
    fn start(&self) -> anyhow::Result<[Server; 3]> {
        Ok([Server::start("redis", REDIS)?, Server::start(self.server, A)?, Server::start(self.server, B)?])
    }

    /// Returns a row of the first table.
    fn delays(&self, fanout: &Fanout) -> anyhow::Result<String> {
        let [_redis, _a, b] = self.start()?;
        let figures = client::run(fanout.run(&b, self.publish_to))?;

        let delays = figures.delays.iter().flat_map(|delays| &delays[WARM_UP..]).copied().collect();
        let last = |event| figures.delays.iter().map(|delays: &Vec<Duration>| delays[event]).max().unwrap_or_default();
        let ([p50, p99], [last_p50, last_p99]) =
            (quantiles(delays), quantiles((WARM_UP..fanout.events).map(last).collect()));
        let memory = match fanout.readers {
            READERS_FOR_MEMORY.. => format!("{:.1}", figures.memory),
            _ => "-".to_owned(),
        };
        let (name, readers, per_second, cpu) = (self.name, fanout.readers, figures.per_second, figures.cpu);
        Ok(format!(
            "| {name} | {readers} | {per_second:.1} | {p50:.2} | {p99:.2} | {last_p50:.2} | {last_p99:.2} | {cpu:.1} | {memory} |"
        ))
    }

    /// Returns a row of the second table.
    fn appends(&self) -> anyhow::Result<String> {
        let [redis, _a, _b] = self.start()?;
        client::run(self.append(&redis))
    }

    /// Publishes events as fast as they are accepted. Fails unless a reader receives every event once.
    async fn append(&self, redis: &Server) -> anyhow::Result<String> {
        let mut reader = Reader::open(B).await?;
        time::sleep(Duration::from_secs(1)).await;
        let mut publishers = Publisher::open(self.publish_to, self.publishers).await?;

        let before = redis.processor_time()?;
        let (mut times, mut received) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            let reading = tokio::spawn(reader.read(EVENTS));
            let next = Cell::new(round * EVENTS);
            let started = Instant::now();
            try_join_all(publishers.iter_mut().map(async |publisher| {
                while next.get() < (round + 1) * EVENTS {
                    publisher.publish(next.replace(next.get() + 1)).await?;
                }
                anyhow::Ok(())
            }))
            .await?;
            times.push(started.elapsed());
            let receipts;
            (reader, receipts) = time::timeout(PATIENCE, reading).await.context("an event was lost")???;
            received.extend(receipts.into_iter().map(|(number, _)| number));
        }
        let processor_time = redis.processor_time()? - before;
        client::check_end([reader]).await?;
        received.sort_unstable();
        ensure!(received.into_iter().eq(0..ROUNDS * EVENTS), "an event came twice");

        times.sort_unstable();
        let per_second = EVENTS as f64 / times[ROUNDS / 2].as_secs_f64();
        let cpu = processor_time.as_secs_f64() * 1e6 / (ROUNDS * EVENTS) as f64;
        Ok(format!("| {} | {} | {per_second:.0} | {cpu:.1} |", self.name, self.publishers))
    }
}

/// Returns a row of the second table for Redis alone.
fn xadd(connections: usize, commands: usize) -> anyhow::Result<String> {
    let _redis = Server::start("redis", REDIS)?;
    let command = format!("XADD stream MAXLEN ~ 10000 * e {}", ".".repeat(100));
    let csv = output(&format!("redis-benchmark -p {REDIS} -n 200000 -c {connections} -P {commands} --csv {command}"))?;
    let per_second = csv.lines().last().and_then(|line| line.split('"').nth(3)).context("there is no figure")?;
    Ok(format!("| `XADD` alone | {} | {:.0} | - |", connections * commands, per_second.parse::<f64>()?))
}
