#![doc = include_str!("../README.md")]

mod client;
mod fanout;
mod hub;
mod report;
mod serve;
mod server;

use crate::{
    fanout::{Fanout, quantiles},
    report::{Report, output},
    server::Server,
};
use std::{
    env, fs,
    process::{self, ExitCode},
};

const SERVERS: [&str; 5] = ["eventwire", "axum", "nchan", "better-sse", "sse-starlette"];
const PORT: u16 = 18400;
const WORKLOADS: [Fanout; 2] =
    [Fanout { readers: 1000, events: 60, per_second: 5.0 }, Fanout { readers: 8000, events: 10, per_second: 0.5 }];

fn main() -> anyhow::Result<ExitCode> {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    if let ["serve", name, port] = args[..] {
        return serve::run(name, port.parse()?).map(|()| ExitCode::SUCCESS);
    }
    if args != ["hub"] && !args.iter().all(|name| SERVERS.contains(name)) {
        eprint!("{}", include_str!("../README.md"));
        return Ok(ExitCode::from(2));
    }
    // A connection is an open file. The servers inherit the limit.
    if output(&format!("prlimit --nofile=10240: --pid {}", process::id())).is_err() {
        println!("NOT RUN: 10,240 open files are needed; see `ulimit -n`");
        return Ok(ExitCode::from(3));
    }
    fs::copy(env::current_exe()?, server::program()?)?;
    let mut report = Report::default();
    match &args[..] {
        ["hub"] => hub::measure(&mut report),
        [] => measure(&SERVERS, &mut report),
        servers => measure(servers, &mut report),
    }
    Ok(report.finish())
}

/// Measures servers in one process, from which all connections read.
fn measure(servers: &[&str], report: &mut Report) {
    println!("| server | connections | CPU (µs) | memory (KiB) | p50 (ms) | p99 (ms) |\n|---|---|---|---|---|---|");
    for name in servers {
        if report.is_installed(name) {
            WORKLOADS.iter().for_each(|fanout| report.add(name, row(name, fanout)));
        }
    }
}

fn row(name: &str, fanout: &Fanout) -> anyhow::Result<String> {
    let server = Server::start(name, PORT)?;
    let figures = client::run(fanout.run(&server, PORT))?;
    let [p50, p99] = quantiles(figures.delays.concat());
    let (cpu, memory) = (figures.cpu, figures.memory);
    Ok(format!("| {name} | {} | {cpu:.1} | {memory:.1} | {p50:.1} | {p99:.1} |", fanout.readers))
}
