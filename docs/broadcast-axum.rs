use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::{Router, response::IntoResponse, routing::get};
use eventwire::{EventBody, TokioTimer};
use eventwire_hub::{Channel, Resume};
use std::time::Duration;

async fn events(
    State(prices): State<Channel>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<impl IntoResponse, StatusCode> {
    // An error if the channel is finished and the reader has all events. Its status tells
    // the reader not to return.
    let reader = prices.subscribe(Resume::from_request(&headers, query.as_deref()))?;
    Ok(EventBody::new(reader)
        .with_keep_alive(Duration::from_secs(15), TokioTimer)
        .response())
}

/// Create the channel with `Channel::new(History::new())`, and send events with
/// `prices.send(&Event::new("41.7"))`.
pub fn app(prices: Channel) -> Router {
    Router::new().route("/prices", get(events)).with_state(prices)
}
