//! A client that reconnects, over reqwest 0.12.

use eventwire::{BodyChunks, TokioTimer};
use eventwire_client::{EventSource, Item, connector_fn};
use std::{io::Write, time::Duration};

/// Writes a line for each event and each lost connection until the server answers 204.
pub async fn follow(
    client: reqwest::Client,
    url: &str,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    // Inside the closure, a mistyped URL would be retried.
    let url = reqwest::Url::parse(url)?;
    let connector = connector_fn(move |attempt| {
        // `Accept`, `Cache-Control` and `Last-Event-ID`. A fresh token for each attempt
        // goes here as well.
        let response = client.get(url.clone()).headers(attempt.headers()).send();
        async {
            let response = http::Response::from(response.await?);
            Ok::<_, reqwest::Error>(response.map(BodyChunks::new))
        }
    });
    let source = EventSource::with_connector(connector, TokioTimer);
    // The server sends a comment more often than that.
    let mut source = source.with_idle_timeout(Duration::from_secs(60));
    while let Some(item) = futures_util::StreamExt::next(&mut source).await {
        match item {
            Item::Event(event) => {
                writeln!(out, "{}: {}", event.last_event_id(), event.data())?;
            }
            Item::Reconnecting { error, delay, .. } => {
                writeln!(out, "{error}; waiting {delay:.1?}")?;
            }
            Item::Undecodable(error) => writeln!(out, "skipped: {error}")?,
            _ => {}
        }
    }
    Ok(source.into_result()?) // a 401, for example
}
