//! The requests of the client over reqwest.

use crate::{
    runs::{http_client, quick, run, serve},
    version::{self, RequestBuilderExt, RequestConnector, RequestError},
};
use eventwire::TokioTimer;
use eventwire_client::{ConnectionError, EventSource, Item};
use eventwire_test::Script;
use reqwest::{Body, Method, RequestBuilder, Version, header::HeaderValue};
use std::error::Error as _;

fn event() -> Script {
    Script::new().send("id: 1\ndata: a\n\n")
}

fn source(request: RequestBuilder) -> EventSource<RequestConnector, TokioTimer> {
    EventSource::with_connector(RequestConnector::new(request).unwrap(), TokioTimer).with_policy(quick())
}

#[tokio::test]
async fn the_headers_of_an_event_source() {
    let server = serve(&[event()]);
    run(source(http_client().get(server.url()))).await;
    let [first, second] = &server.requests()[..] else { panic!("{:?}", server.requests()) };
    for request in [first, second] {
        assert_eq!((request.method(), request.uri().path()), (&Method::GET, "/events"));
        assert_eq!(request.version(), Version::HTTP_11);
        assert_eq!(request.headers()["accept"], "text/event-stream");
        assert_eq!(request.headers()["cache-control"], "no-cache");
    }
    assert_eq!(first.headers().get("last-event-id"), None);
    assert_eq!(second.headers()["last-event-id"], "1");
}

#[tokio::test]
async fn existing_headers_are_kept() {
    let server = serve(&[event()]);
    let request = http_client().get(server.url()).header("accept", "text/event-stream, application/json");
    let request = request.header("cache-control", "no-store").bearer_auth("token");
    run(request.eventsource().unwrap().with_policy(quick())).await;
    for request in server.requests() {
        assert_eq!(request.headers()["accept"], "text/event-stream, application/json");
        assert_eq!(request.headers()["cache-control"], "no-store");
        assert_eq!(request.headers()["authorization"], "Bearer token");
    }
}

/// It is the initial ID.
#[tokio::test]
async fn an_id_that_the_caller_has_set_is_replaced_or_cleared() {
    let cleared = Script::new().send("id\ndata: a\n\n");
    // A connector alone does not know that the ID is cleared.
    for (by_connector, answer, last) in [(false, event(), "1"), (false, cleared, ""), (true, event(), "1")] {
        let server = serve(&[Script::new(), answer]);
        let request = http_client().get(server.url()).header("last-event-id", "s\u{E9}ed");
        match by_connector {
            true => _ = run(source(request)).await,
            false => {
                let source = request.eventsource().unwrap().with_policy(quick());
                assert_eq!(source.last_event_id(), "s\u{E9}ed");
                run(source).await;
            }
        }
        let ids = server.requests().into_iter().map(|request| {
            let ids: Vec<_> = request.headers().get_all("last-event-id").iter().map(HeaderValue::as_bytes).collect();
            String::from_utf8(ids.join(&b" and "[..])).unwrap()
        });
        assert_eq!(ids.collect::<Vec<_>>(), ["s\u{E9}ed", "s\u{E9}ed", last], "{by_connector}");
    }
}

#[tokio::test]
async fn each_request_is_the_callers_and_uses_the_callers_client() {
    let server = serve(&[event()]);
    let client = reqwest::Client::builder().no_proxy().user_agent("caller").build().unwrap();
    run(source(client.get(format!("{}?a=b", server.url())).version(Version::HTTP_10))).await;
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    for request in requests {
        assert_eq!((request.uri().to_string().as_str(), request.version()), ("/events?a=b", Version::HTTP_10));
        assert_eq!(request.headers()["user-agent"], "caller");
    }
}

#[tokio::test]
async fn a_request_for_each_attempt() {
    let server = serve(&[Script::status(503), event(), Script::new()]);
    let (client, url) = (http_client(), server.url());
    let mut tokens = 0;
    let mut source = version::from_fn(|attempt| {
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
    let paths: Vec<_> = requests.iter().map(|request| request.uri().path()).collect();
    assert_eq!(paths, ["/events/1", "/events/2", "/events/2", "/events/3"]);
    let tokens: Vec<_> = requests.iter().map(|request| &request.headers()["authorization"]).collect();
    assert_eq!(tokens, ["Bearer 1", "Bearer 2", "Bearer 4", "Bearer 5"]);
    assert_eq!(requests[2].headers()["last-event-id"], "1");
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
