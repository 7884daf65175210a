//! What is measured of a log.

use crate::delay;
use anyhow::{Context, ensure};
use eventwire::Event;
use eventwire_hub::{History, Hub, Log, Resume, StreamPosition, Topic};
use futures_util::{StreamExt, future::try_join_all};
use std::{
    hash::{BuildHasher, RandomState},
    time::{Duration, Instant},
};
use tokio::time;

/// How many events are stored in the end.
pub const STORED: u64 = 1_000_000;
/// How many events the reader that returns has missed.
const MISSED: u64 = 100_000;
/// How many senders there are at once.
pub const SENDERS: [usize; 3] = [1, 10, 200];
/// Of the figures of so many rounds, the median counts.
const ROUNDS: usize = 5;
/// The length of a round of appends.
const ROUND: Duration = Duration::from_secs(2);
/// How long a reader may take.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Speed {
    /// For each number of senders, appends a second.
    pub appends: [f64; SENDERS.len()],
    /// From `send` to a reader of another process.
    pub delay: Option<[Duration; 2]>,
}

/// Measures how fast events are stored, and arrive.
pub async fn speed<L: Log>(log: L, child: Option<[&str; 2]>) -> anyhow::Result<Speed> {
    let (hub, topic) = (Hub::new(log), Topic::new("appends")?);
    let mut appends = [0.0; SENDERS.len()];
    for (figure, senders) in appends.iter_mut().zip(SENDERS) {
        // The first round warms up.
        let mut rounds = Vec::new();
        for _ in 0..=ROUNDS {
            rounds.push(append(&hub, &topic, senders).await?);
        }
        *figure = median(&mut rounds[1..]);
    }
    let delay = match child {
        Some(child) => Some(delay::measure(&hub, child).await?),
        None => None,
    };
    Ok(Speed { appends, delay })
}

/// Stores events in an empty log, which is opened anew each time. Returns how long a reader needs who has missed some.
pub async fn resume<L: Log>(open: impl Fn() -> anyhow::Result<L>) -> anyhow::Result<Duration> {
    let topic = Topic::new("stored")?;
    let last = fill(&Hub::new(open()?), &topic).await?;
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        rounds.push(read_missed(open()?, &topic, last).await?);
    }
    Ok(median(&mut rounds))
}

fn median<T: Copy + PartialOrd>(figures: &mut [T]) -> T {
    figures.sort_unstable_by(|a, b| a.partial_cmp(b).expect("no figure is NaN"));
    figures[figures.len() / 2]
}

/// 100 random digits, which cannot be compressed much.
fn event() -> Event {
    let words: String = (0..7).map(|_| format!("{:016x}", RandomState::new().hash_one(()))).collect();
    Event::new(&words[..100])
}

/// Sends as fast as the log accepts, and returns how many events it accepts in a second.
async fn append<L: Log>(hub: &Hub<L>, topic: &Topic, senders: usize) -> anyhow::Result<f64> {
    let started = Instant::now();
    let counts = try_join_all((0..senders).map(async |_| {
        let mut count = 0;
        while started.elapsed() < ROUND {
            hub.send(topic, &event()).await?;
            count += 1;
        }
        anyhow::Ok(count)
    }))
    .await?;
    Ok(f64::from(counts.iter().sum::<u32>()) / started.elapsed().as_secs_f64())
}

/// Stores so many events, and returns the position of the last one.
async fn fill<L: Log>(hub: &Hub<L>, topic: &Topic) -> anyhow::Result<StreamPosition> {
    let sent = try_join_all((0..1000).map(async |_| {
        let mut last = None;
        for _ in 0..STORED / 1000 {
            last = Some(hub.send(topic, &event()).await?);
        }
        anyhow::Ok(last)
    }))
    .await?;
    let last = sent.into_iter().flatten().max_by_key(|at| at.sequence()).context("nothing was sent")?;
    ensure!(last.sequence() == STORED, "the last event is {last}");
    Ok(last)
}

/// Returns after how long a reader, who was away, has every event.
async fn read_missed<L: Log>(log: L, topic: &Topic, last: StreamPosition) -> anyhow::Result<Duration> {
    // As small as it can be, so that what is measured is the log.
    let hub = Hub::new(log).with_history(History::new().with_max_events(1));
    let id = StreamPosition::new(last.epoch(), last.sequence() - MISSED).to_string();
    let started = Instant::now();
    let reader = hub.subscribe(topic, Resume::After(id.as_bytes().into())).await?;
    // The opening is no event.
    let count = async { reader.skip(1).take(MISSED as usize).count().await };
    let count = time::timeout(PATIENCE, count).await.context("the reader is stuck")?;
    ensure!(count as u64 == MISSED);
    Ok(started.elapsed())
}
