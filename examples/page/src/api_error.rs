//! Errors, in the format of OpenAI's API.

use std::error::Error;
use std::fmt::Display;
use std::time::Duration;

use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use gateway::ForeignRequest;
use http_body_util::LengthLimitError;
use serde_json::json;

/// An error response: a status, and an object with a message.
#[derive(Debug)]
pub(crate) struct ApiError {
    status: StatusCode,
    code: &'static str,
    message: String,
}

impl ApiError {
    pub(crate) fn invalid(message: &str, code: &'static str) -> ApiError {
        ApiError { status: StatusCode::BAD_REQUEST, code, message: message.into() }
    }

    pub(crate) fn unreadable_body(error: &axum::Error, limit: usize) -> ApiError {
        if error.source().is_some_and(|source| source.is::<LengthLimitError>()) {
            let message = format!("The body of the request is larger than {limit} bytes, the maximum.");
            return ApiError { status: StatusCode::PAYLOAD_TOO_LARGE, code: "request_too_large", message };
        }
        ApiError::invalid(&format!("The body of the request cannot be read: {error}."), "unreadable_body")
    }

    pub(crate) fn unknown_path(path: &str) -> ApiError {
        let message = format!("There is no {path}, only GET /, POST /talk, POST /chat and GET /live.");
        ApiError { status: StatusCode::NOT_FOUND, code: "unknown_url", message }
    }

    pub(crate) fn wrong_method(method: &Method, path: &str) -> ApiError {
        let allowed = if matches!(path, "/talk" | "/chat") { "POST" } else { "GET" };
        let message = format!("{path} does not allow {method}, only {allowed}.");
        ApiError { status: StatusCode::METHOD_NOT_ALLOWED, code: "method_not_allowed", message }
    }

    /// A file of the page that cannot be sent.
    pub(crate) fn missing_file(why: &str) -> ApiError {
        let message = format!("There is no page: {why}.");
        ApiError { status: StatusCode::SERVICE_UNAVAILABLE, code: "missing_file", message }
    }

    pub(crate) fn unreachable(error: &reqwest::Error) -> ApiError {
        let message = format!("The model's server cannot be reached: {}.", root_cause(error));
        ApiError { status: StatusCode::BAD_GATEWAY, code: "model_unreachable", message }
    }

    pub(crate) fn timeout(duration: Duration) -> ApiError {
        let message = format!("The model's server did not answer for {duration:?}.");
        ApiError { status: StatusCode::GATEWAY_TIMEOUT, code: "model_failed", message }
    }

    /// An answer that failed before its first word.
    pub(crate) fn failed(why: impl Display) -> ApiError {
        let message = format!("The model gave no answer: {why}.");
        ApiError { status: StatusCode::BAD_GATEWAY, code: "model_failed", message }
    }
}

/// Returns the innermost cause. HTTP clients wrap it in several layers, whose messages only name the step that failed.
pub(crate) fn root_cause<'e>(mut error: &'e (dyn Error + 'static)) -> &'e (dyn Error + 'static) {
    while let Some(source) = error.source() {
        error = source;
    }
    error
}

impl From<ForeignRequest> for ApiError {
    fn from(error: ForeignRequest) -> ApiError {
        let hint = if let ForeignRequest::UnknownHost(_) = error { "; the option --host allows it" } else { "" };
        let message = format!("The request is refused: {error}{hint}.");
        ApiError { status: error.status(), code: error.code(), message }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let kind = if self.status.is_server_error() { "server_error" } else { "invalid_request_error" };
        let body = json!({ "error": { "message": self.message, "type": kind, "param": null, "code": self.code } });
        (self.status, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
    }
}
