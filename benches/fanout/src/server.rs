//! A server, and what it needs.

use anyhow::{Context, bail};
use std::{
    env, fs,
    net::TcpStream,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

/// A process and its descendants, which end when it is dropped.
pub struct Server {
    pub port: u16,
    process: Child,
}

impl Server {
    /// Starts a server on a port of 127.0.0.1, and waits until it accepts connections.
    pub fn start(name: &str, port: u16) -> anyhow::Result<Server> {
        let (program, args) = match name {
            "nchan" | "nchan-redis" => ("nginx".to_owned(), format!("-c {}", configure_nginx(name, port)?)),
            "better-sse" => ("node".to_owned(), format!("better-sse.mjs {port}")),
            "sse-starlette" => ("python3".to_owned(), format!("sse-starlette.py {port}")),
            // The last argument is empty: no snapshots.
            "redis" => ("redis-server".to_owned(), format!("--port {port} --bind 127.0.0.1 --appendonly no --save ")),
            _ => (program()?, format!("serve {name} {port}")),
        };
        let mut command = Command::new(&program);
        command.args(args.split(' ')).current_dir(env!("CARGO_MANIFEST_DIR"));
        let process = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().context(program)?;
        let mut server = Server { port, process };
        for _ in 0..100 {
            thread::sleep(Duration::from_millis(100));
            if let Some(status) = server.process.try_wait()? {
                bail!("it does not run on port {port}: {status}");
            }
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Ok(server);
            }
        }
        bail!("it does not accept connections");
    }

    /// User and system time.
    pub fn processor_time(&self) -> anyhow::Result<Duration> {
        let mut ticks = 0;
        for pid in family(self.process.id())? {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
            // The name before it may contain spaces. Fields 14 and 15 of the line are the times.
            let (_, fields) = stat.rsplit_once(") ").context("no name")?;
            ticks += fields.split(' ').skip(11).take(2).map(|field| field.parse().unwrap_or(0)).sum::<u64>();
        }
        // Linux reports these times in hundredths of a second on all common machines.
        Ok(Duration::from_millis(10 * ticks))
    }

    /// The resident memory in KiB. Pages that several share are counted once (Linux calls this "Pss").
    pub fn memory(&self) -> anyhow::Result<f64> {
        let mut sum = 0.0;
        for pid in family(self.process.id())? {
            let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
            let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:")).context("no Pss")?;
            sum += line.trim().trim_end_matches(" kB").parse::<f64>()?;
        }
        Ok(sum)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // With SIGTERM, because SIGKILL leaves the workers of nginx running.
        let _ = Command::new("kill").arg(self.process.id().to_string()).status();
        let _ = self.process.wait();
    }
}

/// The program of the servers in Rust. It is a copy, because memory that a server shares with the client would be
/// counted half.
pub fn program() -> anyhow::Result<String> {
    Ok(env::current_exe()?.with_file_name("eventwire-fanout-server").display().to_string())
}

/// The pids of a process and its descendants.
fn family(pid: u32) -> anyhow::Result<Vec<u32>> {
    let mut pids = vec![pid];
    for child in fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))?.split_whitespace() {
        pids.extend(family(child.parse()?)?);
    }
    Ok(pids)
}

fn configure_nginx(name: &str, port: u16) -> anyhow::Result<String> {
    let template = fs::read_to_string(format!("{}/{name}.conf", env!("CARGO_MANIFEST_DIR")))?;
    let file = format!("/tmp/eventwire-fanout-{port}.conf");
    fs::write(&file, template.replace("PORT", &port.to_string()))?;
    Ok(file)
}
