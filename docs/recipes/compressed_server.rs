//! An axum server whose responses are compressed, event streams included.

use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::{Router, response::IntoResponse, routing::get};
use eventwire::{EventBody, TokioTimer};
use eventwire_hub::{Channel, Resume};
use std::time::Duration;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};
use tower_http::compression::{CompressionLayer, CompressionLevel};

async fn events(
    State(feed): State<Channel>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<impl IntoResponse, StatusCode> {
    let reader = feed.subscribe(Resume::from_request(&headers, query.as_deref()))?;
    Ok(EventBody::new(reader)
        .with_keep_alive(Duration::from_secs(15), TokioTimer)
        .response())
}

pub fn app(feed: Channel) -> Router {
    // The default of tower-http, which also leaves out event streams.
    let which =
        SizeAbove::default().and(NotForContentType::GRPC).and(NotForContentType::IMAGES);
    // The fastest level needs the least memory, of which each reader needs its own.
    let compression = CompressionLayer::new().quality(CompressionLevel::Fastest);
    let compression = compression.compress_when(which);
    Router::new().route("/events", get(events)).with_state(feed).layer(compression)
}
