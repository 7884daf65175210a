//! The program, and requests to it.

use std::fs;
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use eventwire_test_support::{PATIENCE, Process};

use crate::CHAT;
use crate::answer::Answer;

/// A server that runs until it is dropped.
pub(crate) struct Server {
    pub(crate) process: Process,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// Serves three events with these options.
    pub(crate) fn chat(options: &[&str]) -> Server {
        Server::start(file("chat.sse", CHAT).to_str().unwrap(), options)
    }

    /// Serves this file or directory.
    pub(crate) fn start(place: &str, options: &[&str]) -> Server {
        let args = [&["serve", place, "--listen", "127.0.0.1:0"], options].concat();
        let mut process = Process::start(env!("CARGO_BIN_EXE_eventwire"), &args, &[]);
        let line = process.error_line();
        let (_, address) = line.split_once("http://").unwrap_or_else(|| panic!("{line:?}"));
        let address = address.split_once('/').unwrap().0.parse().unwrap();
        Server { process, address }
    }

    /// Sends these bytes, and returns the open connection.
    pub(crate) fn send(&self, request: &str) -> TcpStream {
        let mut socket = TcpStream::connect(self.address).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.write_all(request.as_bytes()).unwrap();
        socket
    }

    /// Sends these bytes, and reads the answer to its end.
    pub(crate) fn ask(&self, request: &str) -> Answer {
        Answer::read(self.send(request))
    }

    /// Sends a GET for this path.
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address))
    }

    /// Sends a GET with this last event ID.
    pub(crate) fn get_after(&self, id: &str) -> Answer {
        self.ask(&format!("GET / HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: {id}\r\n\r\n"))
    }

    /// Returns the next line of the log, without its time.
    pub(crate) fn line(&mut self) -> String {
        let line = self.process.error_line();
        let (line, problem) = line.trim_end().split_once("; ").map_or((line.trim_end(), None), |(a, b)| (a, Some(b)));
        let (line, time) = line.rsplit_once(", ").unwrap();
        let seconds = time.strip_suffix(" s").unwrap_or_else(|| panic!("no time in {line:?}"));
        assert!(seconds.parse::<f64>().unwrap() < PATIENCE.as_secs_f64(), "{time}");
        problem.map_or(line.to_owned(), |problem| format!("{line}; {problem}"))
    }
}

/// Returns a new directory.
pub(crate) fn directory() -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("serve-{}-{number}", std::process::id()));
    fs::create_dir_all(&path).unwrap();
    path
}

/// Writes a file into a new directory.
pub(crate) fn file(name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = directory().join(name);
    fs::write(&path, content).unwrap();
    path
}
