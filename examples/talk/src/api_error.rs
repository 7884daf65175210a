//! Errors, in the format of OpenAI's API.

use std::error::Error;

use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use gateway::ForeignRequest;
use http_body_util::LengthLimitError;
use serde_json::json;

use crate::model_error::ModelError;

/// An error response: a status, and an object with four fields.
#[derive(Debug)]
pub(crate) struct ApiError {
    status: StatusCode,
    message: String,
    param: Option<&'static str>,
    code: &'static str,
}

impl ApiError {
    pub(crate) fn invalid(message: &str, param: Option<&'static str>, code: &'static str) -> ApiError {
        ApiError { status: StatusCode::BAD_REQUEST, message: message.into(), param, code }
    }

    pub(crate) fn unreadable_body(error: &axum::Error, limit: usize) -> ApiError {
        if error.source().is_some_and(|source| source.is::<LengthLimitError>()) {
            let message = format!("The body of the request is larger than {limit} bytes, the maximum.");
            return ApiError { status: StatusCode::PAYLOAD_TOO_LARGE, message, param: None, code: "request_too_large" };
        }
        ApiError::invalid(&format!("The body of the request cannot be read: {error}."), None, "unreadable_body")
    }

    pub(crate) fn unknown_path(path: &str) -> ApiError {
        let message = format!("There is no endpoint {path}, only GET /, POST /talk, POST /chat and GET /live.");
        ApiError { status: StatusCode::NOT_FOUND, message, param: None, code: "unknown_url" }
    }

    pub(crate) fn wrong_method(method: &Method, path: &str) -> ApiError {
        let allowed = if matches!(path, "/talk" | "/chat") { "POST" } else { "GET" };
        let message = format!("{path} does not allow {method}, only {allowed}.");
        ApiError { status: StatusCode::METHOD_NOT_ALLOWED, message, param: None, code: "method_not_allowed" }
    }

    /// The error for a file of the page that cannot be sent.
    pub(crate) fn missing_file(status: StatusCode, code: &'static str, message: String) -> ApiError {
        ApiError { status, message, param: None, code }
    }
}

impl From<ForeignRequest> for ApiError {
    fn from(error: ForeignRequest) -> ApiError {
        let hint = if let ForeignRequest::UnknownHost(_) = error { "; the option --host allows it" } else { "" };
        let message = format!("The request is refused: {error}{hint}.");
        ApiError { status: error.status(), message, param: None, code: error.code() }
    }
}

impl From<ModelError> for ApiError {
    fn from(error: ModelError) -> ApiError {
        // The model's message may end with a full stop.
        let why = error.message.trim_end_matches('.');
        ApiError { status: error.status, message: format!("There is no answer: {why}."), param: None, code: error.code }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let kind = if self.status.is_server_error() { "server_error" } else { "invalid_request_error" };
        let body =
            json!({ "error": { "message": self.message, "type": kind, "param": self.param, "code": self.code } });
        (self.status, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
    }
}
