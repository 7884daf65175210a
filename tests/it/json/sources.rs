//! A typed stream works over any source of events.

use eventwire::{Dialect, Event, Events, EventsExt, JsonError, JsonStream, Payload, WithEvent};
use futures_core::Stream;
use futures_util::{FutureExt, StreamExt, TryStreamExt, future, stream};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::{convert::Infallible, pin::pin};

type Chunk = Result<&'static str, Infallible>;

const BODY: &str = "event: log\ndata: ?\n\ndata: 1\n\ndata: 2\n\ndata: [DONE]\n\ndata: 3\n\n";

fn is_value(event: &Result<Event, eventwire::Error<Infallible>>) -> bool {
    event.as_ref().is_ok_and(|event| event.event_type() != "log")
}

#[test]
fn an_iterator_with_other_adapters_on_it() {
    let events = Events::new([Chunk::Ok(BODY)].into_iter()).filter(is_value);
    let values: Vec<i64> = JsonStream::new(events, Dialect::OPENAI).collect::<Result<_, _>>().unwrap();
    assert_eq!(values, [1, 2]);
    // Events that were never decoded from bytes.
    let events = ["1", "2"].map(|data| Ok::<_, eventwire::Error<Infallible>>(Event::new(data)));
    let mut values = JsonStream::<_, i64>::new(events.into_iter(), Dialect::new());
    // `StreamExt` is in scope, but `next` is not ambiguous.
    assert_eq!((values.next().unwrap().unwrap(), values.next().unwrap().unwrap()), (1, 2));
    assert!(values.next().is_none());
}

#[test]
fn a_stream_with_other_adapters_on_it() {
    let events = stream::iter([Chunk::Ok(BODY)]).events().filter(|event| future::ready(is_value(event)));
    let values = JsonStream::<_, i64>::new(events, Dialect::OPENAI);
    assert_eq!(values.try_collect::<Vec<_>>().now_or_never().unwrap().unwrap(), [1, 2]);
    // A pinned stream that is not `Unpin`.
    let events = stream::iter([Chunk::Ok("data: 1\n\n")]).events().then(async |event| event);
    let mut values = pin!(JsonStream::<_, WithEvent<i64>>::new(events, Dialect::OPENAI));
    assert_eq!(values.next().now_or_never().unwrap().unwrap().unwrap().value, 1);
    assert!(matches!(values.next().now_or_never(), Some(Some(Err(JsonError::Truncated { .. })))));
    assert_eq!(values.get_ref().size_hint(), (0, None));
}

#[test]
fn the_source_can_be_read_on_after_the_end() {
    let mut values = stream::iter([Chunk::Ok(BODY)]).events().json_with::<Value>(Dialect::OPENAI);
    while values.next().now_or_never().unwrap().is_some() {}
    let rest: Vec<_> = values.into_inner().try_collect().now_or_never().unwrap().unwrap();
    assert_eq!(rest.iter().map(Event::data).collect::<Vec<_>>(), ["3"]);
}

#[test]
fn generic_code_can_name_either_bound() {
    fn owned<S, T: DeserializeOwned>(events: Events<S>) -> JsonStream<Events<S>, T> {
        events.json_with(Dialect::OPENAI)
    }
    fn payload<S, T: Payload>(events: Events<S>) -> JsonStream<Events<S>, T> {
        events.json_with(Dialect::OPENAI)
    }
    fn values<T: DeserializeOwned>(
        body: impl Stream<Item = Chunk> + Unpin,
    ) -> impl Stream<Item = Result<T, JsonError<Infallible>>> {
        body.events().json_with::<T>(Dialect::OPENAI)
    }
    let body = || stream::iter([Chunk::Ok("data: 1\n\ndata: [DONE]\n\n")]);
    let first = |values: JsonStream<Events<_>, i64>| values.try_collect::<Vec<_>>().now_or_never().unwrap().unwrap();
    assert_eq!((first(owned(body().events())), first(payload(body().events()))), (vec![1], vec![1]));
    let mut pairs = payload::<_, WithEvent<i64>>(body().events());
    assert_eq!(pairs.next().now_or_never().unwrap().unwrap().unwrap().event.data(), "1");
    assert_eq!(values::<i64>(body()).try_collect::<Vec<_>>().now_or_never().unwrap().unwrap(), [1]);
}
