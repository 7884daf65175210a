//! Servers of multipart streams.

use axum::{
    Router,
    response::{Html, IntoResponse},
    routing::{get, post},
};
use eventwire_multipart::{OutgoingPart, PartBody, PartEncoder};
use futures_util::{Stream, StreamExt, stream};
use std::{convert::Infallible, net::SocketAddr, sync::Arc};
use tokio::{net::TcpListener, sync::Semaphore};

/// Serves on the loopback interface while the runtime exists.
pub(crate) async fn serve(router: Router) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    address
}

/// What is sent in each step. The first step is sent at once, and each other one when the reader requests `/next`. So
/// a reader that returns parts one too late waits endlessly.
pub(crate) type Steps = Vec<Vec<OutgoingPart>>;

/// Serves `/stream` with these steps, as this media type. The stream ends at the request after the last step.
pub(crate) fn stepwise(steps: Steps, encoder: PartEncoder, essence: &'static str) -> Router {
    let asked = Arc::new(Semaphore::new(0));
    let stream = {
        let asked = Arc::clone(&asked);
        async move || PartBody::new(encoder, when_asked(steps, asked)).response(essence).unwrap().into_response()
    };
    Router::new()
        .route("/", get(async || Html("<!doctype html>")))
        .route("/stream", get(stream))
        .route("/next", post(async move || asked.add_permits(1)))
}

fn when_asked(mut steps: Steps, asked: Arc<Semaphore>) -> impl Stream<Item = Result<OutgoingPart, Infallible>> {
    steps.push(Vec::new());
    let steps = stream::iter(steps).enumerate().then(move |(step, outgoing)| {
        let asked = Arc::clone(&asked);
        async move {
            if step > 0 {
                asked.acquire().await.unwrap().forget();
            }
            stream::iter(outgoing).map(Ok)
        }
    });
    steps.flatten()
}
