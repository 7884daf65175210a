//! Many connections at once, and more than there can be.

// Elsewhere, a process may have fewer file descriptors.
#![cfg(target_os = "linux")]

use std::io::Read;
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use eventwire_test_support::Process;

use crate::answer::Answer;
use crate::server::{Server, file};
use crate::{CHAT, HEAD};

const GET: &str = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// Starts a server that may have this many file descriptors.
fn limited(limit: u32, options: &str) -> Server {
    let chat = file("chat.sse", CHAT);
    let program = env!("CARGO_BIN_EXE_eventwire");
    let command = format!("ulimit -n {limit}; exec {program} serve {} --listen 0 {options}", chat.display());
    let mut process = Process::start("sh", &["-c", &command], &[]);
    let line = process.error_line();
    let address = line.split_once("http://").unwrap().1.split_once('/').unwrap().0.parse().unwrap();
    Server { process, address }
}

/// All of them are open before the first one is closed, and the server has no more file descriptors than most systems
/// allow.
#[test]
fn a_thousand_connections_at_once() {
    let mut server = limited(1024, "--end stall");
    let mut sockets: Vec<TcpStream> = (0..1000).map(|_| server.send(GET)).collect();
    let expected =
        format!("{HEAD}11\r\nid: 1\ndata: one\n\n\r\n11\r\nid: 2\ndata: two\n\n\r\n14\r\nid: 3\ndata: zwölf\n\n\r\n");
    for socket in &mut sockets {
        let mut bytes = vec![0; expected.len()];
        socket.read_exact(&mut bytes).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    }
    drop(sockets);
    let mut numbers: Vec<u64> = (0..1000)
        .map(|_| {
            let line = server.line();
            let (number, rest) = line.split_once(' ').unwrap();
            assert_eq!(rest, "GET /: 200, 3 events, 54 bytes, closed by the client");
            number.parse().unwrap()
        })
        .collect();
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(1..=1000));
}

#[test]
fn without_file_descriptors_the_server_waits() {
    let mut server = limited(20, "--end stall");
    let sockets: Vec<TcpStream> = (0..30).map(|_| server.send(GET)).collect();
    let line = server.process.error_line();
    assert!(line.starts_with("cannot accept a connection: ") && line.ends_with("; trying again\n"), "{line}");
    // It does not try again and again.
    thread::sleep(Duration::from_millis(100));
    // Those that could not be accepted are served after the others.
    let mut sockets = sockets.into_iter();
    drop(sockets.by_ref().take(20).collect::<Vec<_>>());
    for mut socket in sockets {
        let mut head = vec![0; HEAD.len()];
        socket.read_exact(&mut head).unwrap();
        assert_eq!(head, HEAD.as_bytes());
    }
    let lines: Vec<String> = (0..20).map(|_| server.process.error_line()).collect();
    let errors = lines.iter().filter(|line| line.starts_with("cannot accept")).count();
    assert!(errors < 10, "{lines:?}");
}

/// A client that reads slowly, or not at all, holds nobody else up.
#[test]
fn clients_do_not_wait_for_each_other() {
    let server = limited(1024, "--repeat");
    let silent: Vec<TcpStream> = (0..20).map(|_| server.send(GET)).collect();
    let mut bytes = vec![0; 1 << 20];
    server.send(GET).read_exact(&mut bytes).unwrap();
    assert!(bytes.starts_with(HEAD.as_bytes()));
    drop(silent);
    let answer = Answer::read(server.send("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"));
    assert_eq!(answer.status(), 421);
}
