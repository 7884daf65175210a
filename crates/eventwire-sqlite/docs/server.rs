use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header::RETRY_AFTER};
use axum::{Router, response::IntoResponse, routing::get};
use eventwire::{Event, EventBody, TokioTimer};
use eventwire_hub::{Hub, HubError, InvalidTopic, Resume, Topic};
use eventwire_sqlite::SqliteLog;
use std::time::Duration;
use tokio::net::TcpListener;

async fn read(
    State(hub): State<Hub<SqliteLog>>,
    Path(name): Path<String>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> axum::response::Result<impl IntoResponse> {
    let topic = topic(&name)?;
    // Before this, check that the reader may read the topic: a replay needs the same
    // rights as new events.
    let resume = Resume::from_request(&headers, query.as_deref());
    let reader = hub.subscribe(&topic, resume).await.map_err(refuse)?;
    let interval = Duration::from_secs(15);
    Ok(EventBody::new(reader).with_keep_alive(interval, TokioTimer).response())
}

async fn send(
    State(hub): State<Hub<SqliteLog>>,
    Path(name): Path<String>,
    message: String,
) -> axum::response::Result<String> {
    let position =
        hub.send(&topic(&name)?, &Event::new(message)).await.map_err(refuse)?;
    Ok(position.to_string())
}

fn topic(name: &str) -> Result<Topic, StatusCode> {
    Topic::new(name).map_err(|_: InvalidTopic| StatusCode::BAD_REQUEST)
}

/// Makes a response of an error. Why the file has failed is only logged, for the operator.
fn refuse(error: HubError<eventwire_sqlite::Error>) -> impl IntoResponse {
    let mut text = error.to_string();
    let mut headers = HeaderMap::new();
    match &error {
        HubError::Log(cause) => eprintln!("{text}: {cause}"),
        HubError::OutOfOrder => eprintln!("{text}"),
        HubError::UpToDate => text.clear(), // status 204 has no body
        HubError::Full { retry_after } => {
            headers.insert(RETRY_AFTER, retry_after.as_secs().into());
        }
        _ => {}
    }
    (StatusCode::from(error), headers, text)
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let hub = Hub::new(SqliteLog::open("events.db")?);
    let app = Router::new().route("/topics/{name}", get(read).post(send)).with_state(hub);
    Ok(axum::serve(TcpListener::bind("127.0.0.1:3000").await?, app).await?)
}
