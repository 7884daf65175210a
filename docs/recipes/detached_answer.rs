//! Answers of a model that go on without their readers. Each process that shares the log
//! can send and stop all of them, no matter which one runs the model.

use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::{Router, response::IntoResponse, routing};
use eventwire::{Event, EventBody, EventType, TokioTimer};
use eventwire_hub::{Hub, HubError, InvalidTopic, Log, Resume, Topic, Unknown};
use futures_util::{StreamExt, TryStreamExt, stream::BoxStream};
use std::{future, time::Duration};

const QUESTION: EventType = EventType::new("question").unwrap();
const END: EventType = EventType::new("end").unwrap();

/// Returns the words of the answer to a question.
pub type Model = fn(String) -> BoxStream<'static, String>;

/// Asks the model, and returns the ID of the answer.
async fn ask<L: Log>(
    State((hub, model)): State<(Hub<L>, Model)>,
    question: String,
) -> Result<String, StatusCode> {
    let topic = topic(&format!("{:032x}", fastrand::u128(..)))?; // the ID is no secret
    // From now on, all processes know the answer.
    let event = Event::new(question.as_str()).with_checked_type(QUESTION);
    hub.send(&topic, &event).await?;
    // The model is a reader of its answer, so it stops when any process ends that.
    let reader = hub.subscribe(&topic, Resume::Live).await?;
    let words = model(question).take_until(reader.for_each(|_| future::ready(())));
    let id = topic.to_string();
    // A task of its own, so that the model does not stop when a client leaves.
    tokio::spawn(async move {
        let send = async |word| hub.send(&topic, &Event::new(word)).await.map(drop);
        let said = words.map(Ok).try_for_each(send).await;
        let how = if said.is_ok() { "done" } else { "failed" };
        if let Err(error) = end(&hub, &topic, how).await {
            eprintln!("answer {topic} has no end: {error}");
        }
    });
    Ok(id)
}

/// Only the first call says how the answer ended: all of them have the same key.
async fn end<L: Log>(
    hub: &Hub<L>,
    topic: &Topic,
    how: &'static str,
) -> Result<(), HubError<L::Error>> {
    match hub.send_once(topic, "end", &Event::new(how).with_checked_type(END)).await {
        Ok(_) | Err(HubError::Finished) => hub.finish(topic).await,
        Err(error) => Err(error),
    }
}

async fn read<L: Log>(
    State((hub, _)): State<(Hub<L>, Model)>,
    Path(id): Path<String>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<impl IntoResponse, StatusCode> {
    // A reader without an ID gets the answer from its beginning.
    let resume = Resume::from_request(&headers, query.as_deref()).or_earliest();
    let reader = hub.subscribe(&topic(&id)?, resume).await?;
    let interval = Duration::from_secs(15);
    Ok(EventBody::new(reader).with_keep_alive(interval, TokioTimer).response())
}

async fn stop<L: Log>(
    State((hub, _)): State<(Hub<L>, Model)>,
    Path(id): Path<String>,
) -> Result<StatusCode, StatusCode> {
    let topic = topic(&id)?;
    hub.position(&topic).await?.ok_or(StatusCode::NOT_FOUND)?;
    end(&hub, &topic, "stopped").await?;
    Ok(StatusCode::NO_CONTENT)
}

fn topic(name: &str) -> Result<Topic, StatusCode> {
    Topic::new(name).map_err(|_: InvalidTopic| StatusCode::BAD_REQUEST)
}

/// The log may be a `RedisLog`, which other processes share.
pub fn app<L: Log>(log: L, model: Model) -> Router {
    let hub = Hub::new(log).with_unknown(Unknown::NotFound);
    let answer = routing::get(read::<L>).delete(stop::<L>);
    let routes = Router::new().route("/answers", routing::post(ask::<L>));
    routes.route("/answers/{id}", answer).with_state((hub, model))
}
