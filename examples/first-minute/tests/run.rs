//! Runs the programs as the README tells its readers to, and compares what they print with what it shows.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::{
    io::{BufRead, BufReader, ErrorKind, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::Duration,
};

const README: &str = include_str!("../../../README.md");

/// The ports in the programs, that of the first server and that of the gateway.
const SERVER: u16 = 3000;
const GATEWAY: u16 = 8080;

/// A program that is stopped when the test ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until the port is free, because another run of these tests may have it. If another program has it, the test
/// can only be skipped.
fn is_free(port: u16) -> bool {
    for _ in 0..600 {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            Err(error) if error.kind() == ErrorKind::AddrInUse => sleep(Duration::from_millis(100)),
            _ => return true,
        }
    }
    assert!(std::env::var_os("CI").is_none(), "port {port} is in use");
    println!("SKIPPED: another program listens on port {port}");
    false
}

/// Returns the text of the block of code of the README that contains this text.
fn block(text: &str) -> &'static str {
    let (before, after) = README.split_once(text).expect(text);
    let start = before.rfind("```").unwrap();
    let start = start + README[start..].find('\n').unwrap() + 1;
    let end = before.len() + text.len() + after.find("```").unwrap();
    &README[start..end]
}

fn start(server: &str) -> Running {
    let mut server = Running(Command::new(server).spawn().unwrap());
    while TcpStream::connect((Ipv4Addr::LOCALHOST, SERVER)).is_err() {
        assert!(server.0.try_wait().unwrap().is_none(), "the server has ended");
        sleep(Duration::from_millis(20));
    }
    server
}

/// Returns what a program prints that ends by itself.
fn output(program: &str) -> String {
    let output = Command::new(program).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && errors.is_empty(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn both_servers_with_their_clients() {
    if !is_free(SERVER) {
        return;
    }
    let server = start(env!("CARGO_BIN_EXE_server"));
    assert_eq!(output(env!("CARGO_BIN_EXE_client")), block("tick 3\n"));

    let feed = Command::new(env!("CARGO_BIN_EXE_feed")).stdout(Stdio::piped()).spawn().unwrap();
    let mut feed = Running(feed);
    let mut lines = BufReader::new(feed.0.stdout.take().unwrap()).lines();
    for shown in block("; reconnecting\ntick 1\n").lines() {
        assert_eq!(lines.next().unwrap().unwrap(), shown);
    }
    drop((feed, server));

    // One after the other, because they have the same port.
    let _server = start(env!("CARGO_BIN_EXE_seconds"));
    let mut client = TcpStream::connect((Ipv4Addr::LOCALHOST, SERVER)).unwrap();
    client.write_all(b"GET /seconds HTTP/1.0\r\n\r\n").unwrap();
    let lines = BufReader::new(client).lines().map(Result::unwrap).skip_while(|line| !line.is_empty()).skip(1);
    // The IDs and the seconds differ from run to run.
    let kinds: Vec<_> = lines.take(4).map(|line| line.split(':').next().unwrap().to_owned()).collect();
    let shown: Vec<_> = block("data: 3 s\n").lines().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(kinds, shown);
}

#[test]
fn an_answer_of_the_gateway() {
    if !is_free(GATEWAY) {
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, GATEWAY))).unwrap();
    runtime.spawn(gateway::serve(listener, gateway::Settings::default()));
    assert_eq!(output(env!("CARGO_BIN_EXE_answer")), "What is an event stream?\n");
}

#[test]
fn the_readme_shows_the_programs() {
    assert_eq!(block("EventBody::new(events).response()\n"), include_str!("../../../docs/first-server.rs"));
    assert_eq!(block("let mut events = request.open().await?; //"), include_str!("../../../docs/first-client.rs"));
    assert_eq!(block("let mut chunks = "), include_str!("../../../docs/first-answer.rs"));
    assert_eq!(block("Ok(source.into_result()?)"), include_str!("../../../docs/first-feed.rs"));
    assert_eq!(block("Channel::new(History::new())"), include_str!("../../../crates/eventwire-hub/docs/server.rs"));
}
