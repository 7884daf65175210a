//! Nothing secret is in the file, or in a line of the program.

use std::fs;
use std::path::Path;

use eventwire_test_support::Script;

use crate::{new_file, start};

/// What is in each place that may hold a secret, and what the user and the password are in a header.
const SECRETS: [&str; 2] = ["CANARY", "dXNlcjpDQU5BUl"];

const OPTIONS: [&str; 12] = [
    "-v",
    "-i",
    "--json",
    "-H",
    "Authorization: Bearer CANARY",
    "-H",
    "Cookie: CANARY",
    "-H",
    "X-Api-Key: CANARY",
    "-H",
    "X-Canary: CANARY",
    "--comments",
];

/// Returns a URL with secrets.
fn secret(url: &str) -> String {
    format!("{}?key=CANARY1&CANARY2&b=CANARY=3&&c#CANARY4", url.replace("://", "://user:CANARY@"))
}

/// Records these answers, of which each is asked for, and returns all that the program has written.
fn recorded(name: &str, options: &[&str], answers: &[&str]) -> (String, String) {
    let script = Script::new(answers);
    let file = new_file(name);
    let end = start(&[&OPTIONS, options].concat(), &secret(&script.url), &file).end();
    let requests = script.requests();
    assert!(requests.len() >= answers.len(), "{end:?}");
    assert!(requests[0].line().contains("/events?key=CANARY1&CANARY2&b=CANARY=3&&c HTTP"), "{}", requests[0].line());
    assert_eq!(requests[0].header("x-api-key"), ["CANARY"]);
    (end.out + &end.err, read(&file))
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap()
}

#[track_caller]
fn has_no_secret(text: &str) {
    for secret in SECRETS {
        assert!(!text.contains(secret), "{text}");
    }
}

#[test]
fn nothing_secret_is_written() {
    let cookies = "Set-Cookie: a=CANARY\r\nWWW-Authenticate: Bearer CANARY\r\nX-Secret: CANARY\r\nLocation: /CANARY";
    let stream = format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{cookies}\r\n");
    let whole = format!("{stream}\r\nretry: 1\ndata: 1\n\n");
    let cut = format!("{stream}Content-Length: 999\r\n\r\nretry: 1\ndata: 1\n\n: x\n\n");
    let refusal = format!("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 0\r\n{cookies}\r\n\r\nbusy");
    let denied = format!("HTTP/1.1 401 Unauthorized\r\n{cookies}\r\n\r\n");
    let moved = "HTTP/1.1 307 Temporary Redirect\r\nLocation: /events?key=CANARY5#CANARY\r\nSet-Cookie: CANARY\r\n\r\n";
    let foreign = "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://user:CANARY@127.0.0.2:1/?CANARY#CANARY\r\n\r\n";
    let invalid = "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://CANARY@[::1/?CANARY\r\n\r\n";
    let no_stream = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n{}\n";
    for (name, options, answers) in [
        ("whole", &[][..], &[&*whole][..]),
        ("cut", &["--follow"], &[&cut, &refusal, &cut, moved, &whole, invalid, no_stream, ""]),
        ("cut-once", &[], &[&cut]),
        ("denied", &[], &[&denied]),
        ("post", &["-d", "CANARY"], &[&cut]),
        ("post-followed", &["--follow", "-X", "PUT", "-d", "CANARY"], &[moved, &refusal, &denied]),
        ("foreign", &[], &[foreign]),
        ("invalid", &[], &[invalid]),
        ("no-answer", &[], &[""]),
        ("timeout", &["--timeout", "5"], &[&whole]),
    ] {
        let (said, file) = recorded(&format!("secret-{name}"), options, answers);
        has_no_secret(&said);
        has_no_secret(&file);
        assert!(said.contains("events"), "{said}");
        if !matches!(name, "foreign" | "invalid" | "no-answer") {
            let query = if name.contains("followed") { "key=REDACTED\"" } else { "key=REDACTED&REDACTED&b=REDACTED&" };
            assert!(file.contains(&format!("/events?{query}")), "{name}: {file}");
            assert!(!file.to_lowercase().contains("cookie"), "{name}: {file}");
        }
    }
    // Where nothing listens.
    let file = new_file("secret-nobody");
    let end = start(&OPTIONS, &secret("http://127.0.0.1:1/x"), &file).end();
    has_no_secret(&(end.out + &end.err + &read(&file)));
}

#[test]
fn keep_query_keeps_nothing_else() {
    let answer = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nSet-Cookie: a=CANARY\r\n\r\ndata: 1\n\n";
    let (said, file) = recorded("secret-query", &["--keep-query"], &[answer]);
    has_no_secret(&said);
    let query = "?key=CANARY1&CANARY2&b=CANARY=3&&c\"";
    assert!(file.contains(query), "{file}");
    has_no_secret(&file.replace(query, ""));
}
