//! What is sent to a server.

use eventwire_test::{End, Script, TestServer};

use crate::check::server::{Request, header, last_id, right};
use crate::check::{check, found};

/// The events after the one that the client has, up to this one, and then silence.
fn numbers(request: &Request, last: u64) -> Script {
    let events = (last_id(request) + 1..=last).map(|number| format!("id: {number}\ndata\n\n"));
    events.fold(right(), Script::send).with_end(End::Stall)
}

#[test]
fn a_get_is_sent_as_a_browser_does_and_then_with_one_difference_each() {
    let server = TestServer::new().answer_with(|request| match request.method().as_str() {
        "OPTIONS" => Script::status(204),
        _ => numbers(request, 8),
    });
    check(&["--time", "5", "--origin", "https://a.example", "-H", "X-Key: secret", &server.url()]);
    let requests = server.requests();
    let [plain, resumed, compressed, preflight] = &requests[..] else { panic!("{requests:#?}") };
    for request in [plain, compressed, resumed] {
        assert_eq!((request.method().as_str(), header(request, "accept")), ("GET", Some("text/event-stream")));
        assert_eq!(header(request, "cache-control"), Some("no-cache"));
        assert_eq!(header(request, "origin"), Some("https://a.example"));
        assert_eq!(header(request, "x-key"), Some("secret"));
    }
    let coding_and_id = |request: &Request| {
        [header(request, "accept-encoding"), header(request, "last-event-id")].map(|value| value.map(str::to_owned))
    };
    assert_eq!(coding_and_id(plain), [Some("identity".into()), None]);
    assert_eq!(coding_and_id(compressed), [Some("gzip, br".into()), None]);
    // The newest event that has one after it, because a server may keep only the last events.
    assert_eq!(coding_and_id(resumed), [Some("identity".into()), Some("7".into())]);
    assert_eq!((preflight.method().as_str(), header(preflight, "x-key")), ("OPTIONS", None));
    assert_eq!(header(preflight, "access-control-request-headers"), Some("last-event-id"));
}

#[test]
fn a_post_is_sent_once() {
    let server = TestServer::new().answer_with(|_| right().send("id: 1\ndata: 1\n\nid: 2\ndata: 2\n\n"));
    let (codes, out) = found(&["-d", "{}", &server.url()], &[]);
    assert_eq!(codes, [""; 0], "{out}");
    assert_eq!(out.matches("only a GET is sent again").count(), 2, "{out}");
    let requests = server.requests();
    assert_eq!((requests.len(), requests[0].method().as_str()), (1, "POST"));
    assert_eq!(header(&requests[0], "content-type"), Some("application/json"));
}

#[test]
fn a_redirect_is_followed_and_told() {
    let target = TestServer::new().answer_with(|_| right().send("data: 1\n\n").with_end(End::Stall));
    let redirect = Script::status(307).header("location", format!("{}?key=secret", target.url()));
    let server = TestServer::new().answer_with(move |_| redirect.clone());
    let (codes, out) = found(&["--time", "5", &server.url()], &[]);
    assert_eq!(codes, ["note redirect"], "{out}");
    assert!(out.contains(&target.url()) && !out.contains("secret"), "{out}");
    assert_eq!(target.requests().len(), 1);

    // The headers are for the first server.
    let end = check(&["--time", "5", "-H", "X-Key: secret", &server.url()]);
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
    let server = TestServer::new().answer_with(|_| Script::status(302).header("location", "/events/"));
    let (codes, out) = found(&["-d", "{}", &server.url()], &["fail redirect"]);
    assert_eq!((codes, server.requests().len()), (vec!["fail redirect".to_owned()], 1), "{out}");
    assert!(out.contains("/events/, where the request is not sent, because a browser would send a GET"), "{out}");

    let redirect = Script::status(307).header("location", "/events/");
    let server = TestServer::new().answer(redirect).answer_with(|_| right().send("data: 1\n\n"));
    let (codes, out) = found(&["-d", "{}", &server.url()], &[]);
    assert_eq!(codes, ["note redirect"], "{out}");
    let methods: Vec<_> = server.requests().iter().map(|request| request.method().clone()).collect();
    assert_eq!(methods, ["POST", "POST"]);
}

#[test]
fn a_server_that_is_not_there() {
    let end = check(&["http://127.0.0.1:1/?key=secret"]);
    end.failed("", &["cannot connect to http://127.0.0.1:1/: ", "check the URL", "the server is running"]);
    assert!(!end.err.contains("secret"), "{}", end.err);
    let server = TestServer::new().answer_with(|_| Script::status(302).header("location", "/events"));
    let (codes, out) = found(&[&server.url()], &[]);
    // Each redirect is the same, and told once.
    assert_eq!((codes, server.requests().len()), (vec!["fail redirect".to_owned(), "note redirect".to_owned()], 11));
    assert!(out.contains("because there were 10 redirects before"), "{out}");
    for origin in ["a\nb", "app.example.com", "data:x"] {
        check(&["--origin", origin, &server.url()]).failed("", &["--origin", "https://app.example.com", "--help"]);
    }
    check(&["--origin", &server.url(), &server.url()]).failed("", &["needs no permission"]);
}

/// The connection was made, so neither the URL nor the network is at fault.
#[test]
fn a_server_that_does_not_answer() {
    let server = TestServer::new().answer_with(|_| Script::raw(""));
    let end = check(&[&server.url()]);
    end.failed(
        "",
        &[&format!("no answer from {}: ", server.url()), "connection closed", "look for a crash in the server"],
    );
    assert!(!end.err.contains("cannot connect"), "{}", end.err);
}

/// What was found before a server refuses further connections is printed.
#[test]
fn a_server_that_answers_once() {
    let first = right().send("id: 1\ndata: 1\n\nid: 2\ndata: 2\nlost\n\n").with_end(End::Stall);
    let server = TestServer::new().answer(first).answer_with(|_| Script::raw(""));
    let (codes, out) = found(&["--time", "5", &server.url()], &[]);
    assert_eq!(codes, ["fail missing-prefix"], "{out}");
    for what in ["resume", "compression"] {
        assert!(out.contains(&format!("{{\"not_judged\":\"{what}\",\"why\":\"there was no response")), "{out}");
    }
}

#[test]
fn it_stops_after_a_number_of_events() {
    let server = TestServer::new().answer_with(|request| numbers(request, 10_000));
    let (codes, out) = found(&["--events", "5", "--time", "50", &server.url()], &[]);
    assert_eq!(codes, [""; 0], "{out}");
}
