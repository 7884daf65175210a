//! What is sent again, and what is not.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;

use eventwire_test_support::{End, Script};

use crate::{FailedAsking, STREAM, event, run};

fn ask(url: &str) -> End {
    run(&["--base-url", url, "--model", "any", "hello"], &[])
}

/// Checks that standard error starts with this many lines about retries, each with these words once. Returns the
/// end without these lines.
#[track_caller]
fn tried_again(end: End, times: usize, said: &[&str]) -> End {
    let (mut lines, last): (Vec<_>, Vec<_>) =
        end.err.split_inclusive('\n').partition(|line| line.contains("; trying again in "));
    assert_eq!(lines.len(), times, "{:?}", end.err);
    assert!(end.err.starts_with(&lines.concat()), "{:?}", end.err);
    for line in &mut lines {
        assert!(line.starts_with("chat: ") && line.ends_with("s\n"), "{line:?}");
        for words in said {
            assert_eq!(line.matches(words).count(), 1, "{words:?} in {line:?}");
        }
    }
    End { err: last.concat(), ..end }
}

fn answer(head: &str, body: &str) -> String {
    format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

fn whole() -> String {
    format!("{STREAM}{}data: [DONE]\n\n", event("one two"))
}

#[test]
fn a_server_that_is_busy_for_a_moment() {
    let busy = answer("429 Too Many Requests\r\nRetry-After: 1", r#"{"error":"busy"}"#);
    let script = Script::new(&[&busy, &whole()]);
    // At least the delay that the server asks for, and at most a quarter more.
    let said = ["the server answered 429 Too Many Requests: busy; trying again in 1."];
    tried_again(ask(&script.url), 1, &said).printed("one two\n");
    assert_eq!(script.requests().len(), 2);
}

#[test]
fn a_server_that_stays_busy() {
    let busy = answer("429 Too Many Requests", r#"{"error":"too many"}"#);
    let script = Script::new(&[busy.as_str(); 3]);
    let said = "the server answered 429 Too Many Requests: too many";
    tried_again(ask(&script.url), 2, &[said]).failed_asking(&[said]);
    assert_eq!(script.requests().len(), 3);
}

#[test]
fn a_server_that_is_busy_for_an_hour() {
    let busy = answer("429 Too Many Requests\r\nRetry-After: 3600", r#"{"error":"quota"}"#);
    let script = Script::new(&[&busy, &whole()]);
    ask(&script.url).failed_asking(&["429 Too Many Requests: quota"]);
    assert_eq!(script.requests().len(), 1);
}

/// It could be billed a second time.
#[test]
fn a_question_that_may_have_been_processed_is_not_sent_again() {
    let cut = format!("{STREAM}{}", event("one "));
    for (first, printed) in [
        (answer("500 Internal Server Error", ""), ""),
        (answer("502 Bad Gateway", "<html>"), ""),
        (answer("503 Service Unavailable\r\nRetry-After: 1", ""), ""),
        (answer("504 Gateway Timeout", ""), ""),
        (String::new(), ""),
        (STREAM.into(), ""),
        (cut, "one \n"),
    ] {
        let script = Script::new(&[&first, &whole()]);
        ask(&script.url).failed(printed, &[]);
        assert_eq!(script.requests().len(), 1);
    }
}

#[test]
fn a_server_that_is_not_there() {
    // Nothing listens on the local port of a connection, and no other process can get it in the meantime.
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let connection = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let url = format!("http://{}/v1", connection.local_addr().unwrap());
    let said = [&format!("cannot connect to {url}/chat/completions: "), "refused"];
    tried_again(ask(&url), 2, &said).failed_asking(&[said[0], said[1], "check the base URL and the server"]);
}

#[test]
fn a_host_that_is_unknown() {
    // RFC 6761 reserves `.invalid`, so this name never exists.
    let url = "http://chat.invalid/v1";
    let said = "cannot connect to http://chat.invalid/v1/chat/completions: ";
    tried_again(ask(url), 2, &[said]).failed_asking(&[said, "check the base URL and the server"]);
}

#[test]
fn https_to_a_server_without_tls() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("https://{}/v1", listener.local_addr().unwrap());
    // The server reads the TLS handshake as an invalid request.
    let (greeted, greetings) = mpsc::channel();
    thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.unwrap();
            greeted.send(client.read(&mut [0; 1024]).unwrap()).unwrap();
            let _ = client.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let said = format!("cannot connect to {url}/chat/completions: ");
    tried_again(ask(&url), 2, &[&said]).failed_asking(&[&said, "check the base URL and the server"]);
    assert_eq!(greetings.try_iter().filter(|length| *length > 0).count(), 3);
}
