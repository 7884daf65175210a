//! How long an event takes to a reader of another process.

use anyhow::{Context, ensure};
use eventwire::{Decoder, Event};
use eventwire_hub::{Hub, Log, Resume, Topic};
use futures_util::StreamExt;
use std::{
    env,
    process::Stdio,
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::Command,
    time,
};

const TOPIC: &str = "delay";
/// The first events are not counted: connections are opened, and statements prepared.
const WARM_UP: usize = 20;
const EVENTS: usize = 2000;
const PATIENCE: Duration = Duration::from_secs(60);

/// Sends events, and returns the median and the 99th percentile of what a reader of a child process measures.
pub async fn measure<L: Log>(hub: &Hub<L>, child: [&str; 2]) -> anyhow::Result<[Duration; 2]> {
    let topic = Topic::new(TOPIC)?;
    let mut command = Command::new(env::current_exe()?);
    let mut child = command.arg("follow").args(child).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
    let mut lines = BufReader::new(child.stdout.take().context("no output")?).lines();
    ensure!(lines.next_line().await?.as_deref() == Some("ready"), "the reader has ended");
    for number in 0..WARM_UP + EVENTS {
        // 5 to 15 ms, so that no timer keeps step with the events.
        time::sleep(Duration::from_micros(5000 + (number as u64 * 7919) % 10_000)).await;
        hub.send(&topic, &Event::new(now().as_nanos().to_string())).await?;
    }
    let mut delays = Vec::new();
    for _ in 0..WARM_UP + EVENTS {
        let line = time::timeout(PATIENCE, lines.next_line()).await.context("an event was lost")??;
        delays.push(Duration::from_nanos(line.context("the reader has ended")?.parse()?));
    }
    let counted = &mut delays[WARM_UP..];
    counted.sort_unstable();
    Ok([counted[EVENTS / 2], counted[EVENTS * 99 / 100]])
}

/// Follows the topic, and prints after how many nanoseconds each event has arrived.
pub async fn follow<L: Log>(log: L) -> anyhow::Result<()> {
    let hub = Hub::new(log);
    let mut reader = hub.subscribe(&Topic::new(TOPIC)?, Resume::Live).await?;
    println!("ready");
    let mut decoder = Decoder::new();
    while let Some(bytes) = reader.next().await {
        let now = now();
        let mut bytes = bytes.as_ref();
        while let Some(event) = decoder.decode(&mut bytes)? {
            ensure!(event.event_type() == "message", "a gap");
            println!("{}", now.as_nanos() - event.data().parse::<u128>()?);
        }
    }
    Ok(())
}

/// All processes of a machine have this clock.
fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
