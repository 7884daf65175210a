//! Sends the body of every `POST /publish` as an event to all readers of `GET /events`: with eventwire, or with axum
//! alone.

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
use eventwire_hub::{Channel, History, Resume, UpToDate};
use tokio::{net::TcpListener, sync::broadcast};
use tokio_stream::wrappers::BroadcastStream;

const KEEP_ALIVE: Duration = Duration::from_secs(15);

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [of, port] = &args[..] else { bail!("usage: server eventwire|axum PORT") };
    let router = match &**of {
        "eventwire" => eventwire(),
        "axum" => axum(),
        other => bail!("unknown server: {other}"),
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
