//! A feed of which each reader gets only the kinds of events that it asks for. Its last
//! event ID goes on with those that it does not get.

use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::{Router, response::IntoResponse, routing::get};
use eventwire::{Block, Decoder, Encoded, EventBody, EventId, TokioTimer};
use eventwire_hub::{Channel, Resume};
use futures_util::{Stream, StreamExt, stream};
use std::{future::ready, time::Duration};

/// `GET /events/price,trade` has only these two types of events.
pub fn app(feed: Channel) -> Router {
    Router::new().route("/events/{kinds}", get(events)).with_state(feed)
}

async fn events(
    State(feed): State<Channel>,
    Path(kinds): Path<String>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<impl IntoResponse, StatusCode> {
    let reader = feed.subscribe(Resume::from_request(&headers, query.as_deref()))?;
    let reader = filtered(reader, move |kind| kinds.split(',').any(|it| it == kind));
    Ok(EventBody::new(reader)
        .with_keep_alive(Duration::from_secs(15), TokioTimer)
        .response())
}

/// After this many hidden events, the reader gets the ID of the last one. The history must
/// be much longer.
const MOST_HIDDEN: usize = 100;

/// Hides events by their type. Gap events and the first block are always sent.
pub fn filtered(
    reader: impl Stream<Item = Encoded>,
    is_shown: impl Fn(&str) -> bool,
) -> impl Stream<Item = Encoded> {
    let mut hidden = Hidden::default();
    reader.map(Some).chain(stream::once(ready(None))).filter_map(move |block| {
        ready(match block {
            Some(block) => hidden.hide(block, &is_shown),
            // The end: a reader that returns with this ID is told that it has everything.
            None => hidden.id_alone(),
        })
    })
}

/// What was hidden since the reader got an ID.
#[derive(Default)]
struct Hidden {
    events: usize,
    id: Option<EventId>,
}

impl Hidden {
    /// Returns what is sent instead of a block.
    fn hide(
        &mut self,
        sent: Encoded,
        is_shown: impl Fn(&str) -> bool,
    ) -> Option<Encoded> {
        let mut bytes = sent.as_ref();
        let mut decoder = Decoder::new().with_max_event_size(usize::MAX);
        let item = decoder.decode_block(&mut bytes).ok().flatten();
        let Some(block) = item.and_then(|item| item.block()) else { return Some(sent) };
        let kind = block.event_type().unwrap_or("message");
        let is_shown = block.data().is_none() || kind == "gap" || is_shown(kind);
        // Transient items have none.
        if let Some(id) = block.id().and_then(|id| id.parse().ok()) {
            self.id = Some(id).filter(|_| !is_shown);
            self.events = if is_shown { 0 } else { self.events + 1 };
        }
        if is_shown {
            return Some(sent);
        }
        if self.events < MOST_HIDDEN { None } else { self.id_alone() }
    }

    fn id_alone(&mut self) -> Option<Encoded> {
        let id = std::mem::take(self).id?;
        Some(Block::default().with_id(id).encoded())
    }
}
