//! The law of redirects, for both commands: what the user gave is for the origin of the user's URL, and an ID for the
//! origin that has sent it.

use std::sync::{Arc, OnceLock};
use std::thread;

use eventwire_test::{End::Stall, Script, TestServer};
use eventwire_test_support::{End, Process};

use crate::check::server::{Request, header, last_id, right};

/// What the options contain that no other origin may get, and `user:secret` as a header has it.
const SECRETS: [&str; 2] = ["secret", "dXNlcjpzZWNyZXQ="];

/// A way to run the program on a URL.
type Command = &'static [&'static str];
const CHECK: Command = &["check", "--time", "9"];
const FOLLOW: Command = &["--follow"];

const STATUSES: [u16; 5] = [301, 302, 303, 307, 308];

fn run(command: Command, options: &[&str], url: &str) -> End {
    Process::start(env!("CARGO_BIN_EXE_eventwire"), &[command, options, &[url]].concat(), &[]).end()
}

/// Asserts that the stream was reached. On a busy machine, `check` may find that its events came late.
#[track_caller]
fn has_arrived(command: Command, end: &End) {
    match command {
        CHECK => assert!(end.out.contains(", HTTP/1.1 200 OK, ") && !end.out.contains("FAIL redirect"), "{end:?}"),
        _ => assert_eq!(end.code, Some(0), "{end:?}"),
    }
}

fn with_password(url: &str) -> String {
    url.replace("://", "://user:secret@")
}

/// A redirect, with a cookie for the first server.
fn redirect(status: u16, location: &str) -> Script {
    Script::status(status).header("location", location).header("set-cookie", "id=secret")
}

/// A stream of four events, and 204 for a client that has all.
fn stream(request: &Request) -> Script {
    if last_id(request) >= 4 {
        return Script::status(204);
    }
    let events = (last_id(request) + 1..=4).map(|number| format!("id: {number}\ndata: event {number}\n\n"));
    events.fold(right().send("retry: 1\n\n"), Script::send)
}

fn ids(server: &TestServer) -> Vec<String> {
    let requests = server.requests();
    requests.iter().map(|request| header(request, "last-event-id").unwrap_or_default().to_owned()).collect()
}

#[track_caller]
fn has_no_secret(server: &TestServer) {
    for request in server.requests() {
        let text = format!("{request:?}");
        for secret in SECRETS {
            assert!(!text.contains(secret), "{text}");
        }
        for name in ["authorization", "cookie", "referer"] {
            assert_eq!(header(&request, name), None, "{text}");
        }
    }
}

/// Each status, with every follow-up request of both commands.
#[test]
fn another_origin_gets_nothing_that_the_user_gave() {
    thread::scope(|scope| {
        for status in STATUSES {
            scope.spawn(move || {
                a_password(status);
                an_id(status);
                headers_and_bodies(status);
                back_to_the_first_origin(status);
                within_the_origin(status);
            });
        }
    });
}

fn a_password(status: u16) {
    for command in [CHECK, FOLLOW] {
        let b = TestServer::new().answer_with(stream);
        let location = b.url();
        let a = TestServer::new().answer_with(move |_| redirect(status, &location));
        let end = run(command, &[], &with_password(&a.url()));
        has_arrived(command, &end);
        has_no_secret(&b);
        for request in a.requests() {
            assert_eq!(header(&request, "authorization"), Some("Basic dXNlcjpzZWNyZXQ="), "{request:?}");
            assert_eq!(header(&request, "cookie"), None, "{request:?}");
            // It did not send this ID.
            assert_eq!(header(&request, "last-event-id"), None, "{request:?}");
        }
        // The events; after the last ID but one, or the last; and with compression.
        let seen = ids(&b);
        let expected: &[&str] = if command == CHECK { &["", "3", "4"] } else { &["", "4"] };
        for id in expected {
            assert!(seen.iter().any(|seen| seen == id), "{status} {command:?} {seen:?}");
        }
        assert!(seen.iter().all(|seen| expected.contains(&seen.as_str())), "{status} {command:?} {seen:?}");
    }
}

/// An ID that the user gave stays, and the user learns it. One that a server sent is sent to it again.
fn an_id(status: u16) {
    let b = TestServer::new().answer_with(stream);
    let location = b.url();
    let a = TestServer::new().answer_with(move |_| redirect(status, &location));
    let end = run(FOLLOW, &["--last-event-id", "secret"], &a.url());
    assert_eq!((end.code, end.out.lines().count()), (Some(0), 4), "{end:?}");
    let said =
        format!("the last event ID is for {}, and was not sent to {}, which is another origin; ", a.url(), b.url());
    assert_eq!(end.err.matches(&said).count(), 1, "{}", end.err);
    assert_eq!((ids(&a), ids(&b)), (vec!["secret".to_owned(), String::new()], vec![String::new(), "4".to_owned()]));
    has_no_secret(&b);
}

/// Without them, it would be another request. So it is not sent at all.
fn headers_and_bodies(status: u16) {
    for options in [
        &["-H", "Authorization: Bearer secret"][..],
        &["-H", "Cookie: id=secret"],
        &["-H", "X-Api-Key: secret"],
        &["-H", "Last-Event-ID: secret"],
        &["-d", "secret"],
    ] {
        for command in [CHECK, FOLLOW] {
            let b = TestServer::new().answer_with(stream);
            let location = b.url();
            let a = TestServer::new().answer_with(move |_| redirect(status, &location));
            let end = run(command, options, &a.url());
            assert_eq!((end.code, b.requests().len()), (Some(1), 0), "{options:?} {end:?}");
            let said = [end.out, end.err].concat();
            assert!(said.contains(&format!("redirects to {}", b.url())) && !said.contains("secret"), "{said}");
        }
    }
}

