//! The requests of the client over reqwest.

use crate::{
    Seen, http_client, quick, run,
    server::{
        Answer, Server,
        Step::{Hang, Send},
        stream,
    },
    timer::{self, Delays},
};
use eventwire::BodyChunks;
use eventwire_client::{ConnectionError, EventSource, Item, ReconnectPolicy, Resend, StopReason, connector_fn};
use eventwire_reqwest::{RequestBuilderExt, RequestConnector, RequestError};
use futures_util::StreamExt;
use reqwest::{Body, RequestBuilder};
use std::{
    error::Error as _,
    net::{TcpListener, TcpStream},
    time::Duration,
};

const UNAVAILABLE: Answer =
    &[Send(b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 4\r\n\r\nbusy")];
const EMPTY: Answer = &[stream!("")];
const EVENT: Answer = &[stream!("id: 1\ndata: a\n\n")];

fn source(request: RequestBuilder) -> EventSource<RequestConnector, impl eventwire::Timer> {
    EventSource::with_connector(RequestConnector::new(request).unwrap(), timer::short(&Delays::default()))
}

#[tokio::test]
async fn the_headers_of_an_event_source() {
    let server = Server::start(&[EVENT]).await;
    run(source(http_client().get(server.url()))).await;
    let [first, second] = &server.requests()[..] else { panic!("{:?}", server.requests()) };
    assert!(first.head.starts_with("GET /events HTTP/1.1\r\n"), "{}", first.head);
    for request in [first, second] {
        assert_eq!(request.header("accept"), Some("text/event-stream"));
        assert_eq!(request.header("cache-control"), Some("no-cache"));
    }
    assert_eq!((first.header("last-event-id"), second.header("last-event-id")), (None, Some("1")));
}

#[tokio::test]
async fn existing_headers_are_kept() {
    let server = Server::start(&[EVENT]).await;
    let request = http_client().get(server.url()).header("accept", "text/event-stream, application/json");
    let request = request.header("cache-control", "no-store").header("last-event-id", "seed").bearer_auth("token");
    run(request.eventsource().unwrap().with_policy(quick())).await;
    let requests = server.requests();
    for request in &requests {
        assert_eq!(request.header("accept"), Some("text/event-stream, application/json"));
        assert_eq!(request.header("cache-control"), Some("no-store"));
        assert_eq!(request.header("authorization"), Some("Bearer token"));
    }
    // An ID that the caller has set is the initial ID.
    let ids: Vec<_> = requests.iter().map(|request| request.header("last-event-id")).collect();
    assert_eq!(ids, [Some("seed"), Some("1")]);
    assert_eq!(requests[1].head.to_ascii_lowercase().matches("last-event-id").count(), 1);
}

#[tokio::test]
async fn each_request_is_the_callers_and_uses_the_callers_client() {
    let server = Server::start(&[EVENT]).await;
    let client = reqwest::Client::builder().no_proxy().user_agent("caller").build().unwrap();
    run(source(client.get(format!("{}?a=b", server.url())).version(reqwest::Version::HTTP_10))).await;
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    for request in requests {
        assert!(request.head.starts_with("GET /events?a=b HTTP/1.0\r\n"), "{}", request.head);
        assert_eq!(request.header("user-agent"), Some("caller"));
    }
}

#[tokio::test]
async fn a_connector_replaces_an_id_that_the_caller_has_set() {
    let server = Server::start(&[EVENT]).await;
    run(source(http_client().get(server.url()).header("last-event-id", "seed"))).await;
    let ids: Vec<_> = server.requests().iter().map(|request| request.all("last-event-id").join(" and ")).collect();
    assert_eq!(ids, ["seed", "1"]);
}

#[tokio::test]
async fn an_id_that_the_caller_has_set_can_be_cleared() {
    const CLEARED: Answer = &[stream!("id\ndata: a\n\n")];
    let server = Server::start(&[EMPTY, CLEARED]).await;
    let request = http_client().get(server.url()).header("last-event-id", "s\u{E9}ed");
    let source = request.eventsource().unwrap().with_policy(quick());
    assert_eq!(source.last_event_id(), "s\u{E9}ed");
    run(source).await;
    let requests = server.requests();
    let ids: Vec<_> = requests.iter().map(|request| request.header("last-event-id")).collect();
    assert_eq!(ids, [Some("s\u{E9}ed"), Some("s\u{E9}ed"), None]);
}

#[tokio::test]
async fn a_post_is_sent_again_if_the_caller_allows_it() {
    let server = Server::start(&[EVENT, EVENT]).await;
    let source = source(http_client().post(server.url()).body("body"));
    let Seen { events, stopped, .. } =
        run(source.with_policy(ReconnectPolicy::new().with_resend(Resend::Always))).await;
    assert_eq!((events.len(), stopped.reason()), (2, StopReason::NoContent));
    assert!(server.requests().iter().all(|request| request.body == b"body"));
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn methods_that_are_idempotent_and_others() {
    use reqwest::Method;
    let count = async |method: Method| {
        let server = Server::start(&[EVENT]).await;
        run(source(http_client().request(method, server.url()))).await;
        server.requests().len()
    };
    for method in [Method::GET, Method::PUT, Method::DELETE, Method::OPTIONS] {
        assert_eq!(count(method.clone()).await, 2, "{method}");
    }
    for method in [Method::POST, Method::PATCH] {
        assert_eq!(count(method.clone()).await, 1, "{method}");
    }
}

#[tokio::test]
async fn a_request_for_each_attempt() {
    let server = Server::start(&[UNAVAILABLE, EVENT, EMPTY]).await;
    let (client, url) = (http_client(), server.url());
    let mut tokens = 0;
    let mut source = eventwire_reqwest::from_fn(|attempt| {
        tokens += 1;
        let request = client.get(format!("{url}/{}", attempt.number())).bearer_auth(tokens);
        // The function may be async and may fail.
        async move { if tokens == 3 { Err(Failure::NoToken) } else { Ok(request) } }
    })
    .with_policy(quick());
    let mut failures = 0;
    while let Some(item) = source.next().await {
        match item {
            Item::Reconnecting { error: ConnectionError::Transport(Failure::NoToken), .. } => failures += 1,
            Item::Reconnecting { error: ConnectionError::Transport(error), .. } => panic!("{error:?}"),
            _ => {}
        }
    }
    assert_eq!(failures, 1);
    let requests = server.requests();
    let paths: Vec<_> = requests.iter().map(|request| request.path().rsplit_once('/').unwrap().1).collect();
    assert_eq!(paths, ["1", "2", "2", "3"]);
    let tokens: Vec<_> = requests.iter().map(|request| request.header("authorization").unwrap()).collect();
    assert_eq!(tokens, ["Bearer 1", "Bearer 2", "Bearer 4", "Bearer 5"]);
    assert_eq!(requests[2].header("last-event-id"), Some("1"));
}

#[derive(Debug)]
enum Failure {
    NoToken,
    #[expect(dead_code, reason = "only printed")]
    Request(reqwest::Error),
}

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Failure {
        Failure::Request(error)
    }
}

#[tokio::test]
async fn an_invalid_request() {
    let invalid = http_client().get("no URL").eventsource().unwrap_err();
    assert!(matches!(&invalid, RequestError::Build(_)));
    assert_eq!(invalid.to_string(), "the request is not valid: builder error");
    assert_eq!(invalid.source().unwrap().to_string(), "relative URL without a base");

    let body = Body::wrap_stream(futures_util::stream::iter([Ok::<_, std::io::Error>("once")]));
    let streamed = http_client().post("http://127.0.0.1/").body(body).eventsource().unwrap_err();
    assert!(matches!(&streamed, RequestError::StreamBody));
    assert_eq!(streamed.to_string(), "the request's body is a stream, which cannot be sent again");
}

#[tokio::test]
async fn a_post_over_another_client() {
    const TOO_MANY: Answer = &[Send(b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n")];
    let server = Server::start(&[TOO_MANY, UNAVAILABLE, EVENT]).await;
    let (client, url) = (http_client(), server.url());
    let connector = connector_fn(|attempt| {
        let request = client.post(&url).headers(attempt.headers()).send();
        async move {
            let response = http::Response::from(request.await?).map(BodyChunks::new);
            Ok::<_, reqwest::Error>(response)
        }
    })
    .with_resend(Resend::for_method("POST"));
    let Seen { events, stopped, .. } =
        run(EventSource::with_connector(connector, timer::short(&Delays::default()))).await;
    assert_eq!((events.len(), stopped.reason(), server.requests().len()), (0, StopReason::NotResent, 2));
}

#[tokio::test]
async fn a_reconnection_time_that_changes() {
    const ONE: Answer = &[stream!("retry: 1000\ndata: a\n\n")];
    const TWO: Answer = &[stream!("retry: 2000\nretry: +9\nretry\ndata: b\n\n")];
    let server = Server::start(&[ONE, TWO, EVENT]).await;
    let mut source = source(http_client().get(server.url()));
    let mut delays = Vec::new();
    while let Some(item) = source.next().await {
        if let Item::Reconnecting { delay, .. } = item {
            delays.push(delay);
        }
    }
    let ranges =
        [1..=2, 2..=4, 2..=4].map(|range| Duration::from_secs(*range.start())..=Duration::from_secs(*range.end()));
    assert!(delays.len() == 3 && ranges.iter().zip(&delays).all(|(range, delay)| range.contains(delay)), "{delays:?}");
}

#[tokio::test]
async fn the_extension_method_is_sufficient() {
    let server = Server::start(&[EVENT]).await;
    let mut source = http_client().get(server.url()).eventsource().unwrap();
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    match source.next().await {
        Some(Item::Event(event)) => assert_eq!((event.data(), event.last_event_id()), ("a", "1")),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_refusal_has_its_status_its_headers_and_its_body() {
    const JSON: Answer = &[Send(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Request-Id: 7\r\nConnection: close\r\n\r\n\
        {\"error\":\"no credit\"}",
    )];
    let server = Server::start(&[JSON]).await;
    let stopped = run(source(http_client().get(server.url()))).await.stopped;
    let refusal = stopped.response().unwrap();
    assert_eq!((refusal.status().as_u16(), &refusal.headers()["x-request-id"]), (200, &"7".parse().unwrap()));
    assert_eq!(serde_json::from_slice::<serde_json::Value>(refusal.body()).unwrap()["error"], "no credit");
}

#[tokio::test]
async fn the_url_after_redirects_is_known() {
    const MOVED: Answer = &[Send(b"HTTP/1.1 302 Found\r\nLocation: /moved\r\nConnection: close\r\n\r\n")];
    let server = Server::start(&[MOVED, EVENT]).await;
    let mut source = http_client().get(server.url()).eventsource().unwrap();
    match source.next().await {
        Some(Item::Open(response)) => {
            let url = response.extensions().get::<reqwest::Url>().unwrap();
            assert_eq!(url.path(), "/moved");
        }
        other => panic!("{other:?}"),
    }
}

/// For example, the server's machine has lost its power: no bytes arrive, and no end of the connection.
#[tokio::test]
async fn a_half_open_connection() {
    const HALF_OPEN: Answer = &[stream!("retry: 10\ndata: a\n\n"), Hang];
    let server = Server::start(&[HALF_OPEN, &[Hang], EVENT]).await;
    // The client sleeps four times for a quarter of this, and the short timer makes each sleep half a second.
    let source = source(http_client().get(server.url())).with_idle_timeout(Duration::from_secs(40));
    let Seen { events, stopped, .. } = run(source).await;
    assert_eq!((events, stopped.reason()), (vec!["a".to_owned(), "a".to_owned()], StopReason::NoContent));
    assert_eq!(server.requests().len(), 4);
}

#[tokio::test]
async fn a_server_that_is_down() {
    // The local port of an open connection: nobody listens on it, and no other process can get it meanwhile.
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let connection = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let delays = Delays::default();
    let request = http_client().get(format!("http://{}/", connection.local_addr().unwrap()));
    let source = EventSource::with_connector(RequestConnector::new(request).unwrap(), timer::short(&delays));
    let rules = ReconnectPolicy::new().with_max_attempts(4).with_reconnection_time(Duration::from_secs(1));
    let Seen { events, stopped, .. } = run(source.with_policy(rules)).await;
    assert_eq!((events.len(), stopped.reason()), (0, StopReason::AttemptsExhausted));
    assert!(matches!(stopped.error(), Some(ConnectionError::Transport(error)) if error.is_connect()));
    let delays = delays.all();
    assert_eq!(delays.len(), 3);
    for (delay, most) in delays.iter().zip([2, 4, 8]) {
        assert!((Duration::from_secs(1)..=Duration::from_secs(most)).contains(delay), "{delays:?}");
    }
}

#[tokio::test]
async fn how_long_the_server_asks_to_wait() {
    const DATE: Answer = &[Send(
        b"HTTP/1.1 429 Too Many Requests\r\nDate: Sat, 21 Nov 2026 21:00:00 GMT\r\n\
        Retry-After: Sat, 21 Nov 2026 21:02:00 GMT\r\nConnection: close\r\n\r\n",
    )];
    let server = Server::start(&[UNAVAILABLE, DATE, EVENT]).await;
    let mut source = source(http_client().get(server.url()));
    let mut waits = Vec::new();
    while let Some(item) = source.next().await {
        if let Item::Reconnecting { error: ConnectionError::UnexpectedResponse(refusal), delay, .. } = item {
            waits.push((refusal.text().into_owned(), delay.as_secs()));
        }
    }
    // Up to a quarter more, because the server sends the same value to all clients.
    assert!(
        matches!(&waits[..], [(busy, 1), (nothing, 120..=150)] if busy == "busy" && nothing.is_empty()),
        "{waits:?}"
    );
}
