//! Many streams at the same time through the gateway, on the loopback interface. Client and server are two
//! processes. Every event of every stream is checked, and the memory that a stream costs on each side is measured.
//!
//! `cargo bench -p gateway --bench streams` opens 8,000 streams. As a test
//! (`cargo test -p gateway --bench streams`) it opens 200. Memory is measured on Linux only.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{self, Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use eventwire::{Dialect, Events};
use futures_util::TryStreamExt;
use gateway::Settings;
use http_body_util::Full;
use hyper::Request;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// The argument that makes this program the server.
const SERVE: &str = "--serve";

/// How many clients connect at the same time. The kernel retries a connection beyond the listener's backlog only
/// after a second.
const CONNECTING: usize = 256;

/// All streams have to end within this time.
const PATIENCE: Duration = Duration::from_secs(120);

#[derive(Clone, Copy)]
struct Plan {
    streams: usize,
    /// The number of words of each stream's text.
    words: usize,
    /// The pause between two words, so that all streams are open when the last one begins.
    delay: Duration,
}

fn main() -> ExitCode {
    let mut args = env::args().skip(1);
    let done = match args.next().as_deref() {
        Some(SERVE) => serve(args.next()),
        // `cargo test` passes nothing.
        Some("--bench") => bench(Plan { streams: 8000, words: 40, delay: Duration::from_millis(500) }),
        _ => bench(Plan { streams: 200, words: 10, delay: Duration::from_millis(150) }),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("streams: {error:#}");
            ExitCode::FAILURE
        }
    }
}

// --- The server

/// Serves until the standard input is closed, which happens when the process that started this one exits.
fn serve(delay: Option<String>) -> Result<()> {
    let delay = Duration::from_millis(delay.context("no delay")?.parse()?);
    thread::spawn(|| {
        let _ = io::stdin().read(&mut [0]);
        process::exit(0);
    });
    Builder::new_multi_thread().enable_all().build()?.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        writeln!(io::stdout(), "{}", listener.local_addr()?)?;
        gateway::serve(listener, Settings { delay, ..Settings::default() }).await?;
        Ok(())
    })
}

/// Starts this program as the server. Returns it and its address.
fn start_server(delay: Duration) -> Result<(Child, String)> {
    let mut command = Command::new(env::current_exe()?);
    command.arg(SERVE).arg(delay.as_millis().to_string());
    let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut address = String::new();
    BufReader::new(server.stdout.take().context("no output")?).read_line(&mut address)?;
    Ok((server, address.trim_end().to_owned()))
}

// --- The clients

/// Counts the open streams, and measures memory when all are open.
struct Gauge {
    open: AtomicUsize,
    /// The server and the clients.
    processes: [u32; 2],
    /// The memory of the processes when all streams are open.
    when_open: OnceLock<[Option<usize>; 2]>,
}

impl Gauge {
    fn add(&self, all: usize) {
        if self.open.fetch_add(1, Ordering::SeqCst) + 1 == all {
            self.when_open.get_or_init(|| self.processes.map(resident));
        }
    }

    fn remove(&self) {
        self.open.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Returns the resident memory of a process, in bytes. The kernel's socket buffers are not included.
fn resident(process: u32) -> Option<usize> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibi: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibi * 1024)
}

fn bench(plan: Plan) -> Result<()> {
    // The server exits with this process.
    let (server, address) = start_server(plan.delay)?;
    let processes = [server.id(), process::id()];
    let before = processes.map(resident);
    let gauge = Arc::new(Gauge { open: AtomicUsize::new(0), processes, when_open: OnceLock::new() });

    let start = Instant::now();
    let all = async { timeout(PATIENCE, read_all(plan, &address, &gauge)).await };
    let all = Builder::new_multi_thread().enable_all().build()?.block_on(all);
    all.with_context(|| format!("not all streams ended within {PATIENCE:?}"))??;
    let elapsed = start.elapsed().as_secs_f64();
    println!("{} streams of {} events, all complete, {elapsed:.1} s", plan.streams, plan.events());

    let when_open = *gauge.when_open.get().context("the first streams ended before the last began")?;
    for (side, before, open) in [("server", before[0], when_open[0]), ("client", before[1], when_open[1])] {
        let (Some(before), Some(open)) = (before, open) else {
            println!("{side}: memory not measured");
            continue;
        };
        let mebi = |bytes: usize| bytes as f64 / f64::from(1 << 20);
        let each = open.saturating_sub(before) / 1024 / plan.streams;
        let (before, open) = (mebi(before), mebi(open));
        println!("{side}: {each} KiB a stream ({before:.1} MiB before, {open:.1} MiB with all of them open)");
    }
    Ok(())
}

impl Plan {
    /// Returns the text of a stream, which differs from stream to stream.
    fn text(&self, stream: usize) -> String {
        (0..self.words).map(|word| format!("{stream}/{word} ")).collect()
    }

    /// Returns the number of events of a stream: the role, each word, the finish reason, the end marker.
    fn events(&self) -> usize {
        1 + self.words + 1 + 1
    }
}

/// Opens all streams, reads them to their end and checks their text.
async fn read_all(plan: Plan, address: &str, gauge: &Arc<Gauge>) -> Result<()> {
    let connecting = Arc::new(Semaphore::new(CONNECTING));
    let mut streams = JoinSet::new();
    for stream in 0..plan.streams {
        let (text, address) = (plan.text(stream), address.to_owned());
        let (gauge, connecting) = (Arc::clone(gauge), Arc::clone(&connecting));
        streams.spawn(async move {
            let permit = connecting.acquire_owned().await?;
            let body = ask(&address, &text).await?;
            drop(permit);
            gauge.add(plan.streams);
            let (said, events) = read(body).await?;
            gauge.remove();
            let all = plan.events();
            ensure!(said == text && events == all, "{events} events instead of {all}, {said:?} instead of {text:?}");
            Ok(())
        });
    }
    while let Some(stream) = streams.join_next().await {
        stream??;
    }
    Ok(())
}

/// Sends a request on a new connection, as separate clients would.
async fn ask(address: &str, text: &str) -> Result<Incoming> {
    let connection = TcpStream::connect(address).await?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(connection)).await?;
    tokio::spawn(connection);
    let body = json!({ "model": "echo", "stream": true, "messages": [{ "role": "user", "content": text }] });
    let request = Request::post("/v1/chat/completions").header("host", address);
    let response = sender.send_request(request.body(Full::new(Bytes::from(body.to_string())))?).await?;
    ensure!(response.status() == 200, "the server answered {}", response.status());
    Ok(response.into_body())
}

/// Returns the text, and the number of events including the end marker.
async fn read(body: Incoming) -> Result<(String, usize)> {
    let mut chunks = Events::from_body(body).json_with::<Value>(Dialect::OPENAI);
    let (mut text, mut events) = (String::new(), 1);
    while let Some(chunk) = chunks.try_next().await? {
        text += chunk["choices"][0]["delta"]["content"].as_str().unwrap_or_default();
        events += 1;
    }
    Ok((text, events))
}
