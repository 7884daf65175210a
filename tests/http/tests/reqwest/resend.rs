//! Which requests are sent again.

use crate::{
    runs::{Seen, Way, event, http_client, nobody, quick, redirect, request, run, serve},
    version::{self, RequestBuilderExt},
};
use bytes::Bytes;
use eventwire_client::{ConnectionError, Resend, StopReason};
use eventwire_test::{End, Script, TestServer};
use futures_util::{
    StreamExt,
    stream::{iter, once},
};
use http::Uri;
use reqwest::{Body, Method, RequestBuilder};
use std::{future, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, copy_bidirectional},
    net::{TcpListener, TcpSocket, TcpStream},
    sync::Notify,
};

/// The number of requests and of events, why the source stopped, and whether that is a failure.
type Outcome = (usize, usize, StopReason, bool);

/// The rules of each kind of request have tests of their own. Here, the connector says of which kind a request is, and
/// what has happened to it.
#[tokio::test]
async fn which_requests_are_sent_again() {
    use StopReason::{NoContent, NotResent};
    let (lost, reset) = (|| Script::raw(""), || Script::raw("").with_end(End::Reset));
    let (unavailable, too_many) = (|| Script::status(503).header("retry-after", "1"), || Script::status(429));
    // After it, the first server has processed the request, and the second one only returns the result.
    let see_other = || redirect(303, "/result");
    let temporary = || redirect(307, "/other");
    let rows: [(&str, &[Script], Outcome); 14] = [
        ("POST", &[event()], (1, 1, NotResent, false)),
        ("POST", &[reset(), event()], (1, 0, NotResent, true)),
        ("POST", &[lost(), event()], (1, 0, NotResent, true)),
        ("POST", &[unavailable(), event()], (1, 0, NotResent, true)),
        ("POST", &[too_many(), too_many(), event()], (3, 1, NotResent, false)),
        ("POST", &[too_many(), reset(), event()], (2, 0, NotResent, true)),
        ("POST", &[see_other(), too_many(), event()], (2, 0, NotResent, true)),
        ("POST", &[temporary(), too_many(), event()], (2, 0, NotResent, true)),
        // What the end of a response means here, nobody knows.
        ("PATCH", &[event(), event()], (1, 1, NotResent, true)),
        ("PATCH", &[too_many(), event()], (2, 1, NotResent, true)),
        ("QUERY", &[event(), reset(), event()], (4, 2, NoContent, false)),
        ("GET", &[reset(), lost(), unavailable(), event(), event()], (6, 2, NoContent, false)),
        ("GET", &[see_other(), unavailable(), see_other(), event()], (5, 1, NoContent, false)),
        ("GET", &[temporary(), unavailable(), temporary(), event()], (5, 1, NoContent, false)),
    ];
    for (method, answers, expected) in rows {
        for way in Way::BOTH {
            let method = method.parse().unwrap();
            let (server, client) = (serve(answers), http_client());
            let seen = way.run(&|| request(&client, &method, &server.url())).await;
            let requests = server.requests();
            let outcome = (requests.len(), seen.events.len(), seen.stopped.reason(), seen.stopped.is_failure());
            assert_eq!(outcome, expected, "{method} {answers:?}, {way:?}");
            // Each request is complete. After a redirect, it may be a GET.
            for sent in requests.iter().filter(|sent| sent.uri().path() == "/events") {
                assert_eq!((sent.method(), sent.body().is_empty()), (&method, method != Method::POST));
            }
        }
    }
}

/// A GET may be carried out twice, so a redirect does not matter, also if the policy is that of a POST.
#[tokio::test]
async fn a_get_that_was_redirected_and_turned_away_is_sent_again_by_any_policy() {
    for (method, requests) in [(Method::GET, 3), (Method::POST, 2)] {
        let (server, client) = (serve(&[redirect(307, "/other"), Script::status(429), event()]), http_client());
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
        let (server, client) = (TestServer::new().answer(event()), http_client());
        let make = || request(&client, &Method::POST, &url);
        let address = server.url().parse::<Uri>().unwrap().authority().unwrap().to_string();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let (mut client, _) = socket.listen(8).unwrap().accept().await.unwrap();
            let mut server = TcpStream::connect(address).await.unwrap();
            let _ = copy_bidirectional(&mut client, &mut server).await;
        });
        let seen = way.run(&make).await;
        assert!(!seen.errors.is_empty() && seen.errors.iter().all(is_connect), "{:?}", seen.errors);
        assert_eq!((seen.events, seen.stopped.is_failure()), (vec!["a".to_owned()], false));
        let requests = server.requests();
        assert_eq!((requests.len(), &requests[0].body()[..]), (1, &b"once"[..]));
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
    let (server, client) = (serve(&[Script::raw("").with_end(End::Stall), event()]), http_client());
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
