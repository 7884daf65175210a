//! An axum server that broadcasts values as JSON. Readers that reconnect continue where they stopped. It has event IDs,
//! a buffer for readers that reconnect, keep-alives, a limit for slow readers, and a graceful shutdown.

use axum::{Router, extract::State, http::HeaderMap, response::IntoResponse, routing::get};
use eventwire::{Encoded, Event, EventBody, TokioTimer};
use futures_util::{StreamExt, stream};
use std::time::{Duration, UNIX_EPOCH};
use std::{collections::VecDeque, io, sync::Arc, sync::Mutex, sync::PoisonError};
use tokio::{net::TcpListener, sync::broadcast};
use tokio_util::sync::CancellationToken;

const QUEUED: usize = 64; // how many events a slow reader may be behind
const KEPT: usize = 1024; // how many events are kept; more than `QUEUED`, or a slow reader has lost some already

#[derive(Clone)]
pub struct Feed {
    kept: Arc<Mutex<VecDeque<(u64, Encoded)>>>,
    live: broadcast::Sender<Encoded>,
    shutdown: CancellationToken,
}

impl Feed {
    pub fn new(shutdown: CancellationToken) -> Feed {
        Feed { kept: Arc::default(), live: broadcast::Sender::new(QUEUED), shutdown }
    }

    /// Sends a value to all readers. It is encoded once for all of them.
    pub fn publish(&self, value: &impl serde::Serialize) -> Result<(), serde_json::Error> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        // IDs begin with the time, so that they continue to rise after a restart.
        let first =
            || UNIX_EPOCH.elapsed().map_or(1, |time| time.as_secs() * 1_000_000 + u64::from(time.subsec_micros()));
        let id = kept.back().map_or_else(first, |(id, _)| id + 1);
        let event = Event::default().with_numeric_id(id).encoded_json(value)?;
        if kept.len() == KEPT {
            kept.pop_front();
        }
        kept.push_back((id, event.clone()));
        let _ = self.live.send(event); // an error if there is no reader
        Ok(())
    }
}

async fn events(State(feed): State<Feed>, headers: HeaderMap) -> impl IntoResponse {
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse::<u64>().ok()).unwrap_or(0);
    let kept = feed.kept.lock().unwrap_or_else(PoisonError::into_inner);
    let missed: Vec<_> = kept.iter().filter(|(id, _)| *id > last).map(|(_, event)| event.clone()).collect();
    let live = feed.live.subscribe(); // under the lock, so that no event is missed or sent twice
    drop(kept);
    // `recv` fails with `Lagged` if the reader is too slow. That ends the response: the reader reconnects with its
    // last event ID, and gets what it missed from the buffer.
    let live = stream::unfold(live, |mut live| async { Some((live.recv().await.ok()?, live)) });
    EventBody::new(stream::iter(missed).chain(live))
        .until(feed.shutdown.cancelled_owned())
        .with_last_retry(Duration::from_secs(1)..=Duration::from_secs(10)) // readers do not return all at once
        .with_keep_alive(Duration::from_secs(15), TokioTimer)
        .response()
}

pub async fn serve(listener: TcpListener, feed: Feed) -> io::Result<()> {
    let shutdown = feed.shutdown.clone();
    let app = Router::new().route("/events", get(events)).with_state(feed);
    let server = axum::serve(listener, app).with_graceful_shutdown(shutdown.clone().cancelled_owned());
    // A client that has stopped reading cannot be sent the end of its response. Do not wait for it longer than this.
    let limit = async { (shutdown.cancelled().await, tokio::time::sleep(Duration::from_secs(5)).await) };
    tokio::select! { result = server.into_future() => result, _ = limit => Ok(()) }
}
