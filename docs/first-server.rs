use axum::{Router, response::IntoResponse, routing::get};
use eventwire::{Event, EventBody};
use futures_util::{StreamExt, stream};
use tokio::time::{Duration, sleep};

async fn ticks() -> impl IntoResponse {
    let events = stream::iter(1..=3).then(async |number| {
        sleep(Duration::from_secs(1)).await;
        Event::new(format!("tick {number}"))
    });
    EventBody::new(events).response()
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let app = Router::new().route("/ticks", get(ticks));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    axum::serve(listener, app).await
}
