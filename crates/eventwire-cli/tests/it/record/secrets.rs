//! Nothing secret is in the file, or in a line of the program.

use std::fs;
use std::path::Path;

use eventwire_test::{Script, TestServer};

use crate::record::{new_file, start};

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
fn recorded(name: &str, options: &[&str], answers: &[&Script]) -> (String, String) {
    let server = TestServer::new().answers(answers.iter().copied().cloned()).answer_with(|_| Script::status(204));
    let file = new_file(name);
    let end = start(&[&OPTIONS, options].concat(), &secret(&server.url()), &file).end();
    let requests = server.requests();
    assert!(requests.len() >= answers.len(), "{end:?}");
    assert_eq!(requests[0].uri(), "/events?key=CANARY1&CANARY2&b=CANARY=3&&c");
    assert_eq!(requests[0].headers()["x-api-key"], "CANARY");
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
    let with_cookies = |answer: Script| {
        let answer = answer.header("set-cookie", "a=CANARY").header("www-authenticate", "Bearer CANARY");
        answer.header("x-secret", "CANARY").header("location", "/CANARY")
    };
    let redirect = |location| Script::status(307).header("location", location);
    let whole = with_cookies(Script::new()).send("retry: 1\ndata: 1\n\n");
    let cut = with_cookies(Script::new()).header("content-length", "999").send("retry: 1\ndata: 1\n\n: x\n\n");
    let refusal = with_cookies(Script::status(503)).header("retry-after", "0").send("busy");
    let denied = with_cookies(Script::status(401));
    let moved = redirect("/events?key=CANARY5#CANARY").header("set-cookie", "CANARY");
    let foreign = redirect("http://user:CANARY@127.0.0.2:1/?CANARY#CANARY");
    let invalid = redirect("http://CANARY@[::1/?CANARY");
    let no_stream = Script::new().send("{}\n");
    let no_answer = Script::raw("");
    for (name, options, answers) in [
        ("whole", &[][..], &[&whole][..]),
        ("cut", &["--follow"], &[&cut, &refusal, &cut, &moved, &whole, &invalid, &no_stream, &no_answer]),
        ("cut-once", &[], &[&cut]),
        ("denied", &[], &[&denied]),
        ("post", &["-d", "CANARY"], &[&cut]),
        ("post-followed", &["--follow", "-X", "PUT", "-d", "CANARY"], &[&moved, &refusal, &denied]),
        ("foreign", &[], &[&foreign]),
        ("invalid", &[], &[&invalid]),
        ("no-answer", &[], &[&no_answer]),
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
    let answer = Script::new().header("set-cookie", "a=CANARY").send("data: 1\n\n");
    let (said, file) = recorded("secret-query", &["--keep-query"], &[&answer]);
    has_no_secret(&said);
    let query = "?key=CANARY1&CANARY2&b=CANARY=3&&c\"";
    assert!(file.contains(query), "{file}");
    has_no_secret(&file.replace(query, ""));
}
