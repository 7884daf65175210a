//! The command line, and how the program ends.

use std::net::TcpListener;

use eventwire_log_tests::TempFolder;
use eventwire_test_support::Process;

use crate::client::{Hub, PROGRAM, read};

#[test]
fn the_command_line() {
    let run = |args: &[&str]| Process::start(PROGRAM, args, &[]).end();
    let help = run(&["--help"]);
    assert_eq!((help.code, help.err.as_str()), (Some(0), ""));
    assert!(help.out.contains("Usage: hub"), "{}", help.out);
    run(&["--nonsense"]).failed("", &["hub: ", "--nonsense", "--help"]);
    run(&["--max-events", "many"]).failed("", &["hub: ", "\"many\"", "--help"]);
    let url = "mysql://me:sesame@localhost/db";
    let end = run(&["--log", url]);
    end.failed("", &["hub: ", "mysql://", "--help"]);
    assert!(!end.err.contains("sesame"), "{}", end.err);
    run(&["--log", "redis://"]).failed("", &["hub: "]);
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = taken.local_addr().unwrap().to_string();
    run(&["--log", "memory", "--listen", &address]).failed("", &["hub: ", &address, "in use", "--listen"]);
}

#[test]
fn files_that_are_no_log() {
    let folder = TempFolder::new();
    let text = folder.path().join("text.db");
    std::fs::write(&text, "this is a text, and longer than the head of a file of SQLite: ".repeat(20)).unwrap();
    let missing = folder.path().join("missing/events.db");
    for (file, said) in [(&text, "not a SQLite file"), (&missing, "cannot open")] {
        let file = file.to_str().unwrap();
        Process::start(PROGRAM, &["--log", file], &[]).end().failed("", &["hub: ", file, said]);
    }
}

#[test]
fn signals_end_the_open_responses() {
    for signal in ["-INT", "-TERM"] {
        let hub = Hub::start("memory");
        let readers: Vec<_> = (0..5).map(|_| read(&hub.address, "/topics/a", "").unwrap()).collect();
        hub.signal(signal);
        for reader in readers {
            let text = reader.text();
            assert_eq!(text.matches("retry: ").count(), 2, "one at the beginning, and one at the end: {text}");
            let retry = text.rsplit_once("retry: ").and_then(|(_, rest)| rest.strip_suffix("\n\n")).expect(&text);
            assert!((1000..=10_000).contains(&retry.parse::<u32>().unwrap()), "{text}");
        }
        hub.process.end().printed("");
    }
}
