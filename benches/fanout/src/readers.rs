//! Readers of one stream.

use crate::{PATIENCE, client};
use anyhow::{Context, ensure};
use eventwire::Decoder;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use std::{
    iter,
    sync::LazyLock,
    time::{Duration, Instant},
};
use tokio::{
    sync::mpsc::{self, UnboundedReceiver, UnboundedSender},
    time,
};

/// The length of an event's data.
const DATA: usize = 100;
/// Times are relative to this one. `Instant` is `CLOCK_MONOTONIC`.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Returns the data of an event with this number, which contains the time.
pub fn stamped(number: usize) -> String {
    format!("{:.<DATA$}", format!("{number} {} ", START.elapsed().as_nanos()))
}

/// Open streams, each with a task that reads it.
pub struct Readers {
    receipts: UnboundedReceiver<anyhow::Result<Receipt>>,
}

/// A reader has received an event.
#[derive(Clone, Copy)]
pub struct Receipt {
    pub reader: usize,
    /// The number of the event.
    pub event: usize,
    /// The time since it was stamped.
    pub delay: Duration,
}

impl Readers {
    /// Opens the streams one after the other.
    pub async fn open(address: &str, count: usize) -> anyhow::Result<Readers> {
        LazyLock::force(&START);
        let (sender, receipts) = mpsc::unbounded_channel();
        for reader in 0..count {
            let body = client::subscribe(address).await.with_context(|| format!("after {reader} connections"))?;
            tokio::spawn(read(reader, body, sender.clone()));
        }
        // Some servers subscribe a reader shortly after they have sent the head.
        time::sleep(Duration::from_secs(1)).await;
        Ok(Readers { receipts })
    }

    /// Waits for this many receipts of all readers together, and returns those that came in time.
    pub async fn receive(&mut self, count: usize) -> anyhow::Result<Vec<Receipt>> {
        let mut received = Vec::with_capacity(count);
        let deadline = time::Instant::now() + PATIENCE;
        while received.len() < count
            && let Ok(Some(receipt)) = time::timeout_at(deadline, self.receipts.recv()).await
        {
            received.push(receipt?);
        }
        Ok(received)
    }

    /// Returns the receipts after those that were expected. There should be none.
    pub async fn rest(&mut self) -> anyhow::Result<Vec<Receipt>> {
        time::sleep(Duration::from_millis(200)).await;
        iter::from_fn(|| self.receipts.try_recv().ok()).collect()
    }
}

async fn read(reader: usize, body: Incoming, receipts: UnboundedSender<anyhow::Result<Receipt>>) {
    if let Err(error) = try_read(reader, body, &receipts).await {
        // If nobody waits for receipts, all is over.
        let _ = receipts.send(Err(error.context(format!("reader {reader}"))));
    }
}

async fn try_read(
    reader: usize,
    mut body: Incoming,
    receipts: &UnboundedSender<anyhow::Result<Receipt>>,
) -> anyhow::Result<()> {
    let mut decoder = Decoder::new();
    while let Some(frame) = body.frame().await {
        let Ok(bytes) = frame?.into_data() else { continue };
        let now = START.elapsed();
        let mut input = &bytes[..];
        while let Some(event) = decoder.decode(&mut input)? {
            ensure!(event.data().len() == DATA, "unexpected event: {event:?}");
            let mut words = event.data().split(' ');
            let mut number = || anyhow::Ok(words.next().context("no number")?.parse::<u64>()?);
            let (event, stamp) = (number()? as usize, Duration::from_nanos(number()?));
            receipts.send(Ok(Receipt { reader, event, delay: now - stamp }))?;
        }
    }
    Ok(())
}
