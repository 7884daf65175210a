//! Answers of the model, each one a topic of its own. An answer goes on without its reader, and can be read again.
//!
//! Its first event is `question`, the words have no type, and the last one is `done`, `stopped` or `failed`. A word may
//! follow `stopped` if it was already on its way, so readers do not read on.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, RawQuery, State};
use axum::http::header::LOCATION;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use eventwire::{Event, EventType};
use eventwire_hub::{Hub, HubError, Log, Resume, Topic};
use futures_util::StreamExt;
use serde::Deserialize;
use serde_json::json;
use tokio::time::sleep;

use crate::refusal::Refusal;
use crate::server::{RETRY, Service};
use crate::{log, model};

const QUESTION: EventType = EventType::new("question").unwrap();
const DONE: EventType = EventType::new("done").unwrap();
const STOPPED: EventType = EventType::new("stopped").unwrap();
const FAILED: EventType = EventType::new("failed").unwrap();

/// How many answers this process can give at the same time.
const MAX_ANSWERS: usize = 100;

#[derive(Deserialize)]
pub(crate) struct Ask {
    question: String,
}

/// `POST /answers`
pub(crate) async fn begin<L: Log>(
    State(service): State<Arc<Service<L>>>,
    Json(Ask { question }): Json<Ask>,
) -> Result<impl IntoResponse, Refusal> {
    if service.tasks.len() >= MAX_ANSWERS {
        return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "the model is busy"));
    }
    let id = new_id();
    let topic = Topic::new(&id)?;
    // From now on, every process knows the answer.
    service.answers.send(&topic, &Event::default().with_json(&question)?.with_checked_type(QUESTION)).await?;
    // A task of its own: nothing that happens to the connection of a reader ends it.
    service.tasks.spawn(answer(Arc::clone(&service), topic, question));
    Ok((StatusCode::CREATED, [(LOCATION, format!("/answers/{id}"))], Json(json!({ "id": id }))))
}

/// `GET /answers/{id}`
pub(crate) async fn events<L: Log>(
    State(service): State<Arc<Service<L>>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, Refusal> {
    // A page that is loaded again has no ID, and gets all from the beginning.
    let resume = Resume::from_request(&headers, query.as_deref()).or_earliest();
    let reader = service.answers.subscribe(&Topic::new(&id)?, resume).await?;
    Ok(service.stream(reader.with_retry(RETRY)))
}

/// `DELETE /answers/{id}`
pub(crate) async fn stop<L: Log>(
    State(service): State<Arc<Service<L>>>,
    Path(id): Path<String>,
) -> Result<StatusCode, Refusal> {
    let topic = Topic::new(&id)?;
    service.answers.position(&topic).await?.ok_or(HubError::<L::Error>::NotFound)?;
    end(&service.answers, &topic, STOPPED).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends an answer. The first one who does this decides how, in any process: the others have the same key.
async fn end<L: Log>(answers: &Hub<L>, topic: &Topic, how: EventType) -> Result<(), HubError<L::Error>> {
    match answers.send_once(topic, "end", &Event::new("{}").with_checked_type(how)).await {
        Ok(_) | Err(HubError::Finished) => answers.finish(topic).await,
        Err(error) => Err(error),
    }
}

/// Runs the model until it has said everything, or until the answer is stopped.
async fn answer<L: Log>(service: Arc<Service<L>>, topic: Topic, question: String) {
    let how = tokio::select! {
        how = say(&service, &topic, &question) => how,
        () = ended(&service.answers, &topic) => STOPPED,
        () = service.overtime() => STOPPED,
    };
    match end(&service.answers, &topic, how.clone()).await {
        Ok(()) => log(format_args!("answer {topic}: {}", how.as_str())),
        Err(error) => {
            log(format_args!("answer {topic}: {}, but readers are not told: {error}", how.as_str()));
        }
    }
}

/// Sends what the model says, word by word.
async fn say<L: Log>(service: &Service<L>, topic: &Topic, question: &str) -> EventType {
    for word in model::words(question) {
        sleep(service.delay).await;
        let sent = match Event::default().with_json(word) {
            Ok(event) => service.answers.send(topic, &event).await,
            Err(_) => return FAILED,
        };
        match sent {
            Ok(_) => {}
            Err(HubError::Finished) => return STOPPED,
            Err(error) => {
                log(format_args!("answer {topic}: {}", Refusal::from(error)));
                return FAILED;
            }
        }
    }
    DONE
}

/// Returns when somebody has ended the answer, perhaps in another process. The model is a reader of its own answer, so
/// it stops at once, and not only when its next word cannot be sent.
async fn ended<L: Log>(answers: &Hub<L>, topic: &Topic) {
    loop {
        if let Ok(reader) = answers.subscribe(topic, Resume::Live).await {
            return reader.for_each(|_| async {}).await;
        }
        // The log does not answer, or there are too many readers.
        sleep(Duration::from_secs(1)).await;
    }
}

/// An ID that no other process makes. It is not a secret.
fn new_id() -> String {
    let random = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", random(), random())
}
