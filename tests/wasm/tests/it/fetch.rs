//! The client over one version of reqwest, which here uses JavaScript's `fetch` and timers.

use crate::{
    version::{self, RequestBuilderExt, RequestEventSource, ResponseExt},
    watch::{SERVER, watch},
};
use eventwire_client::StopReason;
use futures_util::TryStreamExt;
use reqwest::{Client, RequestBuilder};

fn source(request: RequestBuilder) -> RequestEventSource {
    request.eventsource().unwrap()
}

#[test]
async fn from_connection_to_connection() {
    let mut source = source(Client::new().get(SERVER));
    let words =
        ["200 OK", "message d\u{E9}j\u{E0} 1", "the connection ended", "200 OK", "t b 2", "the connection ended"];
    assert_eq!(watch(&mut source).await, words);
    assert_eq!(source.into_stopped().reason(), StopReason::NoContent);
}

#[test]
async fn a_post_is_sent_once() {
    let mut source = source(Client::new().post(SERVER).body("body"));
    assert_eq!(watch(&mut source).await, ["200 OK", "message body "]);
    assert_eq!(source.into_stopped().reason(), StopReason::NotResent);
}

#[test]
async fn a_refusal_has_its_body() {
    let mut source = source(Client::new().get(format!("{SERVER}/refused")));
    assert!(watch(&mut source).await.is_empty());
    let stopped = source.into_stopped();
    assert_eq!(stopped.response().unwrap().text(), "{\"error\":\"who?\"}");
}

#[test]
async fn a_response_in_hand() {
    let get = |path| Client::new().get(format!("{SERVER}/{path}")).header("accept", "text/event-stream").send();
    let events = get("").await.unwrap().open().await.unwrap();
    assert_eq!(events.response().extensions().get::<reqwest::Url>().unwrap().as_str(), format!("{SERVER}/"));
    let data: Vec<_> = events.map_ok(|event| event.into_data().to_string()).try_collect().await.unwrap();
    assert_eq!(data, ["d\u{E9}j\u{E0}"]);
    let error = get("refused").await.unwrap().open().await.unwrap_err();
    assert_eq!(error.to_string(), "the server answered 401 Unauthorized: who?");
    assert_eq!(error.into_response().unwrap().into_http().body(), b"{\"error\":\"who?\"}");
}

/// reqwest passes only ASCII headers to JavaScript.
#[test]
async fn an_id_that_cannot_be_sent_stops_the_source() {
    let mut source = source(Client::new().get(format!("{SERVER}/accent")));
    assert_eq!(watch(&mut source).await, ["200 OK", "message a \u{E9}", "the connection ended"]);
    assert_eq!(source.into_stopped().reason(), StopReason::Permanent);
}

#[test]
fn sources_that_are_disconnected_together_do_not_reconnect_together() {
    let same = || format!("{:?}", source(Client::new().get(SERVER)));
    assert_ne!(same(), same());
    let made = || version::from_fn(|_| std::future::ready(Ok::<_, reqwest::Error>(Client::new().get(SERVER))));
    assert_ne!(format!("{:?}", made()), format!("{:?}", made()));
}
