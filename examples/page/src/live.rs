//! `GET /live`: an event each second. A client that was disconnected gets the events that it missed.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, HeaderMap, HeaderValue};
use axum::response::Response;
use eventwire::{Block, Event, EventBody, EventType};
use futures_util::{Stream, StreamExt, stream};
use serde_json::json;
use tokio::time::sleep;

use crate::clock::Clock;
use crate::server::Settings;
use crate::wind;

/// The number of past events for a new client, so that it can draw a curve at once.
const FIRST: u64 = 60;
/// The maximum number of missed events that a client gets.
const KEPT: u64 = 3_600;
/// The reconnection time that clients are told.
const RETRY: Duration = Duration::from_secs(1);
/// The longest sleep. It is short because the clock may be set forward during it.
const LONGEST_SLEEP: Duration = Duration::from_secs(1);

const READING: EventType = EventType::new("reading").unwrap();
const GAP: EventType = EventType::new("gap").unwrap();

/// Returns the feed. The response ends only when the client disconnects. It needs no keep-alives, because an event
/// is sent each second, unless the clock is set back.
pub(crate) async fn stream(State(settings): State<Arc<Settings>>, headers: HeaderMap) -> Response {
    let feed = Feed::new(settings.clock.clone(), last_event_id(&headers));
    let mut response = EventBody::new(feed.into_blocks()).response().map(Body::new);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Returns the ID of the last event that the client received, if it is an ID of this feed.
fn last_event_id(headers: &HeaderMap) -> Option<u64> {
    let id = headers.get("last-event-id")?.to_str().ok()?;
    // `parse` would also accept a sign.
    id.bytes().all(|byte| byte.is_ascii_digit()).then(|| id.parse().ok())?
}

/// The events of the feed: one for each second since 1970. The number of the second is the ID. All feeds have the
/// same events.
///
/// The next event depends on the number of the last event and on the clock, not on the time spent sleeping. So no
/// event is lost or sent twice if the clock is set, the machine is suspended, or the client reads slowly.
struct Feed {
    clock: Clock,
    /// The number of the next event.
    next: u64,
}

impl Feed {
    /// Returns the feed for a client that has received the events up to `seen`. A number in the future is ignored.
    fn new(clock: Clock, seen: Option<u64>) -> Feed {
        let now = clock.since_1970().as_secs();
        let next = match seen {
            Some(seen) if seen <= now => seen.saturating_add(1),
            _ => now.saturating_sub(FIRST - 1),
        };
        Feed { clock, next }
    }

    fn into_blocks(self) -> impl Stream<Item = Block> + Send {
        let events = stream::unfold(self, |mut feed| async move { Some((feed.next().await.into(), feed)) });
        stream::iter([Block::default().with_retry(RETRY)]).chain(events)
    }

    async fn next(&mut self) -> Event {
        loop {
            let now = self.clock.since_1970();
            let oldest = now.as_secs().saturating_sub(KEPT - 1);
            if self.next < oldest {
                let gap = json!({ "from": self.next, "to": oldest - 1 });
                self.next = oldest;
                return Event::new(gap.to_string()).with_checked_type(GAP);
            }
            let wait = Duration::from_secs(self.next).saturating_sub(now);
            if wait.is_zero() {
                let reading = json!({ "n": self.next, "value": wind::speed(self.next) });
                let event = Event::new(reading.to_string()).with_checked_type(READING).with_numeric_id(self.next);
                self.next += 1;
                return event;
            }
            sleep(wait.min(LONGEST_SLEEP)).await;
        }
    }
}
