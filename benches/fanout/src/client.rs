//! What publishes and reads events.

use crate::serve::{self, REDIS};
use anyhow::{Context, bail, ensure};
use eventwire::{BodyChunks, Event, Events};
use eventwire_hub::{Hub, Topic};
use eventwire_redis::RedisLog;
use futures_util::{StreamExt, stream};
use http_body_util::BodyExt;
use hyper::{
    Request,
    body::Incoming,
    client::conn::http1::{self, SendRequest},
    http::request::Builder,
};
use hyper_util::rt::TokioIo;
use std::{
    sync::LazyLock,
    time::{Duration, Instant},
};
use tokio::{net::TcpStream, runtime, time};

/// How long an answer or a late event may take.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// The length of an event's data.
const DATA: usize = 100;
/// The times in events are relative to this one.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Runs a client in one thread, so that the servers have at least one processor for themselves.
pub fn run<T>(client: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        // nginx starts its workers after it listens, and answers with 503 until they have connected to Redis.
        time::sleep(Duration::from_secs(1)).await;
        time::timeout(10 * PATIENCE, client).await?
    })
}

pub enum Publisher {
    /// With `POST /publish`, over one connection.
    Post(SendRequest<String>),
    /// With `Hub::send`, in this process.
    Send(Hub<RedisLog>, Topic),
}

impl Publisher {
    /// Creates publishers to a server, each with its own connection; or to Redis, with one hub for all.
    pub async fn open(port: u16, count: usize) -> anyhow::Result<Vec<Publisher>> {
        if port == REDIS {
            let (hub, topic) = serve::open_hub()?;
            return Ok((0..count).map(|_| Publisher::Send(hub.clone(), topic.clone())).collect());
        }
        let mut publishers = Vec::new();
        for _ in 0..count {
            publishers.push(Publisher::Post(connect(port).await?));
        }
        Ok(publishers)
    }

    /// Publishes the event with this number, and waits until it is accepted.
    pub async fn publish(&mut self, number: usize) -> anyhow::Result<()> {
        let data = stamped(number, START.elapsed());
        match self {
            Publisher::Post(connection) => {
                send(connection, Request::post("/publish"), data).await?.collect().await?;
            }
            Publisher::Send(hub, topic) => _ = hub.send(topic, &Event::new(data)).await?,
        }
        Ok(())
    }
}

/// A stream of a server.
pub struct Reader(Events<BodyChunks<Incoming>>);

/// The number of an event, and the time since it was published.
pub type Receipt = (usize, Duration);

impl Reader {
    /// Returns after the head has arrived.
    pub async fn open(port: u16) -> anyhow::Result<Reader> {
        let request = Request::get("/events").header("accept", "text/event-stream");
        Ok(Reader(Events::from_body(send(&mut connect(port).await?, request, String::new()).await?)))
    }

    /// Reads this many events.
    pub async fn read(mut self, count: usize) -> anyhow::Result<(Reader, Vec<Receipt>)> {
        let mut receipts = Vec::with_capacity(count);
        while receipts.len() < count {
            let event = StreamExt::next(&mut self.0).await.context("the stream ended")??;
            receipts.push(receipt(event.data(), START.elapsed())?);
        }
        Ok((self, receipts))
    }
}

/// Returns the data of an event.
fn stamped(number: usize, now: Duration) -> String {
    format!("{:.<DATA$}", format!("{number} {} ", now.as_nanos()))
}

fn receipt(data: &str, now: Duration) -> anyhow::Result<Receipt> {
    ensure!(data.len() == DATA, "unexpected event: {data:?}");
    let [number, time, _] = data.split(' ').collect::<Vec<_>>()[..] else { bail!("unexpected event: {data:?}") };
    Ok((number.parse()?, now - Duration::from_nanos(time.parse()?)))
}

/// Fails if a reader receives another event.
pub async fn check_end(readers: impl IntoIterator<Item = Reader>) -> anyhow::Result<()> {
    let mut events = stream::select_all(readers.into_iter().map(|reader| reader.0));
    ensure!(time::timeout(Duration::from_millis(200), events.next()).await.is_err(), "an event came twice");
    Ok(())
}

async fn connect(port: u16) -> anyhow::Result<SendRequest<String>> {
    let stream = TcpStream::connect(("127.0.0.1", port)).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    Ok(sender)
}

async fn send(to: &mut SendRequest<String>, request: Builder, body: String) -> anyhow::Result<Incoming> {
    to.ready().await?;
    let request = request.header("host", "localhost").body(body)?;
    let response = time::timeout(PATIENCE, to.send_request(request)).await??;
    ensure!(response.status().is_success(), "the answer is {}", response.status());
    Ok(response.into_body())
}

#[test]
fn an_event_tells_its_number_and_time() {
    let [published, received] = [5, 8].map(Duration::from_secs);
    assert_eq!(receipt(&stamped(7, published), received).unwrap(), (7, Duration::from_secs(3)));
    assert!(receipt("7 5", received).is_err());
}
