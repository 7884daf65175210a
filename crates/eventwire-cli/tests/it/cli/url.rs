//! What is sent to a server, and what is said about its answers.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;

use bytes::Bytes;
use eventwire_test::{End, Script, TestServer};
use eventwire_test_support::Process;
use http::Request;

use crate::cli::{fails, header, start};

/// Returns the request that the program sends with these options.
#[track_caller]
fn sent(options: &[&str]) -> Request<Bytes> {
    let server = TestServer::new().answer(Script::new().send("id: 7\ndata: one\n\n"));
    let mut program = start(&[options, &[&server.url()]].concat());
    program.feed(b"two\r\nlines");
    program.end().printed("message [7] one\n");
    let mut requests = server.requests();
    assert_eq!(requests.len(), 1);
    requests.remove(0)
}

#[test]
fn a_get() {
    let request = sent(&[]);
    assert_eq!((request.method().as_str(), request.uri().path(), request.body().len()), ("GET", "/events", 0));
    assert_eq!(header(&request, "accept"), ["text/event-stream"]);
    assert_eq!(header(&request, "cache-control"), ["no-cache"]);
    assert!(header(&request, "last-event-id").is_empty());
    for id in ["é 日本語 🦀", "a\tb", "-"] {
        assert_eq!(header(&sent(&["--last-event-id", id]), "last-event-id"), [id]);
    }
    assert!(header(&sent(&["--last-event-id="]), "last-event-id").is_empty());
}

/// As in curl, a URL needs no scheme, unless it is the name of a file.
#[test]
fn a_url_without_a_scheme() {
    let answer = || Script::new().send("data: one\n\n");
    let server = TestServer::new().answers([answer(), answer(), answer(), Script::status(204)]);
    let url = server.url();
    let without = url.strip_prefix("http://").unwrap();
    start(&[without]).end().printed("message one\n");
    start(&[&without.replace("127.0.0.1", "LocalHost")]).end().printed("message one\n");
    start(&[&format!("user:secret@{without}?key")]).end().printed("message one\n");
    let requests = server.requests();
    assert_eq!(header(&requests[2], "authorization"), ["Basic dXNlcjpzZWNyZXQ="]);
    assert_eq!(requests[2].uri(), "/events?key");
    let checked = start(&["check", "--time", "50", without]).end();
    assert!(checked.out.contains("204 No Content"), "{checked:?}");

    // Nobody listens there.
    for url in [
        "[::1]:1/x",
        "127.0.0.1:1",
        "localhost:1",
        "user@localhost:1?x",
        "localhost:1/feed?next=http://x/",
        "localhost:1#://",
    ] {
        fails(&[url], &["error sending request", "that the server is running"]);
    }
    for file in ["example.com/feed", "localhost.sse", "a:b", "10:x", "[::2", "::1", "/localhost:1", ".:", "a b:1", ":1"]
    {
        fails(&[file], &["cannot open", "a URL starts with http://"]);
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("localhost:1");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("feed"), "data: file\n\n").unwrap();
    let command = "cd \"$1/..\"; exec \"$2\" localhost:1/feed";
    let args = ["-c", command, "sh", folder.to_str().unwrap(), env!("CARGO_BIN_EXE_eventwire")];
    Process::start("sh", &args, &[]).end().printed("message file\n");
}

#[test]
fn a_post() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("post.json");
    fs::write(&path, "{\"file\": \"é\"}").unwrap();
    let file = format!("@{}", path.to_str().unwrap());
    for (post, body) in [("{\"é\": 1}", "{\"é\": 1}"), (&file, "{\"file\": \"é\"}"), ("@-", "two\r\nlines"), ("", "")]
    {
        let request = sent(&["--post", post]);
        assert_eq!((request.method().as_str(), &request.body()[..]), ("POST", body.as_bytes()));
        assert_eq!(header(&request, "content-type"), ["application/json"]);
        assert_eq!(header(&request, "accept"), ["text/event-stream"]);
    }
}

#[test]
fn headers() {
    let request = sent(&["--header", "Authorization: Bearer a: b ", "--header", "X-Two:1", "--header", "x-two: é"]);
    assert_eq!(header(&request, "authorization"), ["Bearer a: b"]);
    assert_eq!(header(&request, "x-two"), ["1", "é"]);
    assert_eq!(header(&request, "accept"), ["text/event-stream"]);

    let own = ["Accept: text/plain", "Cache-Control: no-store", "content-type: text/x", "Last-Event-ID: 7"];
    let options: Vec<&str> = own.iter().flat_map(|line| ["--header", line]).chain(["--post", "..."]).collect();
    let request = sent(&options);
    for line in own {
        let (name, value) = line.split_once(": ").unwrap();
        assert_eq!(header(&request, name), [value]);
    }
}

