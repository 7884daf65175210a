//! The line on a terminal that says for how long a connection has been silent.

use std::io::Write;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

use eventwire_test_support::{Process, Script};

use crate::EVENT_STREAM;

const WIPE: &str = "\r\x1B[K";
/// Longer than a silence that is shown.
const PAUSE: Duration = Duration::from_millis(1500);

/// Runs the program in a pseudo terminal.
fn start(options: &str, url: &str) -> Process {
    let command = format!("'{}' {options} '{url}'", env!("CARGO_BIN_EXE_eventwire"));
    Process::start("script", &["-qec", &command, "/dev/null"], &[("NO_COLOR", "1")])
}

/// A server that sends these parts over each connection, with a pause after each. The last connection stays open until
/// the sender is dropped.
fn serve(connections: &'static [&'static [&'static str]]) -> (Sender<()>, Script) {
    let (go, wait) = mpsc::channel::<()>();
    let script = Script::with(move |place, mut client| {
        let head = EVENT_STREAM.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
        client.write_all(head.as_bytes()).unwrap();
        let Some((last, others)) = connections.get(place).and_then(|parts| parts.split_last()) else { return };
        for part in others {
            client.write_all(part.as_bytes()).unwrap();
            thread::sleep(PAUSE);
        }
        client.write_all(last.as_bytes()).unwrap();
        if place + 1 == connections.len() {
            let _ = wait.recv();
        }
    });
    (go, script)
}

/// Reads up to the line of silence, and returns what is before it.
fn before_silence(program: &mut Process) -> String {
    let line = format!("{WIPE}\x1B[2mconnected, silent for ");
    let mut text = String::new();
    while !text.ends_with(&line) {
        text += &program.bytes(1);
        assert!(text.len() < 10_000, "{text:?}");
    }
    text.truncate(text.len() - line.len());
    text
}

#[test]
fn the_line_is_wiped_before_the_next_output() {
    let (go, script) = serve(&[&["data: 1\n\n"]]);
    let mut program = start("", &script.url);
    assert_eq!(before_silence(&mut program), "message 1\r\n");
    drop(go);
    let end = program.end();
    assert!(end.out.ends_with(&format!("\x1B[0m{WIPE}")) && end.code == Some(0), "{:?}", end.out);
}

#[test]
fn the_line_does_not_erase_a_text_that_is_not_complete() {
    let (_go, script) = serve(&[&["data: {\"t\":\"Hel\"}\n\n", "data: {\"t\":\"lo\\n\"}\n\n"]]);
    assert_eq!(before_silence(&mut start("--select t", &script.url)), "Hello\r\n");
}

#[test]
fn there_is_no_line_between_two_connections() {
    let (_go, script) = serve(&[&["retry: 1500\ndata: 1\n\n"], &["data: 2\n\n"]]);
    let text = before_silence(&mut start("--follow", &script.url));
    let lines: Vec<&str> = text.split("\r\n").collect();
    let ["message 1", why, "message 2", ""] = lines[..] else { panic!("{lines:?}") };
    assert!(why.contains("reconnecting in "), "{why}");
}
