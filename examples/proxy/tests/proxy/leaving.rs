//! A client that leaves ends the request to the server.

use std::convert::Infallible;
use std::future::pending;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use eventwire_test_support::PATIENCE;
use futures_util::{StreamExt, stream};
use proxy::End;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::proxied::{Proxied, axum, token};

/// Reports that it was dropped.
struct Guard(Option<oneshot::Sender<()>>);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.take().unwrap().send(());
    }
}

fn guard() -> (Arc<Mutex<Option<Guard>>>, oneshot::Receiver<()>) {
    let (send, receive) = oneshot::channel();
    (Arc::new(Mutex::new(Some(Guard(Some(send))))), receive)
}

#[tokio::test]
async fn while_the_stream_is_silent() {
    let (guard, mut dropped) = guard();
    let answer = async move || {
        let guard = guard.lock().unwrap().take().unwrap();
        let first = stream::iter([Ok::<_, Infallible>(token("a"))]);
        let silence = stream::once(async move {
            let _guard = guard;
            pending().await
        });
        ([(CONTENT_TYPE, "text/event-stream")], Body::from_stream(first.chain(silence))).into_response()
    };
    let mut proxied = Proxied::before(&axum(Router::new().route("/", get(answer))).await).await;
    let mut response = proxied.get("/").await;
    let chunk = timeout(PATIENCE, response.chunk()).await.unwrap().unwrap().unwrap();
    assert_eq!(chunk, token("a").replace("small-2", "ours"));
    assert!(dropped.try_recv().is_err());
    drop(response);
    timeout(PATIENCE, dropped).await.expect("the body is dropped").unwrap();
    let report = proxied.report().await;
    assert_eq!((report.tokens, &report.end), (1, &End::ClientLeft));
    assert!(report.to_string().contains(": closed by the client, tokens 1, "), "{report}");
}

#[tokio::test]
async fn before_the_answer_has_begun() {
    let (guard, dropped) = guard();
    let (asked, was_asked) = oneshot::channel();
    let asked = Arc::new(Mutex::new(Some(asked)));
    let answer = async move || -> &'static str {
        let _guard = guard.lock().unwrap().take().unwrap();
        asked.lock().unwrap().take().unwrap().send(()).unwrap();
        pending().await
    };
    let proxied = Proxied::before(&axum(Router::new().route("/", get(answer))).await).await;
    let request = tokio::spawn(proxied.request(reqwest::Method::GET, "/").send());
    timeout(PATIENCE, was_asked).await.unwrap().unwrap();
    request.abort();
    timeout(PATIENCE, dropped).await.expect("the request is dropped").unwrap();
}
