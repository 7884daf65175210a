//! The command line.

use std::net::TcpListener;

use eventwire_test_support::Process;

use crate::app::PROGRAM;

#[test]
fn mistakes_are_one_line() {
    let run = |args: &[&str]| Process::start(PROGRAM, args, &[]).end();
    run(&["--nonsense"]).failed("", &["hub: ", "--nonsense", "--help"]);
    run(&["--keep", "0"]).failed("", &["hub: ", "\"0\"", "--help"]);
    run(&["--delay", "soon"]).failed("", &["hub: ", "\"soon\"", "--help"]);
    run(&["--redis", "nonsense"]).failed("", &["hub: --redis needs a URL", "--help"]);
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = taken.local_addr().unwrap().to_string();
    run(&["--listen", &address]).failed("", &["hub: cannot listen on", &address, "in use", "--listen"]);
}

#[test]
fn help() {
    let help = Process::start(PROGRAM, &["--help"], &[]).end();
    assert_eq!((help.code, help.err.as_str()), (Some(0), ""));
    assert!(help.out.contains("Usage: hub"), "{}", help.out);
}
