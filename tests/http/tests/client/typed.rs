//! Typed streams over the client.

use crate::fake::{
    Answer::{self, Stream},
    Fake,
    Step::Chunk,
};
use eventwire::{Dialect, Error, JsonError, WithEvent};
use eventwire_client::{EventSource, Item, ReadyState, connector_fn};
use futures_util::{FutureExt, StreamExt, stream, stream::FusedStream};
use std::{cell::Cell, convert::Infallible, future};

type Bytes = Result<&'static str, Infallible>;

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
        let response = response.body(stream::iter([Bytes::Ok(chunk)])).unwrap();
        async { Ok::<_, Infallible>(response) }
    });
    let timer = |_| future::ready(());
    let values = EventSource::with_connector(connector, timer).events();
    let mut values = values.json_with::<WithEvent<i64>>(Dialect::OPENAI);
    let mut next = || values.next().now_or_never().expect("nothing is waited for");
    assert!(matches!(next(), Some(Ok(WithEvent { value: 1, event })) if event.last_event_id() == "a"));
    assert!(matches!(next(), Some(Err(JsonError::Payload { event, .. })) if event.data() == "[1]"));
    assert!(matches!(next(), Some(Ok(WithEvent { value: 2, event })) if event.last_event_id() == "b"));
    assert!(next().is_none() && next().is_none());
    assert_eq!((values.get_ref().get_ref().ready_state(), attempts.get()), (ReadyState::Open, 2));
}

#[test]
fn a_refusal_comes_with_its_body() {
    let text = r#"{"error":{"message":"The model `gpt-0` does not exist","code":"model_not_found"}}"#;
    let connector = connector_fn(|_| async {
        let response = http::Response::builder().status(404).header("content-type", "application/json");
        Ok::<_, Infallible>(response.body(stream::iter([Bytes::Ok(text)])).unwrap())
    });
    let timer = |_| future::ready(());
    let source = EventSource::with_connector(connector, timer);
    let mut values = source.events().json_with::<i64>(Dialect::OPENAI);
    let mut next = || values.next().now_or_never().expect("nothing is waited for");
    let Some(Err(JsonError::Stream(Error::Transport(stopped)))) = next() else { panic!("not a refusal") };
    let refusal = stopped.response().unwrap();
    assert_eq!((refusal.status().as_u16(), refusal.body()), (404, text.as_bytes()));
    assert!(matches!(next(), Some(Err(JsonError::Truncated { .. }))));
    assert!(next().is_none());
}

/// The items of a source, with values in place of events.
#[tokio::test(start_paused = true)]
async fn items_with_values() {
    const ANSWERS: &[Answer] = &[
        Answer::Failure("refused"),
        Stream(&[Chunk("id: a\ndata: 1\n\n: c\n\ndata: [1]\n\ndata: cut off")]),
        Stream(&[Chunk("event: error\ndata: busy\n\ndata: 2\n\ndata: [DONE]\n\ndata: 3\n\n")]),
    ];
    let shown = |item| match item {
        Item::Open(_) => "open".to_owned(),
        Item::Event(Ok(value)) => format!("{value}"),
        Item::Event(Err(error)) => format!("{error}").chars().take(60).collect(),
        Item::Reconnecting { error, attempt, .. } => format!("{error}; {attempt}"),
        Item::Comment(comment) => format!(": {}", comment.text()),
        other => format!("{other:?}"),
    };
    let early = "the stream is truncated: the connection ended early; 1";
    let payload = "cannot read the data of a `message` event as JSON: invalid t";
    for has_blocks in [false, true] {
        let source = Fake::new(ANSWERS).source();
        let source = if has_blocks { source.with_blocks() } else { source };
        let mut items = source.json_with::<u32>(Dialect::OPENAI);
        let seen: Vec<_> = items.by_ref().map(shown).collect().await;
        let mut expected = vec!["refused; 2", "open", "1", ": c", payload, early, "open"];
        expected.extend(["the server reported an error: busy", "2"]);
        expected.retain(|item| has_blocks || *item != ": c");
        assert_eq!(seen, expected);
        assert!(items.is_terminated() && items.get_ref().last_event_id() == "a");
        assert!(items.into_inner().into_result().is_ok());
    }
    // Without the end, and with events as values.
    let mut items = Fake::new(&[Stream(&[Chunk("data: 1\n\n")])]).source().json_with::<u32>(Dialect::OPENAI);
    let last = items.by_ref().map(shown).collect::<Vec<_>>().await.pop();
    assert_eq!(last.unwrap(), "the stream is truncated: it ended without `[DONE]`");
    let mut items = Fake::new(&[Stream(&[Chunk("event: ping\ndata: 1\n\n")])]).source().json::<u32>();
    assert!(matches!((items.next().await, items.next().await), (Some(Item::Open(_)), Some(Item::Event(Ok(1))))));
}
