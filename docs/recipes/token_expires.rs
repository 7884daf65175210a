//! A stream that ends when its token expires or is revoked. With a fresh token, the
//! reader continues where it was.

use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Result};
use axum::{Router, routing::get};
use eventwire::{Event, EventBody, TokioTimer};
use eventwire_hub::{Channel, Resume};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{collections::HashMap, time::Duration};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

#[derive(Clone)]
struct Grant {
    expires: Instant,
    revoked: CancellationToken,
}

/// Stands for your sessions.
#[derive(Clone, Default)]
pub struct Tokens(Arc<Mutex<HashMap<String, Grant>>>);

impl Tokens {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Grant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn grant(&self, token: &str, lifetime: Duration) {
        let (expires, revoked) = (Instant::now() + lifetime, CancellationToken::new());
        self.lock().insert(token.to_owned(), Grant { expires, revoked });
    }

    pub fn revoke(&self, token: &str) {
        if let Some(grant) = self.lock().remove(token) {
            grant.revoked.cancel();
        }
    }

    fn check(&self, headers: &HeaderMap) -> Option<Grant> {
        let header = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
        let grant = self.lock().get(header.strip_prefix("Bearer ")?)?.clone();
        Some(grant).filter(|grant| Instant::now() < grant.expires)
    }
}

async fn events(
    State((tokens, channel)): State<(Tokens, Channel)>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<impl IntoResponse> {
    // Before `subscribe`, because earlier events need the same permission as new ones.
    let grant = tokens
        .check(&headers)
        .ok_or((StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")]))?;
    let resume = Resume::from_request(&headers, query.as_deref());
    let reader = channel.subscribe(resume).map_err(StatusCode::from)?;
    // With a fresh token, the reader may return at once.
    Ok(EventBody::new(reader.with_retry(Duration::from_secs(3)))
        .until(timeout_at(grant.expires, grant.revoked.cancelled_owned()))
        .with_final_retry(Duration::ZERO..=Duration::from_secs(1))
        .with_keep_alive(Duration::from_secs(15), TokioTimer)
        .response())
}

pub fn app(tokens: Tokens, channel: Channel) -> Router {
    Router::new().route("/events", get(events)).with_state((tokens, channel))
}

/// A client that uses the newest token for each attempt. If that is rejected, it returns
/// the error.
pub async fn follow(
    url: &str,
    token: impl Fn() -> String,
    mut on_event: impl FnMut(Event),
) -> anyhow::Result<()> {
    let client = eventwire_reqwest::client_builder().build()?;
    let source = eventwire_reqwest::from_fn(|_| {
        let request = client.get(url).bearer_auth(token());
        async { Ok::<_, reqwest::Error>(request) }
    });
    let mut events = source.with_idle_timeout(Duration::from_secs(60)).events();
    while let Some(event) = events.next().await {
        on_event(event?);
    }
    Ok(())
}
