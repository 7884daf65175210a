use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::{Router, response::IntoResponse, routing::get};
use eventwire::{Event, EventBody, TokioTimer};
use eventwire_hub::{Hub, InvalidTopic, Resume, Topic};
use eventwire_redis::RedisLog;
use std::time::Duration;
use tokio::net::TcpListener;

async fn read(
    State(hub): State<Hub<RedisLog>>,
    Path(name): Path<String>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<impl IntoResponse, StatusCode> {
    let topic = topic(&name)?;
    // Before this, check that the reader may read the topic: a replay needs the same
    // rights as new events.
    let reader =
        hub.subscribe(&topic, Resume::from_request(&headers, query.as_deref())).await?;
    Ok(EventBody::new(reader)
        .with_keep_alive(Duration::from_secs(15), TokioTimer)
        .response())
}

async fn send(
    State(hub): State<Hub<RedisLog>>,
    Path(name): Path<String>,
    message: String,
) -> Result<String, StatusCode> {
    let position = hub.send(&topic(&name)?, &Event::new(message)).await?;
    Ok(position.to_string())
}

fn topic(name: &str) -> Result<Topic, StatusCode> {
    Topic::new(name).map_err(|_: InvalidTopic| StatusCode::BAD_REQUEST)
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let hub = Hub::new(RedisLog::open("redis://127.0.0.1:6379")?);
    let app = Router::new().route("/topics/{name}", get(read).post(send)).with_state(hub);
    Ok(axum::serve(TcpListener::bind("127.0.0.1:3000").await?, app).await?)
}