/// Another server must not get a key or a body that is meant for the first.
#[test]
fn headers_and_a_body_are_not_sent_to_another_server() {
    for options in [&["--header", "X-Api-Key: secret"][..], &["--post", "body"], &[]] {
        let other = TestServer::new().answer(Script::new().send("data: one\n\n"));
        let first = TestServer::new().answer(Script::status(307).header("location", other.url()));
        let end = start(&[options, &[&first.url()]].concat()).end();
        if options.is_empty() {
            end.printed("message one\n");
            assert_eq!(other.requests().len(), 1);
        } else {
            end.failed("", &["redirects to", "for the first origin", "use the one that it redirects to"]);
            assert_eq!(other.requests().len(), 0);
        }
    }
}

#[test]
fn a_password_and_a_query_are_sent_but_not_printed() {
    let redirect = Script::status(302).header("location", "http://user:secret@[::1");
    for answer in [Script::status(204), Script::status(404), Script::status(200), Script::new(), redirect] {
        let server = TestServer::new().answers([answer.clone(), answer]);
        let with_password = server.url().replace("://", "://user:secret@") + "/?key=secret";
        let end = start(&[&with_password]).end();
        assert!(end.err.contains(&server.url()) && !end.err.contains("secret"), "{:?}", end.err);
        assert_eq!(header(&server.requests()[0], "authorization"), ["Basic dXNlcjpzZWNyZXQ="]);

        let redirect = TestServer::new().answer(Script::status(302).header("location", with_password));
        let end = start(&[&redirect.url()]).end();
        assert!(end.code == Some(1) && !end.err.contains("secret"), "{:?}", end.err);
    }
}

#[test]
fn a_refusal_is_explained_in_one_line() {
    let long = format!("404 Not Found\r\n\r\n{}", "é".repeat(201));
    let cut = format!("404 Not Found: {}...; check", "é".repeat(200));
    for (answer, said) in [
        (
            "404 Not Found\r\nContent-Type: text/event-stream\r\n\r\ndata: x\n\n",
            "the server answered 404 Not Found: data: x; check the URL",
        ),
        (
            "400 Bad Request\r\n\r\n{\n \"error\": \"no\x1B[2J such\"\n}",
            "400 Bad Request: { \"error\": \"no\\u{1b}[2J such\" }; check",
        ),
        (
            "400 Bad Request\r\nContent-Type: text/html\r\n\r\n\n<!DOCTYPE html>",
            "400 Bad Request; check the URL, --header",
        ),
        ("404 Not Found\r\n\r\n", "404 Not Found; check the URL\n"),
        (&long, &cut),
        ("401 Unauthorized\r\n\r\n", "401 Unauthorized; send credentials with --header"),
        (
            "401 Unauthorized\r\nContent-Encoding: zstd\r\n\r\nzzz",
            "; its body is compressed, and curl --compressed shows it; send",
        ),
        ("405 Method Not Allowed\r\n\r\n", "405 Method Not Allowed; try the other method: POST with --data"),
        (
            "503 Service Unavailable\r\nRetry-After: 0\r\n\r\n",
            "503 Service Unavailable; try again later, or use --follow",
        ),
        ("204 No Content\r\n\r\n", "204 No Content; check the URL"),
        ("200 OK\r\n\r\n", "without a content type; check the URL: an event stream has"),
        (
            "200 OK\r\nContent-Type: text/html\r\n\r\n<p>",
            "the content type \"text/html\"; check the URL: an event stream has",
        ),
        (
            "200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: zstd\r\n\r\n",
            "; pipe it through another program: curl -sN --compressed URL | eventwire -, or turn this compression off",
        ),
    ] {
        let server = TestServer::new().answer(Script::raw(format!("HTTP/1.1 {answer}")));
        fails(&[&server.url()], &[&format!("eventwire: {}: ", server.url()), said]);
        assert_eq!(server.requests().len(), 1);
    }
    // The body is not text.
    let server = TestServer::new().answer(Script::status(404).send(&b"\xFF\0"[..]));
    fails(&[&server.url()], &["404 Not Found; check the URL"]);
}

#[test]
fn a_failed_connection_is_explained_in_one_line() {
    let cut = Script::new().header("content-length", "99").send("id: 1\ndata: one\n\ndata: two\n");
    let server = TestServer::new().answers([cut.clone(), cut]);
    start(&[&server.url()])
        .end()
        .failed("message [1] one\n", &["end of file", "; run the command again, or use --follow"]);
    assert_eq!(server.requests().len(), 1);

    // The HTTP client refuses a URL of this length, so it is not sent again. The line is longer than a pipe holds.
    let url = format!("http://127.0.0.1:1/{}", "a".repeat(70_000));
    let mut program = start(&["--follow", &url]);
    let line = program.error_line();
    assert!(line.contains("http://127.0.0.1:1/aaa") && line.ends_with("; check the URL\n"), "{line}");
    let end = program.end();
    assert_eq!((end.code, end.out.as_str(), end.err.as_str()), (Some(1), "", ""));

    let (_connection, url) = nobody();
    fails(&[&url], &["error sending request", &url, "; check the URL, http:// or https:// included"]);
    let mut program = start(&["--follow", "--post", "body", &url]);
    for _ in 0..2 {
        let line = program.error_line();
        assert!(line.contains("error sending request") && line.contains("; reconnecting in "), "{line}");
    }
    let server = TestServer::new().answer(Script::status(302).header("location", "http://[::1"));
    fails(&[&server.url()], &["a `Location` that is not a URL: invalid IPv6 address; the server has to name a URL"]);
}

