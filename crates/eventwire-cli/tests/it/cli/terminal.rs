//! The line on a terminal that says for how long a connection has been silent.

use std::time::Duration;

use eventwire_test::{End, Script, TestServer};
use eventwire_test_support::Process;

const WIPE: &str = "\r\x1B[K";
/// Longer than a silence that is shown.
const PAUSE: Duration = Duration::from_millis(1500);

/// Runs the program in a pseudo terminal.
fn start(options: &str, url: &str) -> Process {
    let command = format!("'{}' {options} '{url}'", env!("CARGO_BIN_EXE_eventwire"));
    Process::start("script", &["-qec", &command, "/dev/null"], &[("NO_COLOR", "1")])
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
    let server = TestServer::new().answer(Script::new().send("data: 1\n\n").wait(PAUSE));
    let mut program = start("", &server.url());
    assert_eq!(before_silence(&mut program), "message 1\r\n");
    let end = program.end();
    assert!(end.out.ends_with(&format!("\x1B[0m{WIPE}")) && end.code == Some(0), "{:?}", end.out);
}

#[test]
fn the_line_does_not_erase_a_text_that_is_not_complete() {
    let answer = Script::new().send("data: {\"t\":\"Hel\"}\n\n").wait(PAUSE).send("data: {\"t\":\"lo\\n\"}\n\n");
    let server = TestServer::new().answer(answer.with_end(End::Stall));
    assert_eq!(before_silence(&mut start("--select t", &server.url())), "Hello\r\n");
}

#[test]
fn there_is_no_line_between_two_connections() {
    let last = Script::new().send("data: 2\n\n").with_end(End::Stall);
    let server = TestServer::new().answer(Script::new().send("retry: 1500\ndata: 1\n\n")).answer(last);
    let text = before_silence(&mut start("--follow", &server.url()));
    let lines: Vec<&str> = text.split("\r\n").collect();
    let ["message 1", why, "message 2", ""] = lines[..] else { panic!("{lines:?}") };
    assert!(why.contains("reconnecting in "), "{why}");
}
