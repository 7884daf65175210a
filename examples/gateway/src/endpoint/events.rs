//! `GET /v1/events`, for a browser's `EventSource`: events with a type and an ID, whose data is plain text.

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::http::header::HeaderMap;
use axum::response::{IntoResponse, Response};
use eventwire::{Event, InvalidField};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::echo::Echo;
use crate::pace::{self, Tokens};
use crate::request;
use crate::server::Service;

#[derive(Deserialize)]
pub(crate) struct Asked {
    text: Option<String>,
    /// A browser's `EventSource` cannot send the header `Authorization`.
    api_key: Option<String>,
}

pub(crate) async fn stream(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    asked: Result<Query<Asked>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(asked) = asked.map_err(|error| ApiError::unreadable_query(&error.body_text()))?;
    request::check_key(request::bearer_key(&headers).or(asked.api_key.as_deref()), &service.settings)?;
    let text = asked.text.ok_or_else(|| ApiError::missing("text"))?;
    Ok(match Words::after(last_event_id(&headers), text) {
        Some(words) => pace::respond(words, &service),
        // The only successful response after which a browser does not reconnect.
        None => StatusCode::NO_CONTENT.into_response(),
    })
}

/// Returns the number of the last event that the browser received before it reconnected, or 0.
fn last_event_id(headers: &HeaderMap) -> u64 {
    let id = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    id.unwrap_or(0)
}

/// A text as events of type `word`, followed by one of type `done`. Their IDs count from 1.
struct Words {
    /// `None` after the last event.
    echo: Option<Echo>,
}

impl Words {
    /// Returns the events after the first `seen`, or `None` if there are no more.
    fn after(seen: u64, text: String) -> Option<Words> {
        let mut echo = Echo::new(text, u64::MAX);
        for _ in 0..seen {
            echo.next_token()?;
        }
        Some(Words { echo: Some(echo) })
    }
}

impl Iterator for Words {
    type Item = Result<Event, InvalidField>;

    fn next(&mut self) -> Option<Self::Item> {
        let echo = self.echo.as_mut()?;
        let id = echo.tokens() + 1;
        let event = match echo.next_token() {
            Some(token) => Event::new(token).with_event_type("word"),
            None => {
                self.echo = None;
                Event::new("[DONE]").with_event_type("done")
            }
        };
        Some(event.map(|event| event.with_numeric_id(id)))
    }
}

impl Tokens for Words {
    fn is_between_tokens(&self) -> bool {
        self.echo.as_ref().is_some_and(Echo::is_between_tokens)
    }
}
