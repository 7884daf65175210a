//! Feeds with a token that a task renews: before it expires, and when the server rejects it.
//! Each attempt has the newest one.

use eventwire_reqwest::{Event, Item};
use std::{future::ready, time::Duration};
use tokio::sync::{Notify, watch};

pub struct Token {
    pub text: String,
    pub lifetime: Duration,
}

/// The newest token. All feeds that need it share this.
pub struct Tokens {
    newest: watch::Sender<Token>,
    is_rejected: Notify,
}

impl Tokens {
    pub fn new(first: Token) -> Tokens {
        Tokens { newest: watch::Sender::new(first), is_rejected: Notify::new() }
    }

    /// Fetches a new token whenever one is needed. Ends only with an error of `fetch`.
    pub async fn renew(
        &self,
        fetch: impl AsyncFn() -> anyhow::Result<Token>,
    ) -> anyhow::Result<()> {
        loop {
            let in_time = self.newest.borrow().lifetime * 9 / 10;
            // Either of the two means that it is time.
            let _ = tokio::time::timeout(in_time, self.is_rejected.notified()).await;
            self.newest.send_replace(fetch().await?);
        }
    }

    /// Follows a feed, while another task renews the token. If the server answers 401, it
    /// continues after the last event as soon as there is another token.
    pub async fn follow(
        &self,
        url: &str,
        mut on_event: impl FnMut(Event),
    ) -> anyhow::Result<()> {
        let client = eventwire_reqwest::client_builder().build()?;
        let source = eventwire_reqwest::from_fn(|_| {
            let request = client.get(url).bearer_auth(&self.newest.borrow().text);
            ready(Ok::<_, reqwest::Error>(request))
        });
        let mut source = source.with_idle_timeout(Duration::from_secs(60));
        let mut is_open_since_401 = true;
        loop {
            match source.next().await {
                Some(Item::Open(_)) => is_open_since_401 = true,
                Some(Item::Event(event)) => on_event(event),
                Some(_) => {} // reconnecting, or an event that is too large
                None => {
                    let answer = source.stopped().and_then(|stopped| stopped.response());
                    let is_rejected = answer.is_some_and(|answer| answer.status() == 401);
                    if !is_rejected || !is_open_since_401 {
                        return Ok(source.into_result()?);
                    }
                    is_open_since_401 = false;
                    let mut newest = self.newest.subscribe();
                    self.is_rejected.notify_one();
                    newest.changed().await?;
                    source.restart(); // at once, with the last event ID
                }
            }
        }
    }
}
