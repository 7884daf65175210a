//! The example as a child process, with both hands on its pipes.

use std::env;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// No test waits for time to pass. This is only how long a failure may take to be seen.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Tail {
    child: Child,
    out: Option<BufReader<ChildStdout>>,
    err: Option<ChildStderr>,
}

pub(crate) struct End {
    /// `None` for a process that was killed.
    pub(crate) code: Option<i32>,
    /// What had not been read before.
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Tail {
    pub(crate) fn start(args: &[&str]) -> Tail {
        let mut command = Command::new(example());
        for proxy in ["http_proxy", "https_proxy", "all_proxy"] {
            // A proxy of the machine's would not find the servers of the tests.
            command.env_remove(proxy).env_remove(proxy.to_uppercase());
        }
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the example starts");
        let out = child.stdout.take().map(BufReader::new);
        let err = child.stderr.take();
        Tail { child, out, err }
    }

    /// Writes to its standard input.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.child.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// The next line of its output, which need not be over.
    pub(crate) fn line(&mut self) -> String {
        let mut out = self.out.take().unwrap();
        let (line, out) = patiently("a line of output", move || {
            let mut line = String::new();
            out.read_line(&mut line).unwrap();
            (line, out)
        });
        self.out = Some(out);
        line
    }

    /// Reads no more of its output.
    pub(crate) fn hang_up(&mut self) {
        self.out = None;
    }

    /// Closes its standard input, and waits for the end.
    pub(crate) fn end(mut self) -> End {
        self.child.stdin = None;
        let (out, err) = (self.out.take(), self.err.take());
        let (out, err) = patiently("the end", move || (text(out), text(err)));
        End { code: self.child.wait().unwrap().code(), out, err }
    }
}

impl Drop for Tail {
    fn drop(&mut self) {
        // It has ended already, unless the test has failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Cargo builds the examples for `cargo test`, and puts them next to the directory of the tests.
fn example() -> PathBuf {
    let test = env::current_exe().unwrap();
    let profile = test.parent().and_then(|deps| deps.parent()).unwrap();
    let example = profile.join("examples").join(format!("tail{}", env::consts::EXE_SUFFIX));
    assert!(
        example.exists(),
        "the example is not built: run plain `cargo test`, or `cargo build --example tail` before `cargo test --test tail`",
    );
    example
}

/// What is left to read, up to the end.
fn text(pipe: Option<impl Read>) -> String {
    let mut text = String::new();
    if let Some(mut pipe) = pipe {
        pipe.read_to_string(&mut text).unwrap();
    }
    text
}

fn patiently<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, wait) = mpsc::channel();
    thread::spawn(move || done.send(work()));
    wait.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("{what} did not come: {error}"))
}
