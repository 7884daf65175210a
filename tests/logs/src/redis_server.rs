//! A server of Redis, for one test.

use crate::{TempFolder, free_port};
use std::{
    io::{self, Write},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// How long to wait for the server to start.
const PATIENCE: Duration = Duration::from_secs(30);

/// A process with its own port and folder. It is killed when this is dropped.
#[derive(Debug)]
pub struct RedisServer {
    port: u16,
    folder: TempFolder,
    options: Vec<String>,
    process: Option<Child>,
}

impl RedisServer {
    /// Starts a server that stores nothing on disk, unless the options say otherwise, such as `--appendonly yes`.
    /// `None`, and a line on the standard error, if no server is installed.
    pub fn start(options: &[&str]) -> Option<RedisServer> {
        let options = options.iter().map(|&option| option.to_owned()).collect();
        let mut server = RedisServer { port: free_port(), folder: TempFolder::new(), options, process: None };
        match server.try_start_again() {
            Ok(()) => Some(server),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // Unlike `eprintln`, this is also seen if the test passes.
                let _ = writeln!(io::stderr(), "SKIPPED: redis-server is not installed");
                None
            }
            Err(error) => panic!("redis-server does not start: {error}"),
        }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Where the server keeps its files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Kills the process at once, as a crash does.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }

    /// Starts the server on the same port and folder, after it was killed.
    pub fn start_again(&mut self) {
        self.try_start_again().expect("redis-server starts again");
    }

    fn try_start_again(&mut self) -> io::Result<()> {
        let started = Instant::now();
        self.process = Some(self.spawn()?);
        while !self.is_ready() {
            assert!(started.elapsed() < PATIENCE, "redis-server does not answer");
            // Another socket may have the port for a moment.
            if self.process.as_mut().is_some_and(|process| matches!(process.try_wait(), Ok(Some(_)))) {
                self.process = Some(self.spawn()?);
            }
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    fn spawn(&self) -> io::Result<Child> {
        let mut command = Command::new("redis-server");
        command.args(["--port", &self.port.to_string(), "--bind", "127.0.0.1", "--save", ""]);
        command.arg("--dir").arg(self.folder.path()).args(&self.options);
        command.stdin(Stdio::null()).stdout(Stdio::null()).spawn()
    }

    /// Whether it is this process that answers, and not another one that was given the port, and has read its files.
    fn is_ready(&self) -> bool {
        let id = self.process.as_ref().map_or(0, Child::id).to_string();
        self.info("process_id") == Some(id) && self.info("loading").is_some_and(|loading| loading == "0")
    }

    /// Returns a field of `INFO`, if the server answers and has it.
    pub fn info(&self, field: &str) -> Option<String> {
        let about: String = self.try_command(&["INFO", "everything"]).ok()?;
        let value = about.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
        value.map(|value| value.trim().to_owned())
    }

    /// Sends a command on a connection of its own, and returns the answer.
    #[track_caller]
    pub fn command<T: redis::FromRedisValue>(&self, words: &[&str]) -> T {
        self.try_command(words).expect("redis-server carries out the command")
    }

    fn try_command<T: redis::FromRedisValue>(&self, words: &[&str]) -> redis::RedisResult<T> {
        let mut command = redis::Cmd::new();
        command.arg(words);
        command.query(&mut redis::Client::open(self.url())?.get_connection()?)
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill();
    }
}
