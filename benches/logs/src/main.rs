#![doc = include_str!("../README.md")]

mod delay;
mod measure;

use crate::measure::{Figures, SENDERS, STORED, measure};
use anyhow::{Context, bail};
use eventwire_hub::{History, Log, Memory};
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

const ALL: [&str; 6] = ["memory", "full", "normal", "postgres", "always", "everysec"];

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    if let ["follow", log, place] = args[..] {
        return follow(log, place).await.map(|()| ExitCode::SUCCESS);
    }
    if !args.iter().all(|log| ALL.contains(log)) {
        eprint!("{}", include_str!("../README.md"));
        return Ok(ExitCode::from(2));
    }
    println!("| log | {} | p50 (ms) | p99 (ms) | on disk (MB) | resume (s) |", SENDERS.map(|n| n.to_string()).join(" | "));
    println!("|---{}", "|---".repeat(SENDERS.len() + 4) + "|");
    let mut exit = ExitCode::SUCCESS;
    for log in if args.is_empty() { &ALL } else { &args[..] } {
        match row(log).await {
            Ok(Some(row)) => println!("{row}"),
            Ok(None) => exit = ExitCode::from(3),
            Err(error) => {
                eprintln!("FAILED: {log}: {error:#}");
                exit = ExitCode::FAILURE;
            }
        }
    }
    println!("\nwriting 4 KiB to the disk and waiting for it (`fdatasync`): {:.2} ms", sync()?.as_secs_f64() * 1e3);
    for command in [
        "postgres --version",
        "redis-server --version",
        "uname -sr",
        "grep -m 1 model.name /proc/cpuinfo",
        "nproc",
        "uptime",
        "rustc --version",
        "date -u +%F",
    ] {
        let path = format!("PATH=$PATH:{}", "/usr/lib/postgresql/15/bin");
        print!("{}", String::from_utf8(Command::new("sh").args(["-c", &format!("{path} {command}")]).output()?.stdout)?);
    }
    Ok(exit)
}
