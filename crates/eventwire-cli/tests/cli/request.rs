//! What the options for a URL send to the server.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;

use eventwire_test_support::{Request, Script};

use crate::{EVENT_STREAM, fails, one_line, start};

/// Returns the request that the program sends with these options.
#[track_caller]
fn sent(args: &[&str]) -> Request {
    let script = Script::new(&[&format!("{EVENT_STREAM}id: 7\ndata: one\n\n")]);
    start(&[args, &[&script.url]].concat()).end().printed("message [7] one\n");
    let mut requests = script.requests();
    assert_eq!(requests.len(), 1);
    requests.remove(0)
}

#[test]
fn a_last_event_id() {
    for id in ["é 日本語 🦀", "a\tb", "-"] {
        let request = sent(&["--last-event-id", id]);
        assert_eq!((request.line(), request.header("last-event-id")), ("GET /events HTTP/1.1", vec![id]));
    }
    assert_eq!(sent(&["--header", "Last-Event-ID: 7"]).header("last-event-id"), ["7"]);
    assert_eq!(sent(&["--last-event-id", "8", "--header", "Last-Event-ID: 7"]).header("last-event-id"), ["8"]);
    assert!(sent(&["--last-event-id="]).header("last-event-id").is_empty());
    assert!(sent(&[]).header("last-event-id").is_empty());
}

#[test]
fn a_header_with_the_last_event_id_is_replaced_by_the_events() {
    let script = Script::new(&[
        &format!("{EVENT_STREAM}retry: 1\nid: 8\ndata: one\n\n"),
        &format!("{EVENT_STREAM}id\ndata: two\n\n"),
        "HTTP/1.1 204 No Content\r\n\r\n",
    ]);
    let end = start(&["--follow", "--header", "Last-Event-ID: 7", &script.url]).end();
    assert_eq!((end.code, end.out.as_str()), (Some(0), "message [8] one\nmessage two\n"));
    let ids: Vec<String> = script.requests().iter().map(|request| request.header("last-event-id").join("|")).collect();
    assert_eq!(ids, ["7", "8", ""]);
}

#[test]
fn a_post() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("post.json");
    fs::write(&path, "{\"file\": \"é\"}").unwrap();
    let file = format!("@{}", path.to_str().unwrap());
    for (option, body) in [("{\"text\": \"é\"}", "{\"text\": \"é\"}"), (&file, "{\"file\": \"é\"}"), ("", "")] {
        let request = sent(&["--post", option]);
        assert_eq!((request.line(), request.body.as_str()), ("POST /events HTTP/1.1", body));
        assert_eq!(request.header("content-type"), ["application/json"]);
        assert_eq!(request.header("accept"), ["text/event-stream"]);
    }
}

#[test]
fn a_post_of_standard_input() {
    let script = Script::new(&[&format!("{EVENT_STREAM}data: one\n\n")]);
    let mut program = start(&["--post", "@-", &script.url]);
    program.feed(b"two\r\n");
    program.feed(b"lines");
    program.end().printed("message one\n");
    assert_eq!(script.requests().remove(0).body, "two\r\nlines");
}

#[test]
fn headers() {
    let request = sent(&["--header", "Authorization: Bearer a: b ", "--header", "X-Two:1", "--header", "x-two: é"]);
    assert_eq!(request.header("authorization"), ["Bearer a: b"]);
    assert_eq!(request.header("x-two"), ["1", "é"]);
    assert_eq!(request.header("accept"), ["text/event-stream"]);
    assert_eq!(request.header("cache-control"), ["no-cache"]);

    let own =
        ["--header", "Accept: text/plain", "--header", "Cache-Control: no-store", "--header", "content-type: text/x"];
    let request = sent(&[&own[..], &["--post", "..."]].concat());
    assert_eq!(request.header("accept"), ["text/plain"]);
    assert_eq!(request.header("cache-control"), ["no-store"]);
    assert_eq!(request.header("content-type"), ["text/x"]);
}

