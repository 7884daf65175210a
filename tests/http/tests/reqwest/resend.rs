//! Which requests are sent again.

use crate::{
    Seen, Way, http_client, quick, request, run,
    server::{
        Answer, Server,
        Step::{Hang, Reset, Send},
        stream,
    },
};
use bytes::Bytes;
use eventwire_client::{ConnectionError, Resend, StopReason};
use eventwire_reqwest::RequestBuilderExt;
use futures_util::{
    StreamExt,
    stream::{iter, once},
};
use reqwest::{Body, Method, RequestBuilder};
use std::{future, sync::Arc, time::Duration};
use tokio::{
    io::AsyncReadExt,
    net::{TcpListener, TcpSocket},
    sync::Notify,
};

const EVENT: Answer = &[stream!("data: a\n\n")];
const EMPTY: Answer = &[stream!("")];
const CUT_OFF: Answer = &[stream!("data: a\n\ndata: cut off")];
const RESET: Answer = &[Reset];
const UNAVAILABLE: Answer = &[Send(b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n")];
const TOO_MANY: Answer = &[Send(b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n")];
const BAD_GATEWAY: Answer = &[Send(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")];

/// Runs this script with both ways to build requests. Checks the number of requests, the number of events, why the
/// source stopped, and whether that is a failure. Each request must be complete.
async fn check(method: Method, script: &'static [Answer], expected: (usize, usize, StopReason, bool)) {
    for way in Way::BOTH {
        let (server, client) = (Server::start(script).await, http_client());
        let seen = way.run(&|| request(&client, &method, &server.url())).await;
        let requests = server.requests();
        let outcome = (requests.len(), seen.events.len(), seen.stopped.reason(), seen.stopped.is_failure());
        assert_eq!(outcome, expected, "{method} {script:?}, {way:?}");
        // After a redirect, it may be a GET.
        for sent in requests.iter().filter(|sent| sent.path() == "/events") {
            assert!(sent.head.starts_with(method.as_str()), "{}", sent.head);
            assert_eq!(sent.body.is_empty(), method != Method::POST);
        }
    }
}

#[tokio::test]
async fn a_post_is_sent_again_only_if_it_was_not_processed() {
    check(Method::POST, &[EVENT], (1, 1, StopReason::NotResent, false)).await;
    check(Method::POST, &[EMPTY, EVENT], (1, 0, StopReason::NotResent, false)).await;
    check(Method::POST, &[CUT_OFF, EVENT], (1, 1, StopReason::NotResent, true)).await;
    check(Method::POST, &[RESET, EVENT], (1, 0, StopReason::NotResent, true)).await;
    check(Method::POST, &[&[], EVENT], (1, 0, StopReason::NotResent, true)).await;
    check(Method::POST, &[TOO_MANY, TOO_MANY, EVENT], (3, 1, StopReason::NotResent, false)).await;
    check(Method::POST, &[TOO_MANY, RESET, EVENT], (2, 0, StopReason::NotResent, true)).await;
    check(Method::POST, &[UNAVAILABLE, EVENT], (1, 0, StopReason::NotResent, true)).await;
    check(Method::POST, &[BAD_GATEWAY, EVENT], (1, 0, StopReason::NotResent, true)).await;
    check(Method::PATCH, &[RESET, EVENT], (1, 0, StopReason::NotResent, true)).await;
}

#[tokio::test]
async fn other_methods() {
    let query = Method::from_bytes(b"QUERY").unwrap();
    check(query, &[EVENT, RESET, EVENT], (4, 2, StopReason::NoContent, false)).await;
    // The end of the response to a POST means that it is complete. What it means here, nobody knows.
    let unknown = Method::from_bytes(b"WATCH").unwrap();
    for method in [unknown, Method::PATCH] {
        check(method.clone(), &[EVENT, EVENT], (1, 1, StopReason::NotResent, true)).await;
        check(method, &[TOO_MANY, EVENT], (2, 1, StopReason::NotResent, true)).await;
    }
}

/// After a 303, the first server has processed the request, and the second one only returns the result.
#[tokio::test]
async fn a_post_that_was_redirected_is_not_sent_again() {
    const SEE_OTHER: Answer = &[Send(b"HTTP/1.1 303 See Other\r\nLocation: /result\r\nContent-Length: 0\r\n\r\n")];
    const TEMPORARY: Answer = &[Send(b"HTTP/1.1 307 Temporary\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n")];
    for redirect in [SEE_OTHER, TEMPORARY] {
        let script = vec![redirect, TOO_MANY, EVENT].leak();
        check(Method::POST, script, (2, 0, StopReason::NotResent, true)).await;
        let script = vec![redirect, UNAVAILABLE, redirect, EVENT].leak();
        check(Method::GET, script, (5, 1, StopReason::NoContent, false)).await;
    }
}

/// A GET may be carried out twice, so a redirect does not matter, also if the policy is that of a POST.
#[tokio::test]
async fn a_get_that_was_redirected_and_turned_away_is_sent_again_by_any_policy() {
    const TEMPORARY: Answer = &[Send(b"HTTP/1.1 307 Temporary\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n")];
    for (method, requests) in [(Method::GET, 3), (Method::POST, 2)] {
        let (server, client) = (Server::start(&[TEMPORARY, TOO_MANY, EVENT]).await, http_client());
        let source = request(&client, &method, &server.url()).eventsource().unwrap();
        let seen = run(source.with_policy(quick().with_resend(Resend::UnlessSent))).await;
        assert_eq!((server.requests().len(), seen.stopped.reason()), (requests, StopReason::NotResent), "{method}");
    }
}

#[tokio::test]
async fn a_get_is_always_sent_again() {
    let script: &[Answer] = &[RESET, &[], UNAVAILABLE, BAD_GATEWAY, EVENT, EVENT];
    for method in [Method::GET, Method::PUT] {
        check(method, script, (7, 2, StopReason::NoContent, false)).await;
    }
}

#[tokio::test]
async fn a_post_whose_connection_is_refused_is_sent_once_there_is_a_server() {
    for way in Way::BOTH {
        // A bound port refuses connections until a server listens on it.
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let url = format!("http://{}/events", socket.local_addr().unwrap());
        let client = http_client();
        let make = || request(&client, &Method::POST, &url);
        let server = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            Server::start_on(socket.listen(8).unwrap(), &[EVENT])
        };
        let (server, seen) = tokio::join!(server, way.run(&make));
        assert!(!seen.errors.is_empty() && seen.errors.iter().all(is_connect), "{:?}", seen.errors);
        assert_eq!((seen.events, seen.stopped.is_failure()), (vec!["a".to_owned()], false));
        let requests = server.requests();
        assert_eq!((requests.len(), &requests[0].body[..]), (1, &b"once"[..]));
    }
}

fn is_connect(error: &ConnectionError<reqwest::Error>) -> bool {
    matches!(error, ConnectionError::Transport(error) if error.is_connect())
}

/// The body of the POST comes from another server, which cannot be reached. The server of the POST has its beginning.
#[tokio::test]
async fn a_post_whose_body_cannot_connect_is_not_sent_again() {
    const BEGINNING: &str = "half of the work";
    let (listener, received) = (TcpListener::bind("127.0.0.1:0").await.unwrap(), Arc::new(Notify::new()));
    let (url, client) = (format!("http://{}/", listener.local_addr().unwrap()), http_client());
    let has_beginning = Arc::clone(&received);
    tokio::spawn(async move {
        let mut connections = Vec::new();
        loop {
            let (mut connection, _) = listener.accept().await.unwrap();
            let (mut bytes, mut chunk) = (Vec::new(), [0; 1024]);
            while !String::from_utf8_lossy(&bytes).contains(BEGINNING) {
                let length = connection.read(&mut chunk).await.unwrap();
                bytes.extend(&chunk[..length]);
            }
            has_beginning.notify_one();
            connections.push(connection);
        }
    });
    // A bound port refuses connections until a server listens on it.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let nobody = format!("http://{}/", socket.local_addr().unwrap());
    let source = eventwire_reqwest::from_fn(|_| {
        let (received, other) = (Arc::clone(&received), client.get(&nobody));
        let rest = async move {
            received.notified().await;
            other.send().await?.bytes().await
        };
        let body = iter([Ok::<_, reqwest::Error>(Bytes::from(BEGINNING))]).chain(once(rest));
        future::ready(Ok::<_, reqwest::Error>(client.post(&url).body(Body::wrap_stream(body))))
    });
    let seen = run(source.with_policy(quick().with_max_attempts(4))).await;
    assert!(is_connect(seen.stopped.error().unwrap()), "{:?}", seen.stopped);
    assert_eq!((seen.errors.len(), seen.stopped.reason()), (0, StopReason::NotResent));
}

/// A user's error type, which the client does not know.
#[derive(Debug, PartialEq)]
enum Failure {
    NoToken,
    Http,
}

impl From<reqwest::Error> for Failure {
    fn from(_: reqwest::Error) -> Failure {
        Failure::Http
    }
}

/// Runs a source over this server, whose function fails for these attempts.
async fn run_failing(server: &Server, fails: fn(u32) -> bool) -> Seen<Failure> {
    let (client, url, mut number) = (http_client(), server.url(), 0);
    let source = eventwire_reqwest::from_fn(|_| {
        number += 1;
        let made = if fails(number) { Err(Failure::NoToken) } else { Ok(request(&client, &Method::POST, &url)) };
        // The function is async.
        async {
            tokio::task::yield_now().await;
            made
        }
    });
    // Also if the policy decides.
    run(source.with_policy(quick().with_resend(Resend::UnlessSent))).await
}

#[tokio::test]
async fn a_function_that_fails_after_a_refusal_has_sent_nothing() {
    let server = Server::start(&[TOO_MANY, RESET, EVENT]).await;
    let seen = run_failing(&server, |number| number == 2).await;
    assert!(matches!(
        seen.errors[..],
        [ConnectionError::UnexpectedResponse(_), ConnectionError::Transport(Failure::NoToken)]
    ));
    assert!(matches!(seen.stopped.error(), Some(ConnectionError::Transport(Failure::Http))));
    assert_eq!((seen.stopped.reason(), server.requests().len()), (StopReason::NotResent, 2));
}

#[tokio::test]
async fn a_post_that_is_not_answered_in_time_is_not_sent_again() {
    for way in Way::BOTH {
        let (server, client) = (Server::start(&[&[Hang], EVENT]).await, http_client());
        let make = || request(&client, &Method::POST, &server.url());
        let stopped = way.run_with_idle_timeout(Duration::from_millis(300), &make).await.stopped;
        assert!(matches!(stopped.error(), Some(ConnectionError::ResponseTimeout(_))));
        assert_eq!((stopped.reason(), server.requests().len()), (StopReason::NotResent, 1));
    }
}

#[tokio::test]
async fn a_request_that_cannot_be_sent_is_not_retried() {
    let unsafe_client = http_client();
    let safe_client = reqwest::Client::builder().no_proxy().https_only(true).build().unwrap();
    let requests: [&dyn Fn() -> RequestBuilder; 3] =
        [&|| unsafe_client.post("ftp://127.0.0.1/"), &|| unsafe_client.get("http://{{host}}/"), &|| {
            safe_client.get("http://127.0.0.1/")
        }];
    for request in requests {
        for way in Way::BOTH {
            is_permanent(&way.run(&request).await);
        }
    }
    // `.eventsource()` rejects it immediately.
    is_permanent(&Way::Made.run(&|| unsafe_client.get("no URL")).await);
}

#[track_caller]
fn is_permanent(seen: &Seen<reqwest::Error>) {
    assert_eq!((seen.events.len(), seen.errors.len()), (0, 0));
    assert_eq!((seen.stopped.reason(), seen.stopped.is_failure()), (StopReason::Permanent, true));
    assert!(matches!(seen.stopped.error(), Some(ConnectionError::Transport(error)) if error.is_builder()));
}
