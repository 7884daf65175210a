//! The proxy's own errors, in the same form as the API's.

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// An error response: a status, and an object with four fields.
#[derive(Debug)]
pub(crate) struct ApiError {
    status: StatusCode,
    message: String,
    code: &'static str,
}

impl ApiError {
    pub(crate) fn unreachable(why: &str) -> ApiError {
        ApiError::bad_gateway(format!("The proxy cannot connect to its server: {why}."), "upstream_unreachable")
    }

    pub(crate) fn broken(why: &str) -> ApiError {
        ApiError::bad_gateway(format!("The proxy's request to its server failed: {why}."), "upstream_failed")
    }

    fn bad_gateway(message: String, code: &'static str) -> ApiError {
        ApiError { status: StatusCode::BAD_GATEWAY, message, code }
    }

    pub(crate) fn unreadable_body(error: &axum::Error) -> ApiError {
        let message = format!("The body of the request cannot be read: {error}.");
        ApiError { status: StatusCode::BAD_REQUEST, message, code: "unreadable_body" }
    }

    pub(crate) fn too_large(limit: usize) -> ApiError {
        let message = format!("The body of the request is larger than the limit of {limit} bytes.");
        ApiError { status: StatusCode::PAYLOAD_TOO_LARGE, message, code: "request_too_large" }
    }

    pub(crate) fn invalid_path(why: &str) -> ApiError {
        let message = format!("The path of the request cannot be forwarded: {why}.");
        ApiError { status: StatusCode::BAD_REQUEST, message, code: "invalid_path" }
    }

    pub(crate) fn no_tunnels() -> ApiError {
        let message = "The proxy forwards requests to its own server only, and opens no tunnels.";
        ApiError { status: StatusCode::METHOD_NOT_ALLOWED, message: message.into(), code: "method_not_allowed" }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let kind = if self.status.is_server_error() { "server_error" } else { "invalid_request_error" };
        let body = json!({ "error": { "message": self.message, "type": kind, "param": null, "code": self.code } });
        (self.status, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
    }
}
