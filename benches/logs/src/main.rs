#![doc = include_str!("../README.md")]

mod delay;
mod measure;

use crate::measure::{SENDERS, STORED};
use anyhow::{Context, bail};
use eventwire_hub::{History, Memory};
use eventwire_log_tests::{PostgresServer, RedisServer, TempFolder};
use eventwire_postgres::PostgresLog;
use eventwire_redis::RedisLog;
use eventwire_sqlite::{Durability, SqliteLog};
use std::{
    env,
    fs::{self, File},
    io::Write,
    path::Path,
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

/// The arguments, and what the table calls them.
const LOGS: [(&str, &str); 6] = [
    ("memory", "memory"),
    ("full", "SQLite, `Durability::Full`"),
    ("normal", "SQLite, `Durability::Normal`"),
    ("postgres", "Postgres"),
    ("always", "Redis, `appendfsync always`"),
    ("everysec", "Redis, `appendfsync everysec`"),
];

/// Prints versions and the machine. Debian's folder of Postgres is in no `PATH`.
const MACHINE: &str = "
PATH=$PATH:$(echo /usr/lib/postgresql/*/bin | tr ' ' :)
postgres --version; redis-server --version; rustc --version; uname -sr
grep -m 1 'model name' /proc/cpuinfo; echo $(nproc) processors; uptime; date -u +%F";

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    if let ["follow", log, place] = args[..] {
        return follow(log, place).await.map(|()| ExitCode::SUCCESS);
    }
    if !args.iter().all(|arg| LOGS.iter().any(|(log, _)| log == arg)) {
        eprint!("{}", include_str!("../README.md"));
        return Ok(ExitCode::from(2));
    }
    let senders = SENDERS.map(|senders| senders.to_string()).join(" | ");
    println!("| log | events/s, senders: {senders} | p50 (ms) | p99 (ms) | size (MB) | resume (s) |");
    println!("|---{}|", "|---".repeat(SENDERS.len() + 4));
    let mut exit = ExitCode::SUCCESS;
    for (log, name) in LOGS.into_iter().filter(|(log, _)| args.is_empty() || args.contains(log)) {
        match row(log, name).await {
            Ok(Some(row)) => println!("{row}"),
            Ok(None) => exit = ExitCode::from(3),
            Err(error) => {
                eprintln!("FAILED: {log}: {error:#}");
                exit = ExitCode::FAILURE;
            }
        }
    }
    println!("\nfdatasync of 4 KiB: {:.2} ms", sync()?.as_secs_f64() * 1e3);
    Command::new("sh").args(["-c", MACHINE]).status()?;
    Ok(exit)
}

/// Measures a log, and returns its row of the table, or `None` if its engine is not installed.
async fn row(log: &str, name: &str) -> anyhow::Result<Option<String>> {
    // The events that are counted on the disk are alone in a store of their own.
    let (speed, resume, bytes) = match log {
        "memory" => {
            let history = History::new().with_max_events(STORED as usize).with_max_bytes(usize::MAX);
            let log = Memory::new(history);
            let speed = measure::speed(log.clone(), None).await?;
            (speed, measure::resume(|| Ok(log.clone())).await?, None)
        }
        "full" | "normal" => {
            let [one, two] = [(); 2].map(|()| TempFolder::new());
            let [fast, full] = [&one, &two].map(|folder| folder.path().join("events.db"));
            let speed = measure::speed(sqlite(log, &fast)?, Some([log, fast.to_str().context("a folder")?])).await?;
            let resume = measure::resume(|| sqlite(log, &full)).await?;
            (speed, resume, Some(size(two.path())?))
        }
        "postgres" => {
            // Its default. The servers of the tests have less.
            let memory = ["-c", "shared_buffers=128MB"];
            let Some(server) = PostgresServer::start(&memory) else { return Ok(None) };
            let speed = measure::speed(PostgresLog::open(&server.url())?, Some([log, &server.url()])).await?;
            let Some(server) = PostgresServer::start(&memory) else { return Ok(None) };
            let resume = measure::resume(|| Ok(PostgresLog::open(&server.url())?)).await?;
            let tables = "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relname LIKE 'eventwire%' AND relkind = 'r'";
            (speed, resume, Some(server.sql(tables).parse()?))
        }
        "always" | "everysec" => {
            let options = ["--appendonly", "yes", "--appendfsync", log];
            let Some(server) = RedisServer::start(&options) else { return Ok(None) };
            let speed = measure::speed(redis(&server.url())?, Some([log, &server.url()])).await?;
            let Some(server) = RedisServer::start(&options) else { return Ok(None) };
            let resume = measure::resume(|| redis(&server.url())).await?;
            (speed, resume, Some(size(&server.folder().join("appendonlydir"))?))
        }
        _ => bail!("there is no log {log}"),
    };
    let appends = speed.appends.map(|figure| format!("{figure:.0}")).join(" | ");
    let milliseconds = |delay: Duration| format!("{:.2}", delay.as_secs_f64() * 1e3);
    let delay = speed.delay.map_or(["-".to_owned(), "-".to_owned()], |delay| delay.map(milliseconds)).join(" | ");
    let bytes = bytes.map_or("-".to_owned(), |bytes| (bytes / 1_000_000).to_string());
    Ok(Some(format!("| {name} | {appends} | {delay} | {bytes} | {:.2} |", resume.as_secs_f64())))
}

/// Runs the process of a reader.
async fn follow(log: &str, place: &str) -> anyhow::Result<()> {
    match log {
        "full" | "normal" => delay::follow(sqlite(log, place.as_ref())?).await,
        "postgres" => delay::follow(PostgresLog::open(place)?).await,
        _ => delay::follow(redis(place)?).await,
    }
}

fn sqlite(durability: &str, file: &Path) -> anyhow::Result<SqliteLog> {
    let durability = if durability == "full" { Durability::Full } else { Durability::Normal };
    Ok(SqliteLog::open(file)?.with_durability(durability))
}

/// It keeps everything, as the others do.
fn redis(url: &str) -> anyhow::Result<RedisLog> {
    Ok(RedisLog::open(url)?.with_max_events(10 * STORED as usize))
}

/// Returns the sizes of all files of a folder.
fn size(folder: &Path) -> anyhow::Result<u64> {
    let mut sum = 0;
    for entry in fs::read_dir(folder)? {
        sum += entry?.metadata()?.len();
    }
    Ok(sum)
}

/// Returns how long the disk needs for a small commit.
fn sync() -> anyhow::Result<Duration> {
    let folder = TempFolder::new();
    let mut file = File::create(folder.path().join("file"))?;
    let started = Instant::now();
    for _ in 0..200 {
        file.write_all(&[0; 4096])?;
        file.sync_data()?;
    }
    Ok(started.elapsed() / 200)
}
