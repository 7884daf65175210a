//! An axum server that broadcasts values as JSON. Readers that reconnect continue where
//! they were, or are told that they have missed events. It has keep-alives and a graceful
//! shutdown.

use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::{Router, response::IntoResponse, routing::get, serve::ListenerExt};
use eventwire::{Event, EventBody, TokioTimer};
use eventwire_hub::{Channel, History, Resume, StreamPosition};
use std::{io, time::Duration};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

#[derive(Clone)]
pub struct Feed {
    channel: Channel,
    shutdown: CancellationToken,
}

impl Feed {
    pub fn new(shutdown: CancellationToken) -> Feed {
        // 20 events a second for 5 minutes: a reader that is away for less misses
        // nothing. Both limits apply.
        let history = History::new().with_max_events(20 * 300).with_max_bytes(8 << 20);
        Feed { channel: Channel::new(history), shutdown }
    }

    /// Sends a value to all readers. It is encoded once for all of them.
    pub fn publish(
        &self,
        value: &impl serde::Serialize,
    ) -> anyhow::Result<StreamPosition> {
        Ok(self.channel.send(&Event::default().with_json(value)?)?)
    }
}

async fn events(
    State(feed): State<Feed>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<impl IntoResponse, StatusCode> {
    // An error only after `channel.finish()`: the reader has all events, and the status
    // tells it not to return.
    let reader =
        feed.channel.subscribe(Resume::from_request(&headers, query.as_deref()))?;
    // Without this, the final retry of the response before would stay in force.
    let reader = reader.with_retry(Duration::from_secs(3));
    // At random, so that readers do not return all at once.
    let final_retry = Duration::from_secs(1)..=Duration::from_secs(10);
    Ok(EventBody::new(reader)
        .until(feed.shutdown.cancelled_owned())
        .with_final_retry(final_retry)
        .with_keep_alive(Duration::from_secs(15), TokioTimer)
        .response())
}

pub async fn serve(listener: TcpListener, feed: Feed) -> io::Result<()> {
    let shutdown = feed.shutdown.clone();
    let app = Router::new().route("/events", get(events)).with_state(feed);
    // Otherwise the kernel may hold back a small event until the one before it is
    // acknowledged.
    let listener = listener.tap_io(|connection| drop(connection.set_nodelay(true)));
    let server = axum::serve(listener, app)
        .with_graceful_shutdown(shutdown.clone().cancelled_owned());
    // A client that has stopped reading cannot be sent the end of its response. Do not
    // wait for it longer than this.
    let limit = async {
        shutdown.cancelled().await;
        tokio::time::sleep(Duration::from_secs(5)).await;
    };
    tokio::select! { result = server.into_future() => result, _ = limit => Ok(()) }
}
