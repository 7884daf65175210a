//! What is sent to a server.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::server::{Request, Server};
use crate::{check, found};

#[test]
fn a_get_is_sent_as_a_browser_does_and_then_with_one_difference_each() {
    let server = Server::start(|request, mut answer| {
        if request.method() == "OPTIONS" {
            return answer.raw("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
        }
        answer.head("")?;
        for number in request.last_id() + 1..9 {
            answer.send(format!("id: {number}\ndata\n\n"))?;
        }
        answer.fall_silent()
    });
    check(&["--time", "5", "--origin", "https://a.example", "-H", "X-Key: secret", &server.url]);
    let requests = server.requests();
    let [plain, resumed, compressed, preflight] = &requests[..] else { panic!("{requests:#?}") };
    for request in [plain, compressed, resumed] {
        assert_eq!((request.method(), request.header("accept")), ("GET", Some("text/event-stream")));
        assert_eq!(request.header("cache-control"), Some("no-cache"));
        assert_eq!(request.header("origin"), Some("https://a.example"));
        assert_eq!(request.header("x-key"), Some("secret"));
    }
    let coding_and_id = |request: &Request| {
        [request.header("accept-encoding"), request.header("last-event-id")].map(|value| value.map(str::to_owned))
    };
    assert_eq!(coding_and_id(plain), [Some("identity".into()), None]);
    assert_eq!(coding_and_id(compressed), [Some("gzip, br".into()), None]);
    // The newest event that has one after it, because a server may keep only the last events.
    assert_eq!(coding_and_id(resumed), [Some("identity".into()), Some("7".into())]);
    assert_eq!((preflight.method(), preflight.header("x-key")), ("OPTIONS", None));
    assert_eq!(preflight.header("access-control-request-headers"), Some("last-event-id"));
}

#[test]
fn a_post_is_sent_once() {
    let server = Server::start(|_, mut answer| {
        answer.head("")?;
        answer.send("id: 1\ndata: 1\n\nid: 2\ndata: 2\n\n")?;
        answer.end()
    });
    let (codes, out) = found(&["-d", "{}", &server.url], &[]);
    assert_eq!(codes, [""; 0], "{out}");
    assert_eq!(out.matches("only a GET is sent again").count(), 2, "{out}");
    let requests = server.requests();
    assert_eq!((requests.len(), requests[0].method()), (1, "POST"));
    assert_eq!(requests[0].header("content-type"), Some("application/json"));
}

#[test]
fn a_redirect_is_followed_and_told() {
    let target = Server::start(|_, mut answer| {
        answer.head("")?;
        answer.send("data: 1\n\n")?;
        answer.fall_silent()
    });
    let location =
        format!("HTTP/1.1 307 Temporary Redirect\r\nLocation: {}?key=secret\r\nConnection: close\r\n\r\n", target.url);
    let server = Server::start(move |_, mut answer| answer.raw(&location));
    let (codes, out) = found(&["--time", "5", &server.url], &[]);
    assert_eq!(codes, ["note redirect"], "{out}");
    assert!(out.contains(&target.url) && !out.contains("secret"), "{out}");
    assert_eq!(target.requests().len(), 1);

    // The headers are for the first server.
    let end = check(&["--time", "5", "-H", "X-Key: secret", &server.url]);
    assert_eq!(target.requests().len(), 1);
    assert!(
        end.code == Some(1)
            && end.out.contains("FAIL redirect: ")
            && end.out.lines().count() == 2
            && !end.out.contains("secret"),
        "{}",
        end.out
    );
}

/// A browser follows such a redirect. The check says why it does not, also if the server is the same.
#[test]
fn a_post_follows_only_redirects_that_keep_it() {
    let server = Server::start(|_, mut answer| {
        answer.raw("HTTP/1.1 302 Found\r\nLocation: /events/\r\nConnection: close\r\n\r\n")
    });
    let (codes, out) = found(&["-d", "{}", &server.url], &["fail redirect"]);
    assert_eq!((codes, server.requests().len()), (vec!["fail redirect".to_owned()], 1), "{out}");
    assert!(out.contains("/events/, where the request is not sent, because a browser would send a GET"), "{out}");

    let asked = AtomicBool::new(false);
    let server = Server::start(move |_, mut answer| {
        if !asked.swap(true, Ordering::SeqCst) {
            return answer.raw("HTTP/1.1 307 Temporary Redirect\r\nLocation: /events/\r\nConnection: close\r\n\r\n");
        }
        answer.head("")?;
        answer.send("data: 1\n\n")?;
        answer.end()
    });
    let (codes, out) = found(&["-d", "{}", &server.url], &[]);
    assert_eq!(codes, ["note redirect"], "{out}");
    let methods: Vec<_> = server.requests().iter().map(|request| request.method().to_owned()).collect();
    assert_eq!(methods, ["POST", "POST"]);
}

#[test]
fn a_server_that_is_not_there() {
    let end = check(&["http://127.0.0.1:1/?key=secret"]);
    end.failed("", &["cannot connect to http://127.0.0.1:1/: ", "check the URL", "the server is running"]);
    assert!(!end.err.contains("secret"), "{}", end.err);
    let server = Server::start(|_, mut answer| {
        answer.raw("HTTP/1.1 302 Found\r\nLocation: /events\r\nConnection: close\r\n\r\n")
    });
    let (codes, out) = found(&[&server.url], &[]);
    // Each redirect is the same, and told once.
    assert_eq!((codes, server.requests().len()), (vec!["fail redirect".to_owned(), "note redirect".to_owned()], 11));
    assert!(out.contains("because there were 10 redirects before"), "{out}");
    for origin in ["a\nb", "app.example.com", "data:x"] {
        check(&["--origin", origin, &server.url]).failed("", &["--origin", "https://app.example.com", "--help"]);
    }
    check(&["--origin", &server.url, &server.url]).failed("", &["needs no permission"]);
}

/// The connection was made, so neither the URL nor the network is at fault.
#[test]
fn a_server_that_does_not_answer() {
    let server = Server::start(|_, _| Ok(()));
    let end = check(&[&server.url]);
    end.failed(
        "",
        &[&format!("no answer from {}: ", server.url), "connection closed", "look for a crash in the server"],
    );
    assert!(!end.err.contains("cannot connect"), "{}", end.err);
}

/// What was found before a server refuses further connections is printed.
#[test]
fn a_server_that_answers_once() {
    let asked = AtomicBool::new(false);
    let server = Server::start(move |_, mut answer| {
        if asked.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        answer.head("")?;
        answer.send("id: 1\ndata: 1\n\nid: 2\ndata: 2\nlost\n\n")?;
        answer.fall_silent()
    });
    let (codes, out) = found(&["--time", "5", &server.url], &[]);
    assert_eq!(codes, ["fail missing-prefix"], "{out}");
    for what in ["resume", "compression"] {
        assert!(out.contains(&format!("{{\"not_judged\":\"{what}\",\"why\":\"there was no response")), "{out}");
    }
}

#[test]
fn it_stops_after_a_number_of_events() {
    let server = Server::start(|request, mut answer| {
        answer.head("")?;
        for number in request.last_id() + 1.. {
            answer.send(format!("id: {number}\ndata\n\n"))?;
        }
        Ok(())
    });
    let (codes, out) = found(&["--events", "5", "--time", "50", &server.url], &[]);
    assert_eq!(codes, [""; 0], "{out}");
}
