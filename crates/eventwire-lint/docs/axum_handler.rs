use axum::{body::to_bytes, response::IntoResponse};
use eventwire::{Event, EventBody};
use eventwire_lint::Lint;
use futures_util::stream;
use std::time::Duration;

async fn countdown() -> impl IntoResponse {
    let numbers = (0..3).rev().map(|number| Event::new(number.to_string()));
    EventBody::new(stream::iter(numbers)).response()
}

#[tokio::test]
async fn the_countdown_is_a_valid_event_stream() {
    let response = countdown().await.into_response();
    let mut lint = Lint::new();
    lint.head(&response, Duration::ZERO); // the status and the headers
    let body = to_bytes(response.into_body(), 1 << 20).await.unwrap();
    lint.chunk(&body, Duration::ZERO);
    assert_eq!(lint.finish(Duration::ZERO), []);
}
