//! Opens the streams and reads them.

use std::{
    error::Error,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
use eventwire::EventStream;
use futures_util::StreamExt;
use http_body_util::Full;
use hyper::{Request, body::Incoming, client::conn::http1};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, sync::Semaphore, task::JoinSet};

use crate::{
    chunk::Chunk,
    memory::{Memory, resident},
    peer::Peer,
    plan::Plan,
};

type Failure = Box<dyn Error + Send + Sync>;

pub(crate) struct Outcome {
    pub(crate) most_open: usize,
    pub(crate) server: Option<Memory>,
    pub(crate) client: Option<Memory>,
}

/// How many clients connect at the same time. The kernel retries a connection beyond the listener's backlog only
/// after a second.
const CONNECTING: usize = 256;

/// Counts the open streams, and measures memory when all are open.
struct Gauge {
    open: AtomicUsize,
    most: AtomicUsize,
    processes: [u32; 2],
    /// The memory of the processes when all streams are open.
    when_open: OnceLock<[Option<usize>; 2]>,
}

impl Gauge {
    fn add(&self, all: usize) {
        let open = self.open.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(open, Ordering::SeqCst);
        if open == all {
            self.when_open.get_or_init(|| self.processes.map(resident));
        }
    }

    fn remove(&self) {
        self.open.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Opens all streams, reads them to their end and checks their text.
pub(crate) async fn run(plan: &Plan, peer: &Peer) -> Result<Outcome, Box<dyn Error>> {
    let processes = [peer.id(), std::process::id()];
    let before = processes.map(resident);
    let gauge =
        Arc::new(Gauge { open: AtomicUsize::new(0), most: AtomicUsize::new(0), processes, when_open: OnceLock::new() });
    let connecting = Arc::new(Semaphore::new(CONNECTING));

    let mut streams = JoinSet::new();
    for stream in 0..plan.streams {
        let (text, events, all) = (plan.text(stream), plan.events(), plan.streams);
        let (address, gauge, connecting) = (peer.address.clone(), Arc::clone(&gauge), Arc::clone(&connecting));
        streams.spawn(async move {
            let permit = connecting.acquire_owned().await?;
            let body = ask(&address, &text).await?;
            drop(permit);
            gauge.add(all);
            let said = read(body).await;
            gauge.remove();
            check(said?, &text, events)
        });
    }
    while let Some(stream) = streams.join_next().await {
        stream?.map_err(|error| error.to_string())?;
    }

    let when_open = gauge.when_open.get().copied().unwrap_or_default();
    let [server, client] = [0, 1].map(|side| Memory::new(before[side], when_open[side]));
    Ok(Outcome { most_open: gauge.most.load(Ordering::SeqCst), server, client })
}

/// Sends a request on a new connection, as separate clients would.
async fn ask(address: &str, text: &str) -> Result<Incoming, Failure> {
    let connection = TcpStream::connect(address).await?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(connection)).await?;
    tokio::spawn(connection);
    let body = serde_json::json!({
        "model": "echo", "stream": true, "messages": [{ "role": "user", "content": text }],
    });
    let request = Request::post("/v1/chat/completions").header("host", address);
    let response = sender.send_request(request.body(Full::new(Bytes::from(body.to_string())))?).await?;
    if response.status() != 200 {
        return Err(format!("the server answered {}", response.status()).into());
    }
    Ok(response.into_body())
}

/// Returns the text, and the number of events including the end marker.
async fn read(body: Incoming) -> Result<(String, usize), Failure> {
    let mut chunks = EventStream::from_body(body).json::<Chunk>().require_end_marker();
    let (mut text, mut events) = (String::new(), 1);
    while let Some(chunk) = chunks.next().await {
        text.extend(chunk?.tokens());
        events += 1;
    }
    Ok((text, events))
}

fn check((text, events): (String, usize), expected: &str, all: usize) -> Result<(), Failure> {
    if text != expected || events != all {
        return Err(format!("{events} events instead of {all}, {text:?} instead of {expected:?}").into());
    }
    Ok(())
}
