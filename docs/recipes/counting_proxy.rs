//! A proxy for OpenAI-compatible servers, which logs each event stream.

use super::count::Count; // the second file
use axum::http::{HeaderMap, HeaderName, StatusCode, header, request::Parts};
use axum::{Router, body::Body, body::Bytes, extract::DefaultBodyLimit, extract::State};
use axum::{response::Response, response::Result};
use eventwire::{Tap, TapError};
use http_body_util::BodyExt;
use reqwest::{Client, Url, redirect::Policy};
use std::time::Duration;
use tower_http::timeout::RequestBodyTimeoutLayer;

/// The headers of one connection, the host, and `accept-encoding`: events that are
/// compressed cannot be counted.
const NOT_FORWARDED: [&str; 11] = [
    "accept-encoding",
    "connection",
    "host",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Returns the routes of a proxy for the server at this URL.
pub fn proxy(server: Url) -> reqwest::Result<Router> {
    let client = Client::builder().redirect(Policy::none());
    let client = client.connect_timeout(Duration::from_secs(10));
    let client = client.read_timeout(Duration::from_secs(600)).build()?; // models think
    let body_timeout = RequestBodyTimeoutLayer::new(Duration::from_secs(60));
    let routes = Router::new().fallback(relay).layer(DefaultBodyLimit::max(64 << 20));
    Ok(routes.layer(body_timeout).with_state((client, server)))
}

async fn relay(
    State((client, mut url)): State<(Client, Url)>,
    head: Parts,
    body: Bytes,
) -> Result<Response> {
    url.set_path(head.uri.path());
    url.set_query(head.uri.query());
    if url.path() != head.uri.path() {
        return Err(StatusCode::BAD_REQUEST.into()); // with `..` it would be another one
    }
    let request = client.request(head.method.clone(), url).body(body);
    let answer = request.headers(forwarded(&head.headers)).send().await;
    let answer = answer.map_err(|error| (StatusCode::BAD_GATEWAY, describe(error)))?;
    let request = format!("{} {}", head.method, head.uri.path().escape_default());
    let (count, log) = (Count::new(request.clone()), request.clone());
    let mut answer = Response::from(answer).map(|body| {
        body.map_err(describe).inspect_err(move |error| eprintln!("{log}: {error}"))
    });
    *answer.headers_mut() = forwarded(answer.headers());
    Ok(match Tap::from_response(answer, count) {
        Ok(answer) => answer.map(Body::new),
        Err(TapError::NotEventStream(answer)) => answer.map(Body::new),
        Err(error) => {
            eprintln!("{request}: not counted: {error}");
            error.into_response().map(Body::new)
        }
    })
}

fn forwarded(headers: &HeaderMap) -> HeaderMap {
    let mut kept = headers.clone();
    NOT_FORWARDED.iter().for_each(|name| drop(kept.remove(*name)));
    // Those that `Connection` names belong to one connection, too.
    for list in headers.get_all(header::CONNECTION) {
        let names = list.as_bytes().split(|&byte| byte == b',');
        for name in
            names.filter_map(|name| HeaderName::from_bytes(name.trim_ascii()).ok())
        {
            kept.remove(name);
        }
    }
    kept
}

fn describe(error: reqwest::Error) -> String {
    // The query of its URL may contain a key.
    format!("{:#}", anyhow::Error::from(error.without_url()))
}
