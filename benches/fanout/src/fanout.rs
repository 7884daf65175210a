//! Events at a steady rate, to many readers.

use crate::{Processes, Publisher, Readers, Receipt, stamped};
use anyhow::ensure;
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
    pub receipts: Vec<Receipt>,
    /// Events per second, as they were published.
    pub per_second: f64,
    /// Of the server, from before the first event to the last receipt.
    pub processor_time: Duration,
    /// Of the server at the end, less that before the first connection, in KiB.
    pub memory: f64,
}

impl Fanout {
    /// Opens the readers of a server, and publishes the events to the same server or to another one. `server` is that
    /// of the readers.
    pub async fn run(&self, publish_to: &str, read_from: &str, server: &Processes) -> anyhow::Result<Figures> {
        let idle = server.memory()?;
        let mut readers = Readers::open(read_from, self.readers).await?;

        let before = server.processor_time()?;
        let mut publisher = Publisher::open(publish_to, 1).await?;
        let mut ticks = time::interval(Duration::from_secs_f64(1.0 / self.per_second));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let started = Instant::now();
        for number in 0..self.events {
            ticks.tick().await;
            publisher[0].publish(stamped(number)).await?;
        }
        let per_second = self.events as f64 / (started.elapsed().as_secs_f64() + 1.0 / self.per_second);
        let mut receipts = readers.receive(self.readers * self.events).await?;

        let (processor_time, memory) = (server.processor_time()? - before, server.memory()? - idle);
        receipts.extend(readers.rest().await?);
        Ok(Figures { receipts, per_second, processor_time, memory })
    }

    /// Fails unless every reader has received every event once and in order.
    pub fn check(&self, receipts: &[Receipt]) -> anyhow::Result<()> {
        let mut next = vec![0; self.readers];
        for receipt in receipts {
            let (reader, event, expected) = (receipt.reader, receipt.event, next[receipt.reader]);
            ensure!(event == expected, "reader {reader} received event {event} instead of event {expected}");
            next[reader] += 1;
        }
        let expected = self.readers * self.events;
        ensure!(receipts.len() == expected, "{} of {expected} events were received", receipts.len());
        Ok(())
    }
}

/// A quantile of sorted times, in milliseconds.
pub fn quantile(sorted: &[Duration], part: f64) -> f64 {
    let time = sorted.get((part * sorted.len() as f64) as usize);
    time.map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
}
