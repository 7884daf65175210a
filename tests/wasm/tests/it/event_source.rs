//! A client that reconnects on the single thread of wasm. The timers are JavaScript's, and nothing needs to be `Send`.

use eventwire_client::{Attempt, ConnectionError, EventSource, Item, StopReason, connector_fn};
use futures_util::{Stream, StreamExt, stream};
use gloo_timers::future::sleep;
use http::Response;
use std::{cell::RefCell, convert::Infallible, rc::Rc, time::Duration};

/// The calls of the connector and its bodies. Both share it, so that neither is `Send`.
type Log = Rc<RefCell<Vec<String>>>;

type Chunk = Result<&'static str, Infallible>;

/// The chunks of each connection. After these, the server answers 204 No Content.
const CONNECTIONS: [&[&str]; 2] = [
    &["retry: 1\nid: 1\ndata: a\n\n", "id: 2\nda", "ta: b\n\n", "id: 9\ndata: cut"],
    &["event: t\nid: 3\ndata: c\n\n"],
];

async fn connect(
    attempt: Attempt,
    chunks: Option<&'static [&'static str]>,
    log: Log,
) -> Result<Response<impl Stream<Item = Chunk>>, Infallible> {
    let last_event_id = attempt.last_event_id().map(|id| id.to_str().unwrap());
    log.borrow_mut().push(format!("connect {last_event_id:?}"));
    let status = if chunks.is_some() { 200 } else { 204 };
    let body = stream::iter(chunks.unwrap_or_default()).then(move |chunk| {
        let log = Rc::clone(&log);
        async move {
            // The client has to wait for each chunk.
            sleep(Duration::from_millis(1)).await;
            log.borrow_mut().push("read".to_owned());
            Ok(*chunk)
        }
    });
    Ok(Response::builder().status(status).header("content-type", "text/event-stream").body(body).unwrap())
}

#[test]
async fn it_connects_again_with_the_last_event_id_until_there_is_no_content() {
    let log = Log::default();
    let mut connections = CONNECTIONS.into_iter();
    let connector = connector_fn(|attempt| connect(attempt, connections.next(), Rc::clone(&log)));
    let mut source = EventSource::with_connector(connector, sleep);
    while let Some(item) = source.next().await {
        log.borrow_mut().push(match item {
            Item::Open(head) => format!("open {}", head.status().as_u16()),
            Item::Event(event) => format!("{} {} {}", event.event_type(), event.last_event_id(), event.data()),
            Item::Reconnecting { error, attempt, .. } => format!("{error}, attempt {attempt}"),
            other => format!("{other:?}"),
        });
    }
    assert_eq!(
        *log.borrow(),
        [
            "connect None",
            "open 200",
            "read",
            "message 1 a",
            "read",
            "read",
            "message 2 b",
            "read",
            "the stream is truncated: the connection ended early, attempt 1",
            "connect Some(\"2\")",
            "open 200",
            "read",
            "t 3 c",
            "the connection ended, attempt 1",
            "connect Some(\"3\")",
        ]
    );
    assert_eq!(source.last_event_id(), "3");
    assert_eq!(source.stopped().map(|stopped| stopped.reason()), Some(StopReason::NoContent));
}

#[test]
async fn a_silent_connection_is_closed() {
    let limit = Duration::from_millis(20);
    let connector = connector_fn(|_| async {
        let body = stream::pending::<Chunk>();
        Ok::<_, Infallible>(Response::builder().header("content-type", "text/event-stream").body(body).unwrap())
    });
    let mut source = EventSource::with_connector(connector, sleep).with_idle_timeout(limit);
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    match source.next().await {
        Some(Item::Reconnecting { error, attempt, .. }) => {
            assert!(matches!(error, ConnectionError::IdleTimeout(timeout) if timeout == limit), "{error}");
            assert_eq!(attempt, 2);
        }
        other => panic!("the connection continues: {other:?}"),
    }
}
