//! Sends the body of every `POST /publish` as an event to all readers of `GET /events`: with a channel of eventwire,
//! with axum alone, or with a hub of eventwire on Redis.

use std::{env, time::Duration};

use anyhow::bail;
use axum::{
    Router,
    http::{HeaderMap, StatusCode, Uri},
    response::{IntoResponse, Sse, sse},
    routing::{get, post},
    serve::ListenerExt,
};
use eventwire::{Event, EventBody, TokioTimer};
use eventwire_hub::{Channel, History, Hub, Resume, Topic, UpToDate};
use eventwire_redis::RedisLog;
use tokio::{net::TcpListener, sync::broadcast};
use tokio_stream::wrappers::BroadcastStream;

const KEEP_ALIVE: Duration = Duration::from_secs(15);

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let (port, router) = match args[..] {
        ["eventwire", port] => (port, eventwire()),
        ["axum", port] => (port, axum()),
        ["hub", port, redis] => (port, hub(redis)?),
        _ => bail!("usage: server eventwire PORT | server axum PORT | server hub PORT REDIS-URL"),
    };
    let listener = TcpListener::bind(("127.0.0.1", port.parse()?)).await?;
    // The other servers set it too.
    let listener = listener.tap_io(|stream| _ = stream.set_nodelay(true));
    Ok(axum::serve(listener, router).await?)
}

fn eventwire() -> Router {
    let channel = Channel::new(History::new());
    let events = channel.clone();
    Router::new()
        .route(
            "/events",
            get(async move |headers: HeaderMap, uri: Uri| {
                match events.subscribe(Resume::from_request(&headers, uri.query())) {
                    Ok(reader) => {
                        EventBody::new(reader).with_keep_alive(KEEP_ALIVE, TokioTimer).response().into_response()
                    }
                    Err(UpToDate) => StatusCode::NO_CONTENT.into_response(),
                }
            }),
        )
        .route(
            "/publish",
            post(async move |data: String| match channel.send(&Event::new(data)) {
                Ok(_) => StatusCode::NO_CONTENT,
                Err(_) => StatusCode::INTERNAL_SERVER_ERROR,
            }),
        )
}

/// The channel contains encoded events, which is faster than to encode one for each reader.
fn axum() -> Router {
    let channel = broadcast::Sender::new(16);
    let events = channel.clone();
    Router::new()
        .route(
            "/events",
            get(async move || {
                let reader = BroadcastStream::new(events.subscribe());
                Sse::new(reader).keep_alive(sse::KeepAlive::new().interval(KEEP_ALIVE))
            }),
        )
        .route("/publish", post(async move |data: String| _ = channel.send(sse::Event::default().data(data))))
}

/// Other processes with the same Redis have the same stream.
fn hub(redis: &str) -> anyhow::Result<Router> {
    let (hub, topic) = (Hub::new(RedisLog::open(redis)?), Topic::new("one")?);
    let (readers, read) = (hub.clone(), topic.clone());
    Ok(Router::new()
        .route(
            "/events",
            get(async move |headers: HeaderMap, uri: Uri| {
                match readers.subscribe(&read, Resume::from_request(&headers, uri.query())).await {
                    Ok(reader) => {
                        EventBody::new(reader).with_keep_alive(KEEP_ALIVE, TokioTimer).response().into_response()
                    }
                    Err(error) => StatusCode::from(error).into_response(),
                }
            }),
        )
        .route(
            "/publish",
            post(async move |data: String| match hub.send(&topic, &Event::new(data)).await {
                Ok(_) => StatusCode::NO_CONTENT,
                Err(error) => StatusCode::from(error),
            }),
        ))
}
