//! What servers write in memory has no finding: eventwire's `EventBody`, and axum's `Sse`.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::{IntoResponse, sse};
use eventwire::{Event, EventBody};
use eventwire_lint::{Finding, Lint};
use futures_util::{FutureExt, stream};
use http::Response;
use http_body::Body;
use http_body_util::BodyExt;
use proptest::prelude::*;

/// Reads a body that is always ready.
fn findings<B: Body>(response: Response<B>) -> Vec<Finding>
where
    B::Error: std::fmt::Debug,
{
    let mut lint = Lint::new();
    lint.head(&response, Duration::ZERO);
    let body = response.into_body().collect().now_or_never().expect("a body that is ready").unwrap();
    lint.chunk(&body.to_bytes(), Duration::ZERO);
    lint.finish(Duration::ZERO)
}

/// A text without a backslash, because a line that ends in a backslash and an `n` looks like a mistake.
fn text() -> impl Strategy<Value = String> {
    "[\\PC\r\n]{0,40}".prop_map(|text| text.replace('\\', "/"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn event_body(data in prop::collection::vec(text(), 1..5), id: u64) {
        let events = data.into_iter().map(|data| Event::new(data).with_numeric_id(id));
        let body = EventBody::new(stream::iter(events.map(Ok::<_, Infallible>).collect::<Vec<_>>()));
        prop_assert_eq!(findings(body.response()), []);
    }

    #[test]
    fn axum(data in prop::collection::vec(text(), 1..5), id: u64) {
        // For an empty text, axum writes no data line, which is a finding.
        let data = data.into_iter().map(|data| data + ".");
        let events = data.map(|data| sse::Event::default().event("update").id(id.to_string()).data(data));
        let events = stream::iter(events.map(Ok::<_, Infallible>).collect::<Vec<_>>());
        prop_assert_eq!(findings(sse::Sse::new(events).into_response()), []);
    }
}
