//! Follows a feed until Ctrl-C and saves the last event ID. The next run continues there.

use eventwire_reqwest::{Event, Item, RequestBuilderExt};
use std::{io::ErrorKind, path::Path, pin::pin, time::Duration};
use tokio::fs;

/// The ID is kept in `file`. `stop` is `tokio::signal::ctrl_c()`, or another future.
pub async fn follow(
    request: reqwest::RequestBuilder,
    file: &Path,
    stop: impl Future,
    mut on_event: impl FnMut(Event),
) -> anyhow::Result<()> {
    let saved = match fs::read_to_string(file).await {
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        saved => saved?,
    };
    let source = request.with_redirects(10).eventsource()?;
    let source = source.with_idle_timeout(Duration::from_secs(60));
    let mut source = source.with_last_event_id(&saved)?;
    let mut stop = pin!(stop);
    loop {
        tokio::select! {
            _ = &mut stop => break,
            item = source.next() => match item {
                Some(Item::Event(event)) => on_event(event),
                Some(_) => {} // open, reconnecting, or an event that is too large
                None => break,
            },
        }
    }
    // Renaming replaces the whole file: a reader finds the old ID or the new one.
    let new = file.with_extension("new");
    fs::write(&new, source.last_event_id()).await?;
    fs::rename(&new, file).await?;
    Ok(source.into_result()?)
}
