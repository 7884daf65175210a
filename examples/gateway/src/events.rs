//! `GET /v1/events`, for a browser's `EventSource`: events with a type and an ID, whose data is plain text.

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use eventwire::{Event, InvalidField};
use serde::Deserialize;

use super::Settings;
use super::echo::Echo;
use super::error::ApiError;
use super::key;
use super::pace::{self, Speech};

#[derive(Deserialize)]
pub(super) struct Asked {
    text: Option<String>,
    /// A browser cannot send a header of its own with an `EventSource`.
    api_key: Option<String>,
}

pub(super) async fn stream(
    State(settings): State<Arc<Settings>>,
    headers: HeaderMap,
    asked: Result<Query<Asked>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(asked) = asked.map_err(|error| ApiError::unreadable_query(&error.body_text()))?;
    key::check(key::bearer(&headers).or(asked.api_key.as_deref()), &settings)?;
    let text = asked.text.ok_or_else(|| ApiError::missing("text"))?;
    let mut response = match Words::after(last_event_id(&headers), text) {
        Some(words) => pace::respond(words, settings.delay),
        // The one answer to which a browser does not connect again.
        None => StatusCode::NO_CONTENT.into_response(),
    };
    // The page that asks may come from anywhere.
    response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    Ok(response)
}

/// The number of the last event that the browser has seen, which reconnects when a stream is over; 0 for none.
fn last_event_id(headers: &HeaderMap) -> usize {
    let id = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    id.unwrap_or(0)
}

/// A text in events of type `word`, and one of type `done` behind them.
struct Words {
    /// `None` when all is said.
    echo: Option<Echo>,
}

impl Words {
    /// What comes after so many of the events; `None` if that is nothing.
    fn after(seen: usize, text: String) -> Option<Words> {
        let mut echo = Echo::new(text, usize::MAX);
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
        Some(match echo.next_token() {
            Some(token) => event("word", id, token),
            None => {
                self.echo = None;
                event("done", id, "[DONE]")
            }
        })
    }
}

fn event(event_type: &'static str, id: usize, data: &str) -> Result<Event, InvalidField> {
    Event::new(data).with_event_type(event_type)?.with_id(id.to_string())
}

impl Speech for Words {
    fn is_between_tokens(&self) -> bool {
        self.echo.as_ref().is_some_and(Echo::is_between_tokens)
    }
}
