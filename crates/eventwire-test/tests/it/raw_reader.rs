//! A client that is as simple as possible: it writes one request to a socket and looks at the bytes that come back.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// How long to wait before a test fails. No test waits for this time to pass.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// All that a client has seen of a response.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Raw {
    /// Everything up to and including the empty line.
    pub(crate) head: String,
    /// The rest, with its framing.
    pub(crate) rest: Vec<u8>,
    pub(crate) end: RawEnd,
}

/// How the connection has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RawEnd {
    Fin,
    Rst,
    /// Nothing came for the time that the test waits.
    Silence,
}

/// Sends this to a server and reads to the end, which comes.
pub(crate) fn exchange(url: &str, request: &str) -> Raw {
    let mut socket = connect(url);
    socket.write_all(request.as_bytes()).unwrap();
    let raw = read(&mut socket, PATIENCE);
    assert_ne!(raw.end, RawEnd::Silence);
    raw
}

/// Asks for the events, with these lines of a head, and reads to the end.
pub(crate) fn get(url: &str, lines: &str) -> Raw {
    exchange(url, &format!("GET /events HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n"))
}

/// Asks for the events, and reads up to this text, after which nothing comes for a while.
pub(crate) fn get_until_silence(url: &str, last: &str) -> Raw {
    let mut socket = connect(url);
    socket.write_all(b"GET /events HTTP/1.1\r\n\r\n").unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut all = Vec::new();
    while !all.ends_with(last.as_bytes()) {
        let mut byte = [0];
        socket.read_exact(&mut byte).unwrap();
        all.push(byte[0]);
    }
    let rest = read(&mut socket, Duration::from_millis(300));
    Raw::new([all, rest.head.into_bytes(), rest.rest].concat(), rest.end)
}

pub(crate) fn connect(url: &str) -> TcpStream {
    let socket = TcpStream::connect(url.strip_prefix("http://").unwrap().split('/').next().unwrap()).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket
}

pub(crate) fn read(socket: &mut TcpStream, patience: Duration) -> Raw {
    socket.set_read_timeout(Some(patience)).unwrap();
    let mut all = Vec::new();
    let mut buffer = [0; 4096];
    let end = loop {
        match socket.read(&mut buffer) {
            Ok(0) => break RawEnd::Fin,
            Ok(length) => all.extend_from_slice(&buffer[..length]),
            Err(error) => match error.kind() {
                ErrorKind::ConnectionReset => break RawEnd::Rst,
                ErrorKind::WouldBlock | ErrorKind::TimedOut => break RawEnd::Silence,
                other => panic!("{other}"),
            },
        }
    };
    Raw::new(all, end)
}

impl Raw {
    fn new(mut all: Vec<u8>, end: RawEnd) -> Raw {
        let blank = all.windows(4).position(|window| window == b"\r\n\r\n").map_or(0, |at| at + 4);
        let rest = all.split_off(blank);
        Raw { head: String::from_utf8(all).unwrap(), rest, end }
    }

    /// Returns the chunks of a chunked body, and whether its last chunk was there.
    pub(crate) fn chunks(&self) -> (Vec<String>, bool) {
        let mut chunks = Vec::new();
        let mut rest = &self.rest[..];
        while !rest.is_empty() {
            let line = rest.windows(2).position(|window| window == b"\r\n").unwrap();
            let size = usize::from_str_radix(str::from_utf8(&rest[..line]).unwrap(), 16).unwrap();
            assert_eq!(&rest[line + 2 + size..line + 4 + size], b"\r\n");
            if size == 0 {
                assert_eq!(rest.len(), line + 4, "bytes after the last chunk");
                return (chunks, true);
            }
            chunks.push(rest[line + 2..line + 2 + size].iter().map(|&byte| latin(byte)).collect());
            rest = &rest[line + 4 + size..];
        }
        (chunks, false)
    }
}

/// ASCII is itself, other bytes are `<xx>`.
fn latin(byte: u8) -> String {
    if byte.is_ascii() { char::from(byte).to_string() } else { format!("<{byte:02x}>") }
}
