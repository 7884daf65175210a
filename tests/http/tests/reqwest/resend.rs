//! Which requests are sent again.

use crate::{
    runs::{Seen, Way, http_client, nobody, quick, request, run, script},
    server::{
        Answer, Server,
        Step::{Hang, Reset, Send},
        stream,
    },
    version::{self, RequestBuilderExt},
};
use bytes::Bytes;
use eventwire_client::{ConnectionError, Resend, StopReason};
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
const RESET: Answer = &[Reset];
const UNAVAILABLE: Answer = &[Send(b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n")];
const TOO_MANY: Answer = &[Send(b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n")];
/// After it, the first server has processed the request, and the second one only returns the result.
const SEE_OTHER: Answer = &[Send(b"HTTP/1.1 303 See Other\r\nLocation: /result\r\nContent-Length: 0\r\n\r\n")];
const TEMPORARY: Answer = &[Send(b"HTTP/1.1 307 Temporary\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n")];

/// The number of requests and of events, why the source stopped, and whether that is a failure.
type Outcome = (usize, usize, StopReason, bool);

/// The rules of each kind of request have tests of their own. Here, the connector says of which kind a request is, and
/// what has happened to it.
#[tokio::test]
async fn which_requests_are_sent_again() {
    use StopReason::{NoContent, NotResent};
    let rows: [(&str, &[Answer], Outcome); 14] = [
        ("POST", &[EVENT], (1, 1, NotResent, false)),
        ("POST", &[RESET, EVENT], (1, 0, NotResent, true)),
        ("POST", &[&[], EVENT], (1, 0, NotResent, true)),
        ("POST", &[UNAVAILABLE, EVENT], (1, 0, NotResent, true)),
        ("POST", &[TOO_MANY, TOO_MANY, EVENT], (3, 1, NotResent, false)),
        ("POST", &[TOO_MANY, RESET, EVENT], (2, 0, NotResent, true)),
        ("POST", &[SEE_OTHER, TOO_MANY, EVENT], (2, 0, NotResent, true)),
        ("POST", &[TEMPORARY, TOO_MANY, EVENT], (2, 0, NotResent, true)),
        // What the end of a response means here, nobody knows.
        ("PATCH", &[EVENT, EVENT], (1, 1, NotResent, true)),
        ("PATCH", &[TOO_MANY, EVENT], (2, 1, NotResent, true)),
        ("QUERY", &[EVENT, RESET, EVENT], (4, 2, NoContent, false)),
        ("GET", &[RESET, &[], UNAVAILABLE, EVENT, EVENT], (6, 2, NoContent, false)),
        ("GET", &[SEE_OTHER, UNAVAILABLE, SEE_OTHER, EVENT], (5, 1, NoContent, false)),
        ("GET", &[TEMPORARY, UNAVAILABLE, TEMPORARY, EVENT], (5, 1, NoContent, false)),
    ];
    for (method, answers, expected) in rows {
        for way in Way::BOTH {
            let method = method.parse().unwrap();
            let (server, client) = (Server::start(script(answers)).await, http_client());
            let seen = way.run(&|| request(&client, &method, &server.url())).await;
            let requests = server.requests();
            let outcome = (requests.len(), seen.events.len(), seen.stopped.reason(), seen.stopped.is_failure());
            assert_eq!(outcome, expected, "{method} {answers:?}, {way:?}");
            // Each request is complete. After a redirect, it may be a GET.
            for sent in requests.iter().filter(|sent| sent.path() == "/events") {
                assert!(sent.head.starts_with(method.as_str()), "{}", sent.head);
                assert_eq!(sent.body.is_empty(), method != Method::POST);
            }
        }
    }
}

/// A GET may be carried out twice, so a redirect does not matter, also if the policy is that of a POST.
#[tokio::test]
async fn a_get_that_was_redirected_and_turned_away_is_sent_again_by_any_policy() {
    for (method, requests) in [(Method::GET, 3), (Method::POST, 2)] {
        let (server, client) = (Server::start(&[TEMPORARY, TOO_MANY, EVENT]).await, http_client());
        let source = request(&client, &method, &server.url()).eventsource().unwrap();
        let seen = run(source.with_policy(quick().with_resend(Resend::UnlessSent))).await;
        assert_eq!((server.requests().len(), seen.stopped.reason()), (requests, StopReason::NotResent), "{method}");
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
    let (_reserved, nobody) = nobody();
    let source = version::from_fn(|_| {
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

#[tokio::test]
async fn a_post_that_is_not_answered_in_time_is_not_sent_again() {
    let (server, client) = (Server::start(&[&[Hang], EVENT]).await, http_client());
    let source = request(&client, &Method::POST, &server.url()).eventsource().unwrap().with_policy(quick());
    let stopped = run(source.with_idle_timeout(Duration::from_millis(300))).await.stopped;
    assert!(matches!(stopped.error(), Some(ConnectionError::ResponseTimeout(_))), "{stopped}");
    assert_eq!((stopped.reason(), server.requests().len()), (StopReason::NotResent, 1));
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
