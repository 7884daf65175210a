//! Typed streams over the client.

use eventwire::{Dialect, Error, JsonError, WithEvent};
use eventwire_client::{EventSource, ReadyState, connector_fn};
use futures_util::{FutureExt, StreamExt, stream};
use std::{cell::Cell, convert::Infallible, future};

type Chunk = Result<&'static str, Infallible>;

#[test]
fn the_client_reconnects_within_a_typed_stream() {
    let attempts = Cell::new(0);
    let connector = connector_fn(|attempt| {
        attempts.set(attempts.get() + 1);
        let chunk = match attempt.last_event_id().map(|id| id.to_str().unwrap()) {
            None => "id: a\ndata: 1\n\ndata: [1]\n\ndata: cut off",
            Some("a") => "id: b\ndata: 2\n\ndata: [DONE]\n\ndata: 3\n\n",
            other => panic!("{other:?}"),
        };
        let response = http::Response::builder().header("content-type", "text/event-stream");
        let response = response.body(stream::iter([Chunk::Ok(chunk)])).unwrap();
        async { Ok::<_, Infallible>(response) }
    });
    let timer = |_| future::ready(());
    let values = EventSource::with_connector(connector, timer).events();
    let mut values = values.json_with::<WithEvent<i64>>(Dialect::OPENAI);
    let mut next = || values.next().now_or_never().expect("nothing is waited for");
    assert!(matches!(next(), Some(Ok(WithEvent { value: 1, event })) if event.id() == "a"));
    assert!(matches!(next(), Some(Err(JsonError::Payload { event, .. })) if event.data() == "[1]"));
    assert!(matches!(next(), Some(Ok(WithEvent { value: 2, event })) if event.id() == "b"));
    assert!(next().is_none() && next().is_none());
    assert_eq!((values.get_ref().get_ref().ready_state(), attempts.get()), (ReadyState::Open, 2));
}

#[test]
fn a_refusal_comes_with_its_body() {
    let text = r#"{"error":{"message":"The model `gpt-0` does not exist","code":"model_not_found"}}"#;
    let connector = connector_fn(|_| async {
        let response = http::Response::builder().status(404).header("content-type", "application/json");
        Ok::<_, Infallible>(response.body(stream::iter([Chunk::Ok(text)])).unwrap())
    });
    let timer = |_| future::ready(());
    let source = EventSource::with_connector(connector, timer);
    let mut values = source.events().json_with::<i64>(Dialect::OPENAI);
    let mut next = || values.next().now_or_never().expect("nothing is waited for");
    let Some(Err(JsonError::Stream(Error::Transport(stopped)))) = next() else { panic!("not a refusal") };
    let refusal = stopped.refusal().unwrap();
    assert_eq!((refusal.status().as_u16(), refusal.body()), (404, text.as_bytes()));
    assert!(matches!(next(), Some(Err(JsonError::Truncated))));
    assert!(next().is_none());
}
