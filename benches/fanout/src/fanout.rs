//! Events at a steady rate, to many readers.

use crate::{
    client::{self, PATIENCE, Publisher, Reader},
    server::Server,
};
use anyhow::{Context, ensure};
use futures_util::future::try_join_all;
use std::time::Duration;
use tokio::time::{self, Instant, MissedTickBehavior};

/// What is sent to whom.
pub struct Fanout {
    pub readers: usize,
    pub events: usize,
    pub per_second: f64,
}

/// What it took.
pub struct Figures {
    /// For each reader, the time from publishing each event to its receipt.
    pub delays: Vec<Vec<Duration>>,
    /// Events per second, as they were published.
    pub per_second: f64,
    /// Processor time of the server, from before the first event to the last receipt, per event and reader, in µs.
    pub cpu: f64,
    /// Of the server at the end, less that before the first connection, per reader, in KiB.
    pub memory: f64,
}

impl Fanout {
    /// Opens the readers of a server, and publishes the events to the server with this port, the same or another one.
    /// Fails unless every reader receives every event once and in order.
    pub async fn run(&self, server: &Server, publish_to: u16) -> anyhow::Result<Figures> {
        let idle = server.memory()?;
        let mut tasks = Vec::new();
        for number in 0..self.readers {
            let reader = Reader::open(server.port).await.with_context(|| format!("after {number} connections"))?;
            tasks.push(tokio::spawn(reader.read(self.events)));
        }
        // Some servers subscribe a reader shortly after they have sent the head.
        time::sleep(Duration::from_secs(1)).await;

        let before = server.processor_time()?;
        let mut publisher = Publisher::open(publish_to, 1).await?;
        let mut ticks = time::interval(Duration::from_secs_f64(1.0 / self.per_second));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let started = Instant::now();
        for number in 0..self.events {
            ticks.tick().await;
            publisher[0].publish(number).await?;
        }
        let per_second = self.events as f64 / (started.elapsed().as_secs_f64() + 1.0 / self.per_second);
        let read = time::timeout(PATIENCE, try_join_all(tasks)).await.context("an event was lost")??;

        let processor_time = (server.processor_time()? - before).as_secs_f64();
        let cpu = processor_time * 1e6 / (self.readers * self.events) as f64;
        let memory = (server.memory()? - idle) / self.readers as f64;
        let (mut readers, mut delays) = (Vec::new(), Vec::new());
        for result in read {
            let (reader, receipts) = result?;
            ensure!(receipts.iter().map(|(number, _)| *number).eq(0..self.events), "events came twice or out of order");
            readers.push(reader);
            delays.push(receipts.into_iter().map(|(_, delay)| delay).collect());
        }
        client::check_end(readers).await?;
        Ok(Figures { delays, per_second, cpu, memory })
    }
}

/// The median and the 99th percentile, in milliseconds.
pub fn quantiles(mut times: Vec<Duration>) -> [f64; 2] {
    times.sort_unstable();
    [0.5, 0.99].map(|part| times[(part * times.len() as f64) as usize].as_secs_f64() * 1e3)
}

#[test]
fn quantiles_are_in_milliseconds() {
    assert_eq!(quantiles((0..100).rev().map(Duration::from_millis).collect()), [50.0, 99.0]);
}