#[test]
fn a_password_is_sent_but_not_printed() {
    for answer in ["204 No Content", "404 Not Found", "200 OK"] {
        let script = Script::new(&[&format!("HTTP/1.1 {answer}\r\n\r\n")]);
        let end = start(&[&script.url.replace("://", "://user:secret@")]).end();
        assert!(!end.err.contains("secret"), "{:?}", end.err);
        end.failed("", &[&script.url]);
        assert_eq!(script.requests().remove(0).header("authorization"), ["Basic dXNlcjpzZWNyZXQ="]);
    }
}

#[test]
fn a_password_in_a_redirect_is_not_printed() {
    for answer in ["204 No Content", "404 Not Found", "200 OK"] {
        let script = Script::new(&[&format!("HTTP/1.1 {answer}\r\n\r\n")]);
        let location = script.url.replace("://", "://user:secret@");
        let redirect = Script::new(&[&format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\n\r\n")]);
        let end = start(&[&redirect.url]).end();
        assert!(!end.err.contains("secret"), "{:?}", end.err);
        end.failed("", &[&script.url]);
    }
}

#[test]
fn a_post_is_sent_again_only_if_it_was_not_carried_out() {
    let script = Script::new(&[
        "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\n\r\n",
        &format!("{EVENT_STREAM}retry: 1\nid: 1\ndata: one\n\n"),
        &format!("{EVENT_STREAM}data: paid twice\n\n"),
    ]);
    let end = start(&["--follow", "--post", "body", &script.url]).end();
    assert_eq!((end.code, end.out.as_str()), (Some(0), "message [1] one\n"));
    assert!(end.err.lines().count() == 1 && end.err.contains("429"), "{:?}", end.err);
    let requests: Vec<(String, String)> =
        script.requests().iter().map(|request| (request.line().to_owned(), request.body.clone())).collect();
    assert_eq!(requests, vec![("POST /events HTTP/1.1".to_owned(), "body".to_owned()); 2]);

    // A proxy may have sent this response while the server behind it works.
    let unavailable = Script::new(&["HTTP/1.1 503 Service Unavailable\r\nRetry-After: 0\r\n\r\n", EVENT_STREAM]);
    let end = start(&["--follow", "--post", "body", &unavailable.url]).end();
    end.failed("", &["answered 503 Service Unavailable", "the POST may have been carried out"]);
    assert_eq!(unavailable.requests().len(), 1);
}

#[test]
fn a_post_is_sent_again_if_there_was_no_connection() {
    // Nothing listens on the local port of a connection, and no other process can get it in the meantime.
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let connection = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let url = format!("http://{}/", connection.local_addr().unwrap());
    let mut program = start(&["--follow", "--post", "body", &url]);
    for _ in 0..2 {
        let line = program.error_line();
        assert!(line.starts_with("eventwire: cannot connect to ") && line.contains("; reconnecting in "), "{line}");
    }
}

#[test]
fn a_request_that_cannot_be_sent_is_not_sent_again() {
    // The HTTP client refuses a URL of this length. The error quotes it.
    let url = format!("http://127.0.0.1:1/{}", "a".repeat(70_000));
    let mut program = start(&["--follow", &url]);
    one_line(&program.error_line(), &["cannot fetch http://127.0.0.1:1/aaa", "; check the URL with another client\n"]);
    let end = program.end();
    assert_eq!((end.code, end.out.as_str(), end.err.as_str()), (Some(1), "", ""));
}

#[test]
fn a_post_that_was_redirected_is_not_sent_again() {
    // By a 303, the server says that it has carried out the request. Then it is busy.
    let script = Script::new(&[
        "HTTP/1.1 303 See Other\r\nLocation: /answer\r\n\r\n",
        "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 0\r\n\r\n",
    ]);
    let end = start(&["--follow", "--post", "body", &script.url]).end();
    end.failed("", &["answered 429 Too Many Requests", "the POST may have been carried out"]);
    let lines: Vec<String> = script.requests().iter().map(|request| request.line().to_owned()).collect();
    assert_eq!(lines, ["POST /events HTTP/1.1", "GET /answer HTTP/1.1"]);
}

/// Another server must not get a key or a body that is meant for the first.
#[test]
fn headers_and_a_body_are_not_sent_to_another_server() {
    for options in [&["--header", "X-Api-Key: secret"][..], &["--post", "body"], &[]] {
        let other = Script::new(&[&format!("{EVENT_STREAM}data: one\n\n")]);
        let first = Script::new(&[&format!("HTTP/1.1 307 Temporary Redirect\r\nLocation: {}\r\n\r\n", other.url)]);
        let end = start(&[options, &[&first.url]].concat()).end();
        if options.is_empty() {
            assert_eq!((end.code, end.out.as_str(), other.requests().len()), (Some(0), "message one\n", 1));
        } else {
            end.failed("", &["cannot follow the redirect", "another origin", "use the one that it redirects to"]);
            assert_eq!(other.requests().len(), 0);
        }
    }
}

#[test]
fn a_post_whose_connection_is_lost_is_reported() {
    let answer = EVENT_STREAM.replace("\r\n\r\n", "\r\nContent-Length: 99\r\n\r\nretry: 1\nid: 1\ndata: one\n\n");
    let script = Script::new(&[&answer, &answer]);
    let end = start(&["--follow", "--post", "body", &script.url]).end();
    end.failed("message [1] one\n", &["connection lost: ", "the POST may have been carried out"]);
    assert_eq!(script.requests().len(), 1);
}

#[test]
fn a_post_that_ends_in_the_middle_of_an_event_is_reported() {
    for options in [&["--follow", "--post", "body"][..], &["--post", "body"]] {
        let answer = format!("{EVENT_STREAM}retry: 1\ndata: one\n\ndata: tw");
        let script = Script::new(&[&answer, &answer]);
        let end = start(&[options, &[&script.url]].concat()).end();
        end.failed("message one\n", &["the connection ended inside an event; "]);
        assert_eq!(script.requests().len(), 1);
    }
}

#[test]
fn a_post_whose_last_chunk_is_missing_is_reported() {
    let head = EVENT_STREAM.replace("\r\n\r\n", "\r\nTransfer-Encoding: chunked\r\n\r\n");
    for body in ["b\r\ndata: one\n\n\r\n", "ff\r\ndata: one\n\ndata: tw"] {
        for options in [&["--follow", "--post", "body"][..], &["--post", "body"]] {
            let answer = format!("{head}{body}");
            let script = Script::new(&[&answer, &answer]);
            let end = start(&[options, &[&script.url]].concat()).end();
            end.failed("message one\n", &["connection lost: "]);
            assert_eq!(script.requests().len(), 1);
        }
    }
}

#[test]
fn a_post_that_ends_before_its_first_event_is_not_sent_again() {
    for answer in ["", "HTTP/1.1 502 Bad Gateway\r\n\r\n", EVENT_STREAM] {
        let script = Script::new(&[answer, &format!("{EVENT_STREAM}data: paid twice\n\n")]);
        let end = start(&["--follow", "--post", "body", &script.url]).end();
        if answer == EVENT_STREAM {
            assert_eq!((end.code, end.out.as_str()), (Some(0), ""));
            one_line(&end.err, &["no event in ", "; it is empty\n"]);
        } else {
            end.failed("", &["the POST may have been carried out"]);
        }
        assert_eq!(script.requests().len(), 1, "{answer:?}");
    }
}

#[test]
fn a_password_in_a_redirect_that_cannot_be_followed_is_not_printed() {
    for location in ["http://user:secret@[::1", "ftp://user:secret@localhost/"] {
        let redirect = Script::new(&[&format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\n\r\n")]);
        let end = start(&[&redirect.url]).end();
        assert!(!end.err.contains("secret"), "{:?}", end.err);
        end.failed("", &["cannot follow the redirect"]);
    }
}

#[test]
fn a_redirect_that_cannot_be_followed() {
    let redirect = "HTTP/1.1 302 Found\r\nLocation: http://[::1\r\n\r\n";
    let script = Script::new(&[redirect]);
    let said = format!("cannot fetch {}: cannot follow the redirect to \"http://[::1\"; ", script.url);
    start(&[&script.url]).end().failed("", &[&said]);

    let script = Script::new(&[redirect, &format!("{EVENT_STREAM}retry: 1\ndata: one\n\n")]);
    let end = start(&["--follow", &script.url]).end();
    assert_eq!((end.code, end.out.as_str()), (Some(0), "message one\n"));
    assert!(end.err.contains("cannot follow the redirect"), "{:?}", end.err);
}

#[test]
fn mistakes_in_options() {
    let script = Script::new(&[]);
    let url = script.url.as_str();
    let urls_only: [(&str, &[&str]); 5] = [
        ("--follow", &["--follow"]),
        ("--follow", &["-f"]),
        ("--last-event-id", &["--last-event-id", "1"]),
        ("--post", &["--post", "body"]),
        ("--header", &["--header", "a: b"]),
    ];
    for (name, option) in urls_only {
        let places = [("standard input", vec!["-"]), ("a file", vec!["no/such/file"]), ("the demo", vec![])];
        for (what, place) in places {
            fails(&[option, &place].concat(), &[name, "URL", &format!("not for {what}"), "--help"]);
            fails(&[place, option.to_vec()].concat(), &[name, "URL", &format!("not for {what}"), "--help"]);
        }
    }
    for name in ["--last-event-id", "--post", "--header"] {
        fails(&[url, name], &["missing argument", name, "--help"]);
    }
    fails(&["--follow=yes", url], &["--follow", "yes", "--help"]);
    fails(&["--header", "Authorization Bearer key", url], &["--header", "no colon", "'Name: value'", "--help"]);
    fails(&["--header", "a b: c", url], &["--header", "\"a b\"", "'Name: value'"]);
    fails(&["--header", ": c", url], &["--header", "\"\"", "'Name: value'"]);
    fails(&["--header", "\x1B\n: c", url], &["--header", "\"\\u{1b}\\n\"", "'Name: value'"]);
    fails(&["--header", "a: b\nc: d", url], &["--header", "\"a\"", "control character"]);
    fails(&["--post", "@no/such/file", url], &["--post", "\"no/such/file\"", "@-"]);
    for id in ["a\nb", "a\rb", "\x1B", "\x7F"] {
        fails(&["--last-event-id", id, url], &["last event ID", "control character"]);
        fails(&["--follow", "--last-event-id", id, url], &["last event ID", "control character"]);
    }
    assert_eq!(script.requests().len(), 0);
}

#[test]
fn the_reason_that_a_server_gives_is_printed_if_it_is_short_text() {
    let long = format!("{}{}", "é".repeat(200), "not this");
    let cut = format!("answered 400 Bad Request: {}…; check", "é".repeat(200));
    let answers = [
        (
            "application/json",
            "{\"error\": {\"message\": \"no such model\", \"code\": 7}}",
            "Request: no such model; check",
        ),
        ("application/json", "{\"error\": \"no such model\"}", "Request: no such model; check"),
        ("application/json", "{\"message\": \"no such model\"}", "Request: no such model; check"),
        ("application/json", "{\"detail\": \"no such model\"}", "Request: no such model; check"),
        ("application/json", "{\n  \"why\": 7\n}", "Request: { \"why\": 7 }; check"),
        ("text/plain", "  no\x1B[2J\r\n\tsuch \u{9B} model\0", "Request: no\\u{1b}[2J such \\u{9b} model\\u{0}; check"),
        ("text/plain", &long, &cut),
        ("text/html", "\n<!DOCTYPE html>...", "Bad Request; check"),
        ("text/plain", " \n", "Bad Request; check"),
    ];
    for (content_type, body, said) in answers {
        let script = Script::new(&[&format!("HTTP/1.1 400 Bad Request\r\nContent-Type: {content_type}\r\n\r\n{body}")]);
        start(&[&script.url]).end().failed("", &[said]);
    }
}
