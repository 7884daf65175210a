//! The gateway's command line.

use std::net::TcpListener;

use crate::client::Gateway;
use crate::process::Process;

#[tokio::test]
async fn the_first_line_says_where_it_listens() {
    let gateway = Gateway::start(&[]);
    let port = gateway.url.strip_prefix("http://127.0.0.1:").expect(&gateway.url);
    assert_ne!(port.parse::<u16>().unwrap(), 0);
    assert_eq!(gateway.get("/v1/models").await.status, 200);
}

#[test]
fn a_port_that_is_taken() {
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = taken.local_addr().unwrap().to_string();
    fails(&["--listen", &address], &[&address, "in use", "--listen"]);
}

#[test]
fn help_is_no_error() {
    for flag in ["--help", "-h"] {
        let end = Process::start("gateway", &[flag], &[]).end();
        assert_eq!((end.code, end.err.as_str()), (Some(0), ""));
        for word in ["Usage: gateway", "--listen", "--api-key", "--delay", "/v1/chat/completions"] {
            assert!(end.out.contains(word), "{}", end.out);
        }
    }
}

#[test]
fn a_mistake_on_the_command_line() {
    fails(&["--nonsense"], &["--nonsense", "--help"]);
    fails(&["file"], &["\"file\"", "--help"]);
    fails(&["--delay"], &["--delay", "--help"]);
    fails(&["--delay", "soon"], &["\"soon\"", "--help"]);
    fails(&["--delay", "-1"], &["\"-1\"", "--help"]);
    fails(&["--listen", "no\nwhere"], &["\"no\\nwhere\"", "--listen"]);
}

#[track_caller]
fn fails(args: &[&str], said: &[&str]) {
    let end = Process::start("gateway", args, &[]).end();
    assert!(end.err.starts_with("gateway: "), "{:?}", end.err);
    end.failed("", said);
}