/// From A to B, and back to another path of A.
fn back_to_the_first_origin(status: u16) {
    for command in [CHECK, FOLLOW] {
        let first = Arc::new(OnceLock::<String>::new());
        let b = TestServer::new().answer_with({
            let first = Arc::clone(&first);
            move |_| redirect(status, &first.wait().replace("events", "stream"))
        });
        let location = b.url();
        let a = TestServer::new().answer_with(move |request| match request.uri().path() {
            "/stream" => stream(request),
            _ => redirect(status, &location),
        });
        first.set(a.url()).unwrap();
        let end = run(command, &[], &with_password(&a.url()));
        has_arrived(command, &end);
        has_no_secret(&b);
        assert!(ids(&b).iter().all(String::is_empty));
        let requests = a.requests();
        assert!(requests.iter().any(|request| request.uri().path() == "/stream"));
        for request in requests {
            assert_eq!(header(&request, "authorization"), Some("Basic dXNlcjpzZWNyZXQ="), "{request:?}");
        }
        assert!(ids(&a).contains(&"4".to_owned()), "{:?}", ids(&a));
    }
}

/// Another path of the same origin gets all of it. A browser sends the body with a 307 or a 308.
fn within_the_origin(status: u16) {
    let options = ["-H", "Cookie: id=secret", "-H", "Last-Event-ID: 2"];
    let post = ["-H", "Content-Language: en", "-d", "secret body"];
    for (options, method) in [(&options[..], "GET"), (&post, if status > 303 { "POST" } else { "GET" })] {
        for command in [CHECK, FOLLOW] {
            let a = TestServer::new().answer_with(move |request| match request.uri().path() {
                "/stream" => stream(request),
                _ => redirect(status, &format!("http://a:b@{}/stream", header(request, "host").unwrap())),
            });
            let end = run(command, options, &with_password(&a.url()));
            let requests = a.requests();
            if command == CHECK && options == post && method == "GET" {
                assert!(requests.len() == 1 && end.out.contains("because a browser would send a GET"), "{}", end.out);
                continue;
            }
            let request = requests.iter().find(|request| request.uri().path() == "/stream").unwrap();
            has_arrived(command, &end);
            assert_eq!(request.method(), method);
            assert_eq!(header(request, "authorization"), Some("Basic dXNlcjpzZWNyZXQ="));
            if options != post {
                assert_eq!((header(request, "cookie"), last_id(request)), (Some("id=secret"), 2));
            } else if method == "POST" {
                assert_eq!(request.body(), "secret body");
                assert_eq!(header(request, "content-type"), Some("application/json"));
            } else {
                assert!(!format!("{request:?}").contains("content-") && request.body().is_empty(), "{request:?}");
            }
        }
    }
}

/// A preflight request never has credentials, and the probe of a silent server goes where the request went.
#[test]
fn a_preflight_and_a_probe() {
    let a = TestServer::new().answer_with(|request| match request.method().as_str() {
        "OPTIONS" => Script::status(204),
        _ => stream(request),
    });
    run(CHECK, &["--origin", "https://page.example", "-H", "Cookie: id=secret"], &with_password(&a.url()));
    let preflights: Vec<Request> = a.requests().into_iter().filter(|request| request.method() == "OPTIONS").collect();
    let [preflight] = &preflights[..] else { panic!("{preflights:?}") };
    assert!(SECRETS.iter().all(|secret| !format!("{preflight:?}").contains(secret)), "{preflight:?}");

    let b = TestServer::new().answer_with(|request| match request.method().as_str() {
        "HEAD" => Script::status(200).header("server", "b"),
        _ => Script::raw("").with_end(Stall),
    });
    let location = b.url();
    let a = TestServer::new().answer_with(move |request| match request.method().as_str() {
        "HEAD" => Script::status(200).header("server", "a"),
        _ => redirect(302, &location),
    });
    let end = run(&["check", "--time", "5"], &[], &with_password(&a.url()));
    assert!(end.out.contains("although a HEAD request was answered (`Server: b`)"), "{}", end.out);
    has_no_secret(&b);
}

/// What no client can follow is a failure, in words that say what is wrong, and show no secret.
#[test]
fn a_location_that_nobody_can_follow() {
    for (locations, said) in [
        ("file:///etc/secret", "with a `Location` that begins with `file:`"),
        ("data:text/plain,secret", "with a `Location` that begins with `data:`"),
        ("//", "with a `Location` that is not a URL: empty host"),
        ("http://secret:99999/", "with a `Location` that is not a URL: invalid port number"),
        ("http://user:secret@[::1", "with a `Location` that is not a URL: invalid IPv6 address"),
        ("", "with an empty `Location`"),
        ("/a|/secret", "with several `Location` headers"),
        ("http://user:secret@127.0.0.1:1/", "because the URL contains a user or a password"),
    ] {
        let redirect = |answer: Script, location| answer.header("location", location);
        let a = TestServer::new().answer_with(move |_| locations.split('|').fold(Script::status(302), redirect));
        let end = run(CHECK, &[], &a.url());
        let first = end.out.lines().next().unwrap();
        assert!(first.starts_with("FAIL redirect: the server answered 302 Found ") && first.contains(said), "{first}");
        assert!(end.code == Some(1) && !end.out.contains("secret"), "{end:?}");
        let end = run(&[], &[], &a.url());
        end.failed("", &[&format!("eventwire: {}: the server answered 302 Found ", a.url()), said]);
        assert!(!end.err.contains("secret"), "{}", end.err);
    }
}
