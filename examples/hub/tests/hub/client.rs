//! The program, and a client for it.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::Command,
    time::Instant,
};

use eventwire::{Event, Events};
use eventwire_test_support::{PATIENCE, Process};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_hub");

/// The program, which is killed when this is dropped.
pub(crate) struct Hub {
    pub(crate) process: Process,
    /// Host and port.
    pub(crate) address: String,
}

impl Hub {
    pub(crate) fn start(log: &str) -> Hub {
        Hub::with(&["--log", log], &[])
    }

    pub(crate) fn with(args: &[&str], environment: &[(&str, &str)]) -> Hub {
        Hub::of(Process::start(PROGRAM, &[&["--listen", "127.0.0.1:0"], args].concat(), environment))
    }

    pub(crate) fn of(mut process: Process) -> Hub {
        let line = process.line();
        let address = line.strip_prefix("listening on http://").and_then(|rest| rest.strip_suffix('\n'));
        Hub { address: address.expect(&line).to_owned(), process }
    }

    /// Sends a signal to the process.
    pub(crate) fn signal(&self, name: &str) {
        let status = Command::new("kill").args([name, &self.process.id().to_string()]).status().unwrap();
        assert!(status.success(), "{status}");
    }
}

/// A connection that fails if it is still read after a while. A silent stream has keep-alives.
pub(crate) struct Patient {
    connection: TcpStream,
    opened: Instant,
}

impl Read for Patient {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.opened.elapsed() < PATIENCE {
            self.connection.read(buffer)
        } else {
            Err(io::ErrorKind::TimedOut.into())
        }
    }
}

/// An answer whose body is not yet read.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: BufReader<Patient>,
}

impl Answer {
    /// Sends a request: a method with a path, lines of headers, and a body.
    pub(crate) fn of(address: &str, request: &str, headers: &[&str], body: &str) -> io::Result<Answer> {
        let mut connection = TcpStream::connect(address)?;
        connection.set_read_timeout(Some(PATIENCE))?;
        let host = if headers.iter().any(|header| header.starts_with("Host:")) { "" } else { "Host: localhost\r\n" };
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        let length = body.len();
        write!(connection, "{request} HTTP/1.0\r\n{host}{headers}Content-Length: {length}\r\n\r\n{body}")?;
        let (mut head, mut body) = (String::new(), BufReader::new(Patient { connection, opened: Instant::now() }));
        while !head.ends_with("\r\n\r\n") {
            if body.read_line(&mut head)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Ok(Answer { status: status.expect(&head), body })
    }

    pub(crate) fn text(mut self) -> String {
        let mut text = String::new();
        self.body.read_to_string(&mut text).unwrap();
        text
    }

    pub(crate) fn events(self) -> impl Iterator<Item = Result<Event, eventwire::Error<io::Error>>> {
        Events::from_reader(self.body)
    }
}

/// Sends an event. A key makes it safe to repeat.
pub(crate) fn send(address: &str, topic: &str, key: Option<&str>, data: &str) -> io::Result<Answer> {
    let key = key.map(|key| format!("Idempotency-Key: {key}"));
    Answer::of(address, &format!("POST /topics/{topic}"), &key.as_deref().into_iter().collect::<Vec<_>>(), data)
}

/// Reads topics, after an ID unless it is empty.
pub(crate) fn read(address: &str, path: &str, id: &str) -> io::Result<Answer> {
    Answer::of(address, &format!("GET {path}"), &[&format!("Last-Event-ID: {id}")], "")
}
