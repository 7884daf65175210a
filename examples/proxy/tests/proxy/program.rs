//! The program's command line and its log.

use std::net::TcpListener;

use eventwire_test_support::Process;
use reqwest::Client;

use crate::proxied::{answers, send, text, token, whole};

const PROGRAM: &str = env!("CARGO_BIN_EXE_proxy");

#[tokio::test]
async fn each_stream_is_a_line_of_the_log() {
    let (upstream, _head) = answers(whole(&[&token("a"), ": x\n\n", &token("b"), "data: [DONE]\n\n"].concat()));
    let mut program =
        Process::start(PROGRAM, &["--upstream", &upstream, "--model", "ours", "--listen", "127.0.0.1:0"], &[]);
    let line = program.line();
    let url = line.strip_prefix("listening on ").and_then(|rest| rest.strip_suffix('\n')).expect(&line);
    let client = Client::builder().no_proxy().build().unwrap();
    let body = text(send(client.get(format!("{url}/v1/x?key=secret"))).await).await;
    let expected = [token("a"), token("b"), "data: [DONE]\n\n".into()].concat().replace("small-2", "ours");
    assert_eq!(body, expected);
    let line = program.error_line();
    assert!(line.starts_with("proxy: GET /v1/x 200: complete, tokens 2, first after "), "{line:?}");
    assert!(line.contains(", total "), "{line:?}");
}

#[test]
fn a_port_that_is_taken() {
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = taken.local_addr().unwrap().to_string();
    fails(&["--upstream", "http://127.0.0.1:1", "--listen", &address], &[&address, "in use", "--listen"]);
}

#[test]
fn help_is_not_an_error() {
    for flag in ["--help", "-h"] {
        let end = Process::start(PROGRAM, &[flag], &[]).end();
        assert_eq!((end.code, end.err.as_str()), (Some(0), ""));
        for word in ["Usage: proxy", "--upstream", "--listen", "--model"] {
            assert!(end.out.contains(word), "{}", end.out);
        }
    }
}

#[test]
fn a_mistake_on_the_command_line() {
    fails(&[], &["--upstream", "--help"]);
    fails(&["--nonsense"], &["--nonsense", "--help"]);
    fails(&["file"], &["\"file\"", "--help"]);
    fails(&["--upstream"], &["--upstream", "--help"]);
    fails(&["--upstream", "no\nURL"], &["\"no\\nURL\" is not the URL of a server", "http://host:port"]);
    fails(&["--upstream", "ftp://127.0.0.1"], &["\"ftp\"", "http://host:port"]);
    fails(&["--upstream", "http://127.0.0.1/?a"], &["http://127.0.0.1/?a", "http://host:port"]);
    fails(&["--upstream", "http://127.0.0.1:1", "--listen", "no\nwhere"], &["\"no\\nwhere\"", "--listen"]);
}

#[track_caller]
fn fails(args: &[&str], said: &[&str]) {
    let end = Process::start(PROGRAM, args, &[]).end();
    assert!(end.err.starts_with("proxy: "), "{:?}", end.err);
    end.failed("", said);
}
