//! A client that reconnects, over reqwest-middleware: each attempt goes through all the
//! middleware.

use eventwire::{BodyChunks, Error, JsonError, TokioTimer};
use eventwire_client::{EventSource, Stopped, connector_fn};
use futures_util::TryStreamExt;
use reqwest_middleware::{ClientWithMiddleware, reqwest::Url};
use std::time::Duration;

#[derive(Debug, serde::Deserialize)]
pub struct Price {
    pub name: String,
    pub cents: u64,
}

/// Calls `on_price` for each event, over as many connections as it takes.
pub async fn follow(
    client: ClientWithMiddleware,
    url: Url,
    mut on_price: impl FnMut(Price),
) -> Result<(), JsonError<Stopped<reqwest_middleware::Error>>> {
    let connector = connector_fn(move |attempt| {
        // `Accept`, `Cache-Control`, and `Last-Event-ID` after an event with an ID.
        let response = client.get(url.clone()).headers(attempt.headers()).send();
        async {
            Ok::<_, reqwest_middleware::Error>(
                http::Response::from(response.await?).map(BodyChunks::new),
            )
        }
    });
    let source = EventSource::with_connector(connector, TokioTimer)
        .with_idle_timeout(Duration::from_secs(60));
    let mut prices = source.events().json::<Price>();
    loop {
        match prices.try_next().await {
            Ok(Some(price)) => on_price(price),
            Ok(None) => return Ok(()),
            // One bad or oversized event does not end the feed.
            Err(
                error @ (JsonError::Payload { .. } | JsonError::Stream(Error::Decode(_))),
            ) => {
                eprintln!("skipped: {error}");
            }
            Err(error) => return Err(error),
        }
    }
}
