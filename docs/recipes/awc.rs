//! A client that reconnects, over awc, the HTTP client of actix.

use eventwire::TokioTimer;
use eventwire_client::{EventSource, Item, connector_fn};
use std::{error::Error, io, io::Write, time::Duration};

/// Writes a line for each event and each lost connection until the server answers 204.
pub async fn follow(
    client: awc::Client,
    url: &str,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let connector = connector_fn(|attempt| {
        // awc would decompress the body, but leave the header that says it is compressed.
        let mut request = client.get(url).no_decompress();
        // awc has the types of `http` 0.2, and `eventwire` those of `http` 1.
        for (name, value) in &attempt.headers() {
            request = request.insert_header((name.as_str(), value.as_bytes()));
        }
        let response = request.send();
        async {
            let body = response.await?;
            let mut response = http::Response::builder().status(body.status().as_u16());
            for (name, value) in body.headers() {
                response = response.header(name.as_str(), value.as_bytes());
            }
            Ok::<_, Box<dyn Error>>(response.body(body)?)
        }
    });
    let mut source = EventSource::with_connector(connector, TokioTimer)
        .with_idle_timeout(Duration::from_secs(60)); // a dead peer looks like an idle one
    // A `Box<dyn Error>` is not itself an error, and those of awc are not `Send`.
    let printable = |error: Box<dyn Error>| io::Error::other(error.to_string());
    while let Some(item) = source.next().await {
        match item {
            Item::Event(event) => {
                writeln!(out, "{}: {}", event.last_event_id(), event.data())?;
            }
            Item::Reconnecting { error, delay, .. } => {
                writeln!(out, "{}; waiting {delay:.1?}", error.map_transport(printable))?;
            }
            Item::Undecodable(error) => writeln!(out, "skipped: {error}")?,
            _ => {}
        }
    }
    source.into_result().map_err(|stopped| stopped.map_transport(printable).into())
}
