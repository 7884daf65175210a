//! Follows a feed with a token. If the server answers 401, gets a new token and continues
//! after the last event.

use eventwire_reqwest::{Event, Item};
use futures_util::StreamExt;
use std::{future::ready, time::Duration};
use tokio::sync::watch;

/// Calls `refresh` for the first token, and whenever the server rejects the current one.
pub async fn follow(
    url: &str,
    refresh: impl AsyncFn() -> anyhow::Result<String>,
    mut on_event: impl FnMut(Event),
) -> anyhow::Result<()> {
    let client = eventwire_reqwest::client_builder().build()?;
    let (newest, token) = watch::channel(refresh().await?);
    let source = eventwire_reqwest::from_fn(|_| {
        ready(Ok::<_, reqwest::Error>(client.get(url).bearer_auth(&*token.borrow())))
    });
    let mut source = source.with_idle_timeout(Duration::from_secs(60));
    let mut has_worked = false; // the current token
    loop {
        match source.next().await {
            Some(Item::Open(_)) => has_worked = true,
            Some(Item::Event(event)) => on_event(event),
            Some(_) => {} // reconnecting, or an event that is too large
            None => {
                let answer = source.stopped().and_then(|stopped| stopped.response());
                let is_rejected = answer.is_some_and(|answer| answer.status() == 401);
                if !is_rejected || !has_worked {
                    return Ok(source.into_result()?);
                }
                newest.send_replace(refresh().await?);
                has_worked = false;
                source.restart(); // at once, with the last event ID
            }
        }
    }
}
