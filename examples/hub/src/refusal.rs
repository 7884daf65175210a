//! Responses that are errors.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use eventwire_hub::{HubError, InvalidTopic};
use gateway::ForeignRequest;

use crate::log;

/// A status, and a line that says why.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    why: String,
    retry_after: Option<Duration>,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, why: impl ToString) -> Refusal {
        Refusal { status, why: why.to_string(), retry_after: None }
    }
}

impl<E: Error> From<HubError<E>> for Refusal {
    fn from(error: HubError<E>) -> Refusal {
        let why = error.to_string();
        let mut retry_after = None;
        match &error {
            HubError::Full { retry_after: time } => retry_after = Some(*time),
            // Only the operator is told the cause.
            HubError::Log(cause) => log(format_args!("{why}: {cause}")),
            HubError::OutOfOrder | HubError::HasId => log(&why),
            _ => {}
        }
        Refusal { status: error.into(), why, retry_after }
    }
}

impl From<InvalidTopic> for Refusal {
    fn from(error: InvalidTopic) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, error)
    }
}

impl From<serde_json::Error> for Refusal {
    fn from(error: serde_json::Error) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, error)
    }
}

impl From<ForeignRequest> for Refusal {
    fn from(error: ForeignRequest) -> Refusal {
        Refusal::new(error.status(), error)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let Refusal { status, why, retry_after } = self;
        // Status 204 says that a reader has everything; it has no body.
        let mut response = if status == StatusCode::NO_CONTENT {
            status.into_response()
        } else {
            (status, why + "\n").into_response()
        };
        if let Some(time) = retry_after {
            response.headers_mut().insert(RETRY_AFTER, time.as_secs().max(1).into());
        }
        response
    }
}
