use axum::{Router, extract::State, response::IntoResponse, routing::get};
use eventwire::{Encoded, Event, EventBody, EventType, TokioTimer};
use futures_util::{StreamExt, stream};
use std::time::Duration;
use tokio::sync::broadcast::Sender;

const RESET: EventType = EventType::new("reset").unwrap();

async fn events(State(prices): State<Sender<Encoded>>) -> impl IntoResponse {
    // An error means that this reader is too slow and has lost events. That ends its response, and it reconnects.
    let live = stream::unfold(prices.subscribe(), |mut live| async { Some((live.recv().await.ok()?, live)) });
    let reset = Event::new("null").with_checked_type(RESET).encoded();
    EventBody::new(stream::iter([reset]).chain(live)).with_keep_alive(Duration::from_secs(15), TokioTimer).response()
}

/// Send events with `prices.send(Event::new("41.7").encoded())`, which fails if nobody is connected.
pub fn app(prices: Sender<Encoded>) -> Router {
    Router::new().route("/prices", get(events)).with_state(prices)
}
