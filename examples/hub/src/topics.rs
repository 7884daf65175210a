//! Topics: anyone can send to them, and anyone can read them.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use eventwire::Event;
use eventwire_hub::{Log, Resume, Topic};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::refusal::Refusal;
use crate::server::{RETRY, Service};

/// The data of an event. It names the topic, because the events of a merged stream do not.
#[derive(Serialize)]
struct Sent<'a> {
    topic: &'a str,
    /// As it was sent.
    data: &'a RawValue,
}

/// The longest key, in bytes. Keys are stored for a day.
const MAX_KEY: usize = 256;

/// `POST /topics/{name}`
pub(crate) async fn send<L: Log>(
    State(service): State<Arc<Service<L>>>,
    Path(name): Path<String>,
    headers: HeaderMap,
    Json(data): Json<Box<RawValue>>,
) -> Result<impl IntoResponse, Refusal> {
    let topic = Topic::new(&name)?;
    let event = Event::default().with_json(&Sent { topic: &name, data: &data })?;
    let position = match headers.get("idempotency-key") {
        None => service.topics.send(&topic, &event).await?,
        Some(key) => {
            let key = key.to_str().ok().filter(|key| (1..=MAX_KEY).contains(&key.len()));
            let key = key.ok_or_else(|| Refusal::new(StatusCode::BAD_REQUEST, "Idempotency-Key: 1 to 256 of ASCII"))?;
            service.topics.send_once(&topic, key, &event).await?
        }
    };
    Ok((StatusCode::CREATED, Json(json!({ "id": position.to_string() }))))
}

/// `GET /topics/{name}`
pub(crate) async fn events<L: Log>(
    State(service): State<Arc<Service<L>>>,
    Path(name): Path<String>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, Refusal> {
    let resume = Resume::from_request(&headers, query.as_deref());
    let reader = service.topics.subscribe(&Topic::new(&name)?, resume).await?;
    // Otherwise the final retry would stay in force after the reader has returned.
    Ok(service.stream(reader.with_retry(RETRY)))
}

#[derive(Deserialize)]
pub(crate) struct Names {
    /// With commas between them.
    names: String,
}

/// `GET /topics?names=a,b`
pub(crate) async fn merged<L: Log>(
    State(service): State<Arc<Service<L>>>,
    Query(Names { names }): Query<Names>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, Refusal> {
    let topics = names.split(',').map(Topic::new).collect::<Result<Vec<_>, _>>()?;
    let resume = Resume::from_request(&headers, query.as_deref());
    let reader = service.topics.subscribe_merged(&topics, resume).await?;
    Ok(service.stream(reader.with_retry(RETRY)))
}

/// `GET /topics/{name}/position`. A page that then opens the stream with this ID as `last_event_id` misses nothing, not
/// even if its first connection breaks before the first event. The ID is `null` if nothing was sent to the topic. That
/// is no error: a browser would show a 404 in the console of each page that is the first one.
pub(crate) async fn position<L: Log>(
    State(service): State<Arc<Service<L>>>,
    Path(name): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let position = service.topics.position(&Topic::new(&name)?).await?;
    Ok(Json(json!({ "id": position.map(|position| position.to_string()) })))
}
