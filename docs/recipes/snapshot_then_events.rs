//! A page that shows a snapshot, and then every change. No change is missing between
//! them.

use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse, Json};
use axum::{Router, routing::get};
use eventwire::{Event, EventBody, TokioTimer};
use eventwire_hub::{Channel, Resume};
use std::sync::{Arc, Mutex, PoisonError};
use std::{collections::BTreeMap, time::Duration};

#[derive(Clone)]
pub struct Prices {
    current: Arc<Mutex<BTreeMap<String, u64>>>, // or a database
    changes: Channel,
}

impl Prices {
    pub fn new(changes: Channel) -> Prices {
        Prices { current: Arc::default(), changes }
    }

    /// Changes the price, and then tells the readers. The lock keeps several changes in
    /// the same order for both.
    pub fn set(&self, name: &str, cents: u64) -> anyhow::Result<()> {
        let change = Event::default().with_json(&BTreeMap::from([(name, cents)]))?;
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        current.insert(name.to_owned(), cents);
        self.changes.send(&change)?;
        Ok(())
    }
}

async fn snapshot(State(prices): State<Prices>) -> impl IntoResponse {
    // First the position. A change between these two lines is then in the snapshot, and
    // is sent as well. In the other order, it would be in neither.
    let position = prices.changes.position();
    let current = prices.current.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Json(serde_json::json!({ "position": position.to_string(), "prices": current }))
}

async fn changes(
    State(prices): State<Prices>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<impl IntoResponse, StatusCode> {
    let reader =
        prices.changes.subscribe(Resume::from_request(&headers, query.as_deref()))?;
    Ok(EventBody::new(reader)
        .with_keep_alive(Duration::from_secs(15), TokioTimer)
        .response())
}

const PAGE: &str = r#"<!doctype html><title>Prices</title><pre></pre>
<script>
async function load() {
  const { position, prices } = await (await fetch("/snapshot")).json();
  const show = () => document.querySelector("pre").textContent = JSON.stringify(prices);
  show();
  const changes = new EventSource("/changes?last_event_id=" + position);
  changes.onmessage = ({ data }) => { Object.assign(prices, JSON.parse(data)); show(); };
  changes.addEventListener("gap", () => { changes.close(); load().catch(later); });
  changes.onerror = () => { if (changes.readyState === EventSource.CLOSED) later(); };
}
const later = () => setTimeout(() => load().catch(later), 3000);
load().catch(later);
</script>"#;

pub fn app(prices: Prices) -> Router {
    let routes =
        Router::new().route("/", get(Html(PAGE))).route("/snapshot", get(snapshot));
    routes.route("/changes", get(changes)).with_state(prices)
}
