//! The servers in Rust: they send the body of every `POST /publish` as an event to all readers of `GET /events`.

use anyhow::bail;
use axum::{
    Router,
    http::StatusCode,
    response::{IntoResponse, Sse, sse},
    routing::{MethodRouter, get, post},
    serve::ListenerExt,
};
use eventwire::{Event, EventBody, TokioTimer};
use eventwire_hub::{Channel, History, Hub, Resume, Topic, UpToDate};
use eventwire_redis::RedisLog;
use std::time::Duration;
use tokio::{net::TcpListener, sync::broadcast};
use tokio_stream::wrappers::BroadcastStream;

/// The port of Redis.
pub const REDIS: u16 = 18410;
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Serves on a port of 127.0.0.1 until the process is ended.
#[tokio::main]
pub async fn run(name: &str, port: u16) -> anyhow::Result<()> {
    let (events, publish) = match name {
        "eventwire" => eventwire(),
        "axum" => axum(),
        "hub" => hub()?,
        _ => bail!("there is no server `{name}`"),
    };
    let router = Router::new().route("/events", events).route("/publish", publish);
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    // The other servers set it too.
    let listener = listener.tap_io(|stream| _ = stream.set_nodelay(true));
    Ok(axum::serve(listener, router).await?)
}

fn eventwire() -> (MethodRouter, MethodRouter) {
    let channel = Channel::new(History::new());
    let events = channel.clone();
    let events = get(async move || match events.subscribe(Resume::Live) {
        Ok(reader) => EventBody::new(reader).with_keep_alive(KEEP_ALIVE, TokioTimer).response().into_response(),
        Err(UpToDate) => StatusCode::NO_CONTENT.into_response(),
    });
    let publish = post(async move |data: String| match channel.send(&Event::new(data)) {
        Ok(_) => StatusCode::NO_CONTENT,
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR,
    });
    (events, publish)
}

/// The channel contains encoded events, which is faster than to encode one for each reader.
fn axum() -> (MethodRouter, MethodRouter) {
    let channel = broadcast::Sender::new(16);
    let events = channel.clone();
    let events = get(async move || {
        let reader = BroadcastStream::new(events.subscribe());
        Sse::new(reader).keep_alive(sse::KeepAlive::new().interval(KEEP_ALIVE))
    });
    let publish = post(async move |data: String| _ = channel.send(sse::Event::default().data(data)));
    (events, publish)
}

/// Other processes with the same Redis have the same stream.
fn hub() -> anyhow::Result<(MethodRouter, MethodRouter)> {
    let (hub, topic) = open_hub()?;
    let (readers, read) = (hub.clone(), topic.clone());
    let events = get(async move || match readers.subscribe(&read, Resume::Live).await {
        Ok(reader) => EventBody::new(reader).with_keep_alive(KEEP_ALIVE, TokioTimer).response().into_response(),
        Err(error) => StatusCode::from(error).into_response(),
    });
    let publish = post(async move |data: String| match hub.send(&topic, &Event::new(data)).await {
        Ok(_) => StatusCode::NO_CONTENT,
        Err(error) => StatusCode::from(error),
    });
    Ok((events, publish))
}

pub fn open_hub() -> anyhow::Result<(Hub<RedisLog>, Topic)> {
    Ok((Hub::new(RedisLog::open(&format!("redis://127.0.0.1:{REDIS}"))?), Topic::new("one")?))
}
