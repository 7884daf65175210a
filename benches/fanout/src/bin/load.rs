//! Opens connections to a server, publishes events, and prints one row of the table: what they cost the server, and
//! when they arrived. Fails if a connection did not receive every event.

use std::{
    env, fs,
    process::ExitCode,
    sync::LazyLock,
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};
use eventwire::Decoder;
use http_body_util::BodyExt;
use hyper::{
    Request,
    body::Incoming,
    client::conn::http1::{self, SendRequest},
    http::request::Builder,
};
use hyper_util::rt::TokioIo;
use tokio::{
    net::TcpStream,
    sync::mpsc::{self, UnboundedSender},
    time::{self, MissedTickBehavior},
};

/// The length of an event's data.
const DATA: usize = 100;
/// How long an answer or a late event may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// Times are relative to this one. `Instant` is `CLOCK_MONOTONIC`.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

// One thread, so that the servers have at least one processor for themselves.
#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<ExitCode> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [name, address, pid, connections, events, per_second] = &args[..] else {
        bail!("usage: load NAME ADDRESS PID CONNECTIONS EVENTS EVENTS-PER-SECOND");
    };
    let (connections, events): (usize, usize) = (connections.parse()?, events.parse()?);
    let interval = Duration::from_secs_f64(1.0 / per_second.parse::<f64>()?);
    let server = family(pid).with_context(|| format!("{name} does not run"))?;
    LazyLock::force(&START);

    let idle = memory(&server)?;
    let (sender, mut delays) = mpsc::unbounded_channel();
    for opened in 0..connections {
        let body = open(address).await.with_context(|| format!("after {opened} connections"))?;
        tokio::spawn(receive(body, sender.clone()));
    }
    drop(sender);
    // Some servers subscribe a reader shortly after they have sent the head.
    time::sleep(Duration::from_secs(1)).await;

    let before = processor_time(&server)?;
    let mut publisher = connect(address).await?;
    let mut ticks = time::interval(interval);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for number in 0..events {
        ticks.tick().await;
        let data = format!("{:.<DATA$}", format!("{number} {} ", START.elapsed().as_nanos()));
        let response = send(&mut publisher, Request::post("/publish"), data).await?;
        response.collect().await?;
    }
    let expected = connections * events;
    let mut received = Vec::with_capacity(expected);
    let deadline = time::Instant::now() + PATIENCE;
    while received.len() < expected
        && let Ok(Some(delay)) = time::timeout_at(deadline, delays.recv()).await
    {
        received.push(delay);
    }

    let time = processor_time(&server)? - before;
    let memory = memory(&server)? - idle;
    received.sort_unstable();
    let quantile =
        |part: f64| received.get((part * received.len() as f64) as usize).map_or(f64::NAN, |&ns| ns as f64 / 1e6);
    println!(
        "| {name} | {connections} | {:.1} | {:.1} | {:.1} | {:.1} |",
        time.as_secs_f64() * 1e6 / expected as f64,
        memory / connections as f64,
        quantile(0.5),
        quantile(0.99),
    );
    let lost = expected - received.len();
    if lost > 0 {
        eprintln!("FAILED: {name}: {lost} of {expected} events were lost");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// Opens a stream, and returns its body after its head has arrived.
async fn open(address: &str) -> anyhow::Result<Incoming> {
    let request = Request::get("/events").header("accept", "text/event-stream");
    send(&mut connect(address).await?, request, String::new()).await
}

async fn connect(address: &str) -> anyhow::Result<SendRequest<String>> {
    let stream = TcpStream::connect(address).await?;
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

/// Sends the delay of every event, in nanoseconds. Stops at an event that is not newer than the last one.
async fn receive(mut body: Incoming, delays: UnboundedSender<u64>) -> anyhow::Result<()> {
    let mut decoder = Decoder::new();
    let mut next = 0;
    while let Some(frame) = body.frame().await {
        let Ok(bytes) = frame?.into_data() else { continue };
        let now = START.elapsed().as_nanos() as u64;
        let mut input = &bytes[..];
        while let Some(event) = decoder.decode(&mut input)? {
            let mut words = event.data().split(' ');
            let mut number = || anyhow::Ok(words.next().context("no number")?.parse::<u64>()?);
            let (event_number, posted) = (number()?, number()?);
            ensure!(event.data().len() == DATA && event_number >= next);
            delays.send(now - posted)?;
            next = event_number + 1;
        }
    }
    Ok(())
}

/// The process and its descendants.
fn family(pid: &str) -> anyhow::Result<Vec<String>> {
    let mut pids = vec![pid.to_owned()];
    for child in fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))?.split_whitespace() {
        pids.extend(family(child)?);
    }
    Ok(pids)
}

/// User and system time of these processes.
fn processor_time(pids: &[String]) -> anyhow::Result<Duration> {
    let mut ticks = 0;
    for pid in pids {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
        // The name before it may contain spaces. Fields 14 and 15 of the line are the times.
        let (_, fields) = stat.rsplit_once(") ").context("no name")?;
        ticks += fields.split(' ').skip(11).take(2).map(|field| field.parse().unwrap_or(0)).sum::<u64>();
    }
    // Linux reports these times in hundredths of a second on all common machines.
    Ok(Duration::from_millis(10 * ticks))
}

/// The resident memory of these processes in KiB. Pages that several share are counted once (Linux calls this "Pss").
fn memory(pids: &[String]) -> anyhow::Result<f64> {
    let mut sum = 0.0;
    for pid in pids {
        let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
        let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:")).context("no Pss")?;
        sum += line.trim().trim_end_matches(" kB").parse::<f64>()?;
    }
    Ok(sum)
}
