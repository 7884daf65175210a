//! Runs the programs as the README tells its readers to, and compares what they print with what it shows.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::{
    env,
    io::{BufRead, BufReader, Read, Write, stderr},
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

/// Waits until no other run of these tests has this port, and keeps others from it until the result is dropped. If another
/// program has the port, the test can only be skipped.
fn reserve(port: u16) -> Option<TcpListener> {
    let bind = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok();
    for _ in 0..1200 {
        if let Some(lock) = bind(port + 20_000) {
            if bind(port).is_some() {
                return Some(lock);
            }
            let _ = writeln!(stderr(), "skipped: another program listens on port {port}");
            break;
        }
        sleep(Duration::from_millis(100));
    }
    assert!(env::var_os("CI").is_none(), "port {port} is in use");
    None
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
    for _ in 0..1500 {
        let is_there = TcpStream::connect((Ipv4Addr::LOCALHOST, SERVER)).is_ok();
        assert!(server.0.try_wait().unwrap().is_none(), "the server has ended");
        if is_there {
            return server;
        }
        sleep(Duration::from_millis(20));
    }
    panic!("the server did not start");
}

/// A client, without the proxy that may be configured on the machine.
fn client(program: &str) -> Command {
    let mut command = Command::new(program);
    for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env_remove(name);
    }
    command
}

/// Returns what a client prints that ends by itself.
fn output(program: &str) -> String {
    let output = client(program).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && errors.is_empty(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn both_servers_with_their_clients() {
    let Some(_lock) = reserve(SERVER) else { return };
    let server = start(env!("CARGO_BIN_EXE_server"));
    assert_eq!(output(env!("CARGO_BIN_EXE_client")), block("tick 3\n"));

    let feed = client(env!("CARGO_BIN_EXE_feed")).stdout(Stdio::piped()).spawn().unwrap();
    let mut feed = Running(feed);
    let mut lines = BufReader::new(feed.0.stdout.take().unwrap()).lines();
    for shown in block("; reconnecting\ntick 1\n").lines() {
        assert_eq!(lines.next().unwrap().unwrap(), shown);
    }
    drop((feed, server));

    // One after the other, because they have the same port.
    let _server = start(env!("CARGO_BIN_EXE_seconds"));
    let mut socket = TcpStream::connect((Ipv4Addr::LOCALHOST, SERVER)).unwrap();
    socket.write_all(b"GET /seconds HTTP/1.0\r\n\r\n").unwrap();
    let lines = BufReader::new(socket).lines().map(Result::unwrap).skip_while(|line| !line.is_empty()).skip(1);
    // The IDs and the seconds differ from run to run.
    let kinds: Vec<_> = lines.take(4).map(|line| line.split(':').next().unwrap().to_owned()).collect();
    let shown: Vec<_> = block("data: 3 s\n").lines().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(kinds, shown);
}

#[test]
fn an_answer_of_the_gateway() {
    let Some(_lock) = reserve(GATEWAY) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, GATEWAY))).unwrap();
    let settings = gateway::Settings { delay: Duration::from_millis(500), ..gateway::Settings::default() };
    runtime.spawn(gateway::serve(listener, settings));
    let answer = client(env!("CARGO_BIN_EXE_answer")).stdout(Stdio::piped()).spawn().unwrap();
    let mut answer = Running(answer);
    let mut printed = answer.0.stdout.take().unwrap();
    // The first word is printed long before the last one is sent.
    let mut word = [0; 4];
    printed.read_exact(&mut word).unwrap();
    assert!(answer.0.try_wait().unwrap().is_none(), "nothing was printed before the end");
    let mut rest = String::new();
    printed.read_to_string(&mut rest).unwrap();
    assert_eq!(String::from_utf8_lossy(&word) + &*rest, "What is an event stream?\n");
}

#[test]
fn the_readme_shows_the_programs() {
    assert_eq!(block("EventBody::new(events).response()\n"), include_str!("../../../docs/first-server.rs"));
    assert_eq!(block("let mut events = request.open().await?; //"), include_str!("../../../docs/first-client.rs"));
    assert_eq!(block("let mut chunks = "), include_str!("../../../docs/first-answer.rs"));
    assert_eq!(block("Ok(source.into_result()?)"), include_str!("../../../docs/first-feed.rs"));
    assert_eq!(block("Channel::new(History::new())"), include_str!("../../../crates/eventwire-hub/docs/server.rs"));
}
