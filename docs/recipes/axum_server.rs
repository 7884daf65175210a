//! An axum server that broadcasts values as JSON. Readers that reconnect continue where they stopped, or are told that
//! they have missed events. It has event IDs, a buffer, keep-alives, a limit for slow readers, and a graceful shutdown.

use axum::{Router, extract::State, http::HeaderMap, response::IntoResponse, routing::get};
use eventwire::{Block, Encoded, Event, EventBody, EventType, TokioTimer};
use futures_util::{StreamExt, stream};
use std::time::{Duration, UNIX_EPOCH};
use std::{collections::VecDeque, io, sync::Arc, sync::Mutex, sync::PoisonError};
use tokio::{net::TcpListener, sync::broadcast};
use tokio_util::sync::CancellationToken;

const QUEUED: usize = 64; // how many events a slow reader may be behind
const KEPT: usize = 1024; // how many events are kept; more than `QUEUED`, or a slow reader has lost some already
const GAP: EventType = EventType::new("gap").unwrap();

#[derive(Clone)]
pub struct Feed {
    kept: Arc<Mutex<Kept>>,
    live: broadcast::Sender<Encoded>,
    shutdown: CancellationToken,
}

struct Kept {
    last: u64,                 // the last ID; each is one more than the ID before it
    events: VecDeque<Encoded>, // the last events, up to the one with that ID
}

impl Feed {
    pub fn new(shutdown: CancellationToken) -> Feed {
        // IDs begin with the time in microseconds, so that they continue to rise after a restart.
        let last = UNIX_EPOCH.elapsed().map_or(1, |time| time.as_secs() * 1_000_000 + u64::from(time.subsec_micros()));
        let kept = Arc::new(Mutex::new(Kept { last, events: VecDeque::new() }));
        Feed { kept, live: broadcast::Sender::new(QUEUED), shutdown }
    }

    /// Sends a value to all readers. It is encoded once for all of them.
    pub fn publish(&self, value: &impl serde::Serialize) -> Result<(), serde_json::Error> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let event = Event::default().with_numeric_id(kept.last + 1).encoded_json(value)?;
        kept.last += 1;
        if kept.events.len() == KEPT {
            kept.events.pop_front();
        }
        kept.events.push_back(event.clone());
        let _ = self.live.send(event); // an error if there is no reader
        Ok(())
    }
}

impl Kept {
    /// First where the reader is, so that it can return even if no event follows; then the events that it has missed.
    fn for_reader(&self, headers: &HeaderMap) -> Vec<Encoded> {
        let oldest = self.last - self.events.len() as u64; // the ID before the first event that is kept
        let (id, is_gap) = match headers.get("last-event-id").map(|id| id.to_str().ok()?.parse().ok()) {
            None => (oldest, false),                         // a new reader
            Some(Some(id)) if id < oldest => (oldest, true), // it was away for too long, or the server has restarted
            Some(Some(id)) if id <= self.last => (id, false),
            Some(_) => (self.last, true), // not an ID of this server
        };
        let gap = Event::new("null").with_checked_type(GAP).with_numeric_id(id);
        let first = if is_gap { gap.encoded() } else { Block::default().with_id(id).encoded() };
        let missed = (oldest + 1..).zip(&self.events).filter(|(kept, _)| *kept > id);
        std::iter::once(first).chain(missed.map(|(_, event)| event.clone())).collect()
    }
}

async fn events(State(feed): State<Feed>, headers: HeaderMap) -> impl IntoResponse {
    let kept = feed.kept.lock().unwrap_or_else(PoisonError::into_inner);
    let missed = kept.for_reader(&headers);
    let live = feed.live.subscribe(); // under the lock, so that no event is missed or sent twice
    drop(kept);
    // `recv` fails with `Lagged` if the reader is too slow. That ends the response: the reader reconnects with its
    // last event ID, and gets what it missed from the buffer.
    let live = stream::unfold(live, |mut live| async { Some((live.recv().await.ok()?, live)) });
    EventBody::new(stream::iter(missed).chain(live))
        .until(feed.shutdown.cancelled_owned())
        .with_final_retry(Duration::from_secs(1)..=Duration::from_secs(10)) // readers do not return all at once
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
