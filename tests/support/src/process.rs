//! A program as a child process, with access to its pipes.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// How long to wait before a test fails. No test waits for this time to pass.
pub const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub struct Process {
    child: Child,
    out: Option<BufReader<ChildStdout>>,
    err: Option<BufReader<ChildStderr>>,
}

#[derive(Debug)]
pub struct End {
    /// `None` if the process was killed.
    pub code: Option<i32>,
    /// The output that had not been read before.
    pub out: String,
    pub err: String,
}

impl Process {
    /// Starts the program at this path, usually `env!("CARGO_BIN_EXE_...")`.
    pub fn start(program: &str, args: &[&str], environment: &[(&str, &str)]) -> Process {
        let mut command = Command::new(program);
        for proxy in ["http_proxy", "https_proxy", "all_proxy"] {
            // A proxy configured on the machine could not reach the servers of the tests.
            command.env_remove(proxy).env_remove(proxy.to_uppercase());
        }
        // Without these, a test could send paid requests on the account of the person who runs it.
        command.env_remove("OPENAI_BASE_URL").env_remove("OPENAI_API_KEY");
        command.envs(environment.iter().copied());
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let out = child.stdout.take().map(BufReader::new);
        let err = child.stderr.take().map(BufReader::new);
        Process { child, out, err }
    }

    /// Writes to the standard input.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.child.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// Reads the next line of the output. The process may still be running.
    pub fn line(&mut self) -> String {
        self.read("a line of output", |out| {
            let mut line = String::new();
            out.read_line(&mut line).unwrap();
            line
        })
    }

    /// Reads the next line of the standard error.
    pub fn error_line(&mut self) -> String {
        let mut err = self.err.take().unwrap();
        let (line, err) = patiently("a line of standard error", move || {
            let mut line = String::new();
            err.read_line(&mut line).unwrap();
            (line, err)
        });
        self.err = Some(err);
        line
    }

    /// Reads this many bytes of the output, which need not end a line.
    pub fn bytes(&mut self, count: usize) -> String {
        self.read("some bytes of output", move |out| {
            let mut bytes = vec![0; count];
            out.read_exact(&mut bytes).unwrap();
            String::from_utf8(bytes).unwrap()
        })
    }

    fn read(
        &mut self,
        what: &str,
        read: impl FnOnce(&mut BufReader<ChildStdout>) -> String + Send + 'static,
    ) -> String {
        let mut out = self.out.take().unwrap();
        let (text, out) = patiently(what, move || (read(&mut out), out));
        self.out = Some(out);
        text
    }

    /// Sends the signal that Ctrl-C sends in a terminal.
    #[cfg(unix)]
    pub fn interrupt(&self) {
        let status = Command::new("kill").args(["-INT", &self.id().to_string()]).status().unwrap();
        assert!(status.success(), "{status}");
    }

    /// Returns the number that the system knows the process by.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Closes the pipe from which the output is read.
    pub fn hang_up(&mut self) {
        self.out = None;
    }

    /// Closes the standard input, and waits until the process exits.
    #[must_use]
    pub fn end(mut self) -> End {
        self.child.stdin = None;
        let (out, err) = (self.out.take(), self.err.take());
        let (out, err) = patiently("the end", move || (text(out), text(err)));
        End { code: self.child.wait().unwrap().code(), out, err }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A server does not end in any other way.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl End {
    /// Asserts that the process succeeded and printed this.
    #[track_caller]
    pub fn printed(&self, out: &str) {
        assert_eq!((self.code, self.out.as_str(), self.err.as_str()), (Some(0), out, ""));
    }

    /// Asserts that the process printed this and failed with a one-line message that contains all of these words.
    #[track_caller]
    pub fn failed(&self, out: &str, said: &[&str]) {
        assert_eq!((self.code, self.out.as_str()), (Some(1), out), "{:?}", self.err);
        let is_line = self.err.ends_with('\n') && self.err.lines().count() == 1;
        assert!(is_line && !self.err.trim_end().contains(char::is_control), "{:?}", self.err);
        for words in said {
            assert!(self.err.contains(words), "{words:?} in {:?}", self.err);
        }
    }
}

/// Reads the rest, up to the end.
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
    wait.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("did not get {what}: {error}"))
}
