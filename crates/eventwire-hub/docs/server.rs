use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::{Router, response::IntoResponse, routing::get};
use eventwire::{Event, EventBody, TokioTimer};
use eventwire_hub::{Channel, History, Resume};
use std::time::Duration;
use tokio::net::TcpListener;

async fn seconds(
    State(channel): State<Channel>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<impl IntoResponse, StatusCode> {
    // An error if the stream has ended and the reader has all of it. Its status tells the
    // reader not to return.
    let reader = channel.subscribe(Resume::from_request(&headers, query.as_deref()))?;
    Ok(EventBody::new(reader)
        .with_keep_alive(Duration::from_secs(15), TokioTimer)
        .response())
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let channel = Channel::new(History::new());
    let app = Router::new().route("/seconds", get(seconds)).with_state(channel.clone());
    tokio::spawn(async move {
        for second in 1.. {
            channel.send(&Event::new(format!("{second} s")))?;
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        anyhow::Ok(())
    });
    Ok(axum::serve(TcpListener::bind("127.0.0.1:3000").await?, app).await?)
}
