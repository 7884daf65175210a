//! The one form in which the API says that something is wrong.

use axum::http::header::{CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::model::MODEL;

/// An error as a client is told: a status, and an envelope of four fields.
#[derive(Debug)]
pub(super) struct ApiError {
    status: StatusCode,
    detail: Detail,
}

#[derive(Debug, Serialize)]
struct Envelope<'a> {
    error: &'a Detail,
}

#[derive(Debug, Serialize)]
struct Detail {
    message: String,
    #[serde(rename = "type")]
    kind: &'static str,
    /// Where in the request it is: `messages[0].content`.
    param: Option<String>,
    code: Option<&'static str>,
}

impl ApiError {
    pub(super) fn not_json(error: &serde_json::Error) -> ApiError {
        let message = format!("The body of the request is not JSON: {error}.");
        ApiError::new(StatusCode::BAD_REQUEST, message, None, "invalid_json")
    }

    pub(super) fn not_an_object(found: &str) -> ApiError {
        let message = format!("The body of the request must be a JSON object, and is {found}.");
        ApiError::new(StatusCode::BAD_REQUEST, message, None, "invalid_type")
    }

    pub(super) fn missing(param: &str) -> ApiError {
        let message = format!("`{param}` is missing; it must be given.");
        ApiError::new(StatusCode::BAD_REQUEST, message, Some(param), "missing_required_parameter")
    }

    pub(super) fn wrong_type(param: &str, expected: &str, found: &str) -> ApiError {
        let message = format!("`{param}` must be {expected}, and is {found}.");
        ApiError::new(StatusCode::BAD_REQUEST, message, Some(param), "invalid_type")
    }

    pub(super) fn wrong_value(param: &str, expected: &str) -> ApiError {
        let message = format!("`{param}` must {expected}.");
        ApiError::new(StatusCode::BAD_REQUEST, message, Some(param), "invalid_value")
    }

    pub(super) fn unreadable_body(error: &axum::Error) -> ApiError {
        let message = format!("The body of the request cannot be read: {error}.");
        ApiError::new(StatusCode::BAD_REQUEST, message, None, "unreadable_body")
    }

    pub(super) fn unreadable_query(why: &str) -> ApiError {
        let message = format!("The query of the URL cannot be read: {why}.");
        ApiError::new(StatusCode::BAD_REQUEST, message, None, "invalid_query")
    }

    pub(super) fn too_large(limit: usize) -> ApiError {
        let message = format!("The body of the request has more than {limit} bytes, which is the most that is read.");
        ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, message, None, "request_too_large")
    }

    pub(super) fn unknown_model(model: &str) -> ApiError {
        let message = format!("There is no model {model:?} here; the one model is {MODEL:?}.");
        ApiError::new(StatusCode::NOT_FOUND, message, Some("model"), "model_not_found")
    }

    pub(super) fn unknown_path(method: &Method, path: &str) -> ApiError {
        let message = format!("There is nothing at {method} {path}; the paths begin with /v1/.");
        ApiError::new(StatusCode::NOT_FOUND, message, None, "unknown_url")
    }

    pub(super) fn wrong_method(method: &Method, path: &str) -> ApiError {
        let message = format!("{path} does not take {method}; the header `allow` says what it takes.");
        ApiError::new(StatusCode::METHOD_NOT_ALLOWED, message, None, "method_not_allowed")
    }

    pub(super) fn no_key() -> ApiError {
        let message = "This server asks for an API key; send it as `Authorization: Bearer KEY`.";
        ApiError::new(StatusCode::UNAUTHORIZED, message.into(), None, "invalid_api_key")
    }

    pub(super) fn wrong_key() -> ApiError {
        // The key itself stays out of it: error messages end up in logs.
        let message = "This is not the API key of this server; check the one that is sent.";
        ApiError::new(StatusCode::UNAUTHORIZED, message.into(), None, "invalid_api_key")
    }

    pub(super) fn unwritable(error: &serde_json::Error) -> ApiError {
        let message = format!("The answer cannot be written: {error}.");
        let detail = Detail { message, kind: "server_error", param: None, code: None };
        ApiError { status: StatusCode::INTERNAL_SERVER_ERROR, detail }
    }

    fn new(status: StatusCode, message: String, param: Option<&str>, code: &'static str) -> ApiError {
        let param = param.map(str::to_owned);
        ApiError { status, detail: Detail { message, kind: "invalid_request_error", param, code: Some(code) } }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        // Text, numbers and nulls are always JSON.
        let body = serde_json::to_string(&Envelope { error: &self.detail }).unwrap_or_default();
        let mut response = (self.status, [(CONTENT_TYPE, "application/json")], body).into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
