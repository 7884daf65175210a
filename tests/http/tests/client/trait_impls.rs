//! Which traits the client's types implement (`Send`, `Unpin` and so on), and that `Item` is no larger than a block.

use eventwire::{TokioTimer, adapters::NoTimer};
use eventwire_client::{
    Action, Attempt, ConnectionError, EventSource, Handle, Item, OpenError, Opened, Opening, ReadyState, Reconnect,
    ReconnectPolicy, Resend, ResponseHead, StopReason, Stopped, UnexpectedResponse, Verdict,
    adapters::{self, SourceEventStream},
    connector_fn,
};
use eventwire_reqwest::{PlatformTimer, RequestConnector, RequestError, RequestEventSource};
use futures_util::stream::{FusedStream, Pending};
use http::Response;
use std::{
    cell::Cell, convert::Infallible, fmt::Debug, future, hash::Hash, marker::PhantomPinned, rc::Rc, time::Duration,
};

fn sendable<T: Send + Unpin + Debug + 'static>(_: Option<&T>) {}
fn shared<T: Send + Sync + Unpin + Debug + 'static>() {}
fn plain<T: Copy + Debug + Eq + Hash + Send + Sync + Unpin + 'static>() {}
fn error<T: std::error::Error + Send + Sync + 'static>() {}
fn stream<T: FusedStream + Unpin + Debug>(_: &T) {}

#[test]
fn every_type_has_its_traits() {
    plain::<StopReason>();
    plain::<Verdict>();
    plain::<Resend>();
    plain::<ReadyState>();
    shared::<Reconnect>();
    shared::<ReconnectPolicy>();
    shared::<Action<'static>>();
    shared::<ResponseHead<'static>>();
    error::<StopReason>();
    shared::<Attempt>();
    shared::<Handle>();
    shared::<UnexpectedResponse>();
    shared::<Item<std::io::Error>>();
    shared::<RequestConnector>();
    sendable::<RequestEventSource>(None);
    sendable::<SourceEventStream<RequestConnector, TokioTimer>>(None);
    error::<ConnectionError<std::io::Error>>();
    error::<Stopped<std::io::Error>>();
    error::<UnexpectedResponse>();
    error::<RequestError>();
    shared::<adapters::ConnectorFn<fn()>>();
    shared::<PlatformTimer>();
    sendable::<eventwire_reqwest::adapters::Chunks>(None);
    type Made = future::Ready<reqwest::Result<reqwest::RequestBuilder>>;
    sendable::<adapters::Connecting<Made, fn(reqwest::RequestBuilder, Attempt) -> Made, Made>>(None);
    shared::<adapters::RequestFn<fn(), fn()>>();
    error::<OpenError<std::io::Error>>();
    type Chunks = Pending<Result<Vec<u8>, std::io::Error>>;
    shared::<Opened<Chunks, NoTimer>>();
    sendable::<Opened<Chunks, TokioTimer>>(None);
    shared::<adapters::OpenedLines<Chunks, TokioTimer>>();
    fn movable<T: Send + Debug>() {}
    movable::<Opening<future::Ready<Result<Response<Chunks>, std::io::Error>>, Chunks, TokioTimer>>();
}

#[test]
fn a_source_with_a_request_for_each_attempt_is_sendable() {
    let client = reqwest::Client::new();
    let request = move |_| future::ready(Ok::<_, reqwest::Error>(client.get("http://127.0.0.1/")));
    sendable(Some(&eventwire_reqwest::from_fn(request)));
}

#[test]
fn a_block_is_the_largest_item() {
    // It is an event that also knows whether the ID is its own: one word more.
    assert_eq!(size_of::<Item<reqwest::Error>>(), size_of::<eventwire::Block>());
    assert!(size_of::<eventwire::Block>() <= size_of::<eventwire::Event>() + size_of::<usize>());
}

/// As in a browser, where no part is `Send`.
#[test]
fn a_source_accepts_parts_that_are_neither_send_nor_unpin() {
    let rc = Rc::new(Cell::new(0));
    let connector = connector_fn(|attempt| {
        let (rc, pinned) = (Rc::clone(&rc), PhantomPinned);
        async move {
            rc.set(attempt.number());
            let _pinned = pinned;
            future::pending::<()>().await;
            Ok::<_, Infallible>(Response::new(futures_util::stream::pending::<Result<&str, Infallible>>()))
        }
    });
    let timer = |_: Duration| {
        let rc = Rc::clone(&rc);
        async move { rc.set(7) }
    };
    stream(&EventSource::with_connector(connector, timer));
}
