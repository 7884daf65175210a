use eventwire_reqwest::{Item, RequestBuilderExt};
use std::time::Duration;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let client = eventwire_reqwest::client_builder().build()?;
    let mut source = client
        .get("http://127.0.0.1:3000/ticks")
        .with_redirects(10)
        .eventsource()?
        .with_idle_timeout(Duration::from_secs(60));
    while let Some(item) = source.next().await {
        match item {
            Item::Event(event) => println!("{}", event.data()),
            Item::Reconnecting { error, .. } => println!("{error}; reconnecting"),
            Item::Undecodable(error) => println!("{error}"), // too large
            _ => {}
        }
    }
    Ok(source.into_result()?) // an error if the server refused the request
}