/// Returns a URL on which nothing listens: the local port of a connection, which no other process can get while it
/// lives.
fn nobody() -> (TcpStream, String) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let connection = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let url = format!("http://{}/", connection.local_addr().unwrap());
    (connection, url)
}

#[test]
fn with_follow_it_continues_after_the_last_event_until_a_204() {
    let server = TestServer::new().answers([
        Script::new().send("retry: 1\nid: 1\ndata: one\n\n"),
        Script::new().send(": ping\n\nid: é 2\ndata: two\n\ndata: cut o"),
        Script::new().header("content-length", "99").send(": lost\n"),
        Script::status(503).header("retry-after", "0").send("no \x1B[2J room"),
        Script::status(302).header("location", "http://[::1"),
        Script::new().send("{\"error\": \"busy\"}\n"),
        Script::new().send("id\ndata: three\n\n"),
        Script::status(204),
    ]);
    let url = server.url();
    let end = start(&["-f", "--last-event-id", "0", "--comments", &url]).end();
    let printed = "message [1] one\n: ping\nmessage [é 2] two\n: lost\nmessage three\n";
    assert_eq!((end.code, end.out.as_str()), (Some(0), printed));
    let ids: Vec<String> = server.requests().iter().map(|request| header(request, "last-event-id").join("|")).collect();
    assert_eq!(ids, ["0", "1", "é 2", "é 2", "é 2", "é 2", "é 2", ""]);

    let whys = [
        "the connection ended",
        "the stream is truncated: the connection ended early",
        "request or response body error: ",
        &format!("{url}: the server answered 503 Service Unavailable: no \\u{{1b}}[2J room"),
        &format!("{url}: the server answered 302 Found with a `Location` that is not a URL"),
        &format!("no event in {url}; is it an event stream? it starts with {{\"error\": \"busy\"}}"),
        "the connection ended",
    ];
    let lines: Vec<&str> = end.err.lines().collect();
    assert_eq!(lines.len(), whys.len(), "{}", end.err);
    for (line, why) in lines.into_iter().zip(whys) {
        let (what, delay) = line.split_once("; reconnecting in ").expect(line);
        assert!(what.starts_with(&format!("eventwire: {why}")), "{why:?} in {line:?}");
        delay.strip_suffix(" s").expect(line).parse::<f32>().expect(line);
    }
}

#[test]
fn with_follow_a_204_is_not_a_failure_but_a_permanent_refusal_is() {
    let server = TestServer::new().answer(Script::status(204));
    start(&["--follow", &server.url()]).end().printed("");
    assert_eq!(server.requests().len(), 1);
    for (answer, said) in [
        (Script::status(410), "answered 410 Gone; check the URL"),
        (Script::new().header("content-encoding", "zstd"), "curl -sN --compressed URL | eventwire -"),
    ] {
        let server = TestServer::new().answer(answer);
        fails(&["--follow", &server.url()], &[said]);
        assert_eq!(server.requests().len(), 1);
    }
    let server = TestServer::new().answer(Script::new().send("retry: 1\nid: \x1B\ndata: one\n\n"));
    let end = start(&["--follow", &server.url()]).end();
    end.failed("message [\\u{1b}] one\n", &["last event ID", "control character", "use another --last-event-id"]);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_post_is_sent_again_only_if_it_was_not_carried_out() {
    let busy = || Script::status(429).header("retry-after", "0");
    let one = || Script::new().send("retry: 1\nid: 1\ndata: one\n\n");
    let server = TestServer::new().answers([busy(), one(), one()]);
    let end = start(&["--follow", "--post", "body", &server.url()]).end();
    assert_eq!((end.code, end.out.as_str()), (Some(0), "message [1] one\n"));
    assert!(
        end.err.lines().count() == 1 && end.err.contains("answered 429 Too Many Requests; reconnecting in "),
        "{}",
        end.err
    );
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert!(requests.iter().all(|request| request.method() == "POST" && request.body() == "body"));

    // A server or a proxy may have sent each of these after another server has done its work.
    let see_other = Script::status(303).header("location", "/answer");
    for (answers, printed, said) in [
        (&[Script::raw(""), one()][..], "", "error sending request"),
        (&[Script::status(503).header("retry-after", "0"), one()], "", "answered 503 Service Unavailable"),
        (&[see_other, busy(), one()], "", "answered 429 Too Many Requests"),
        (&[one().header("content-length", "99"), one()], "message [1] one\n", "body error"),
        (&[one().with_end(End::Close), one()], "message [1] one\n", "body error"),
        (&[one().send("data: tw"), one()], "message [1] one\n", "the stream is truncated: the connection ended early"),
    ] {
        let server = TestServer::new().answers(answers.iter().cloned());
        let end = start(&["--follow", "--post", "body", &server.url()]).end();
        end.failed(printed, &[said, "the POST may have been carried out, and is not sent again"]);
        assert_eq!(server.requests().len(), answers.len() - 1, "{answers:?}");
    }
}
