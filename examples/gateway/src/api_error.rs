//! The API's errors.

use axum::http::header::{CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::echo::MODEL;
use crate::known_hosts::ForeignRequest;

/// An error response: a status, and an object with four fields.
#[derive(Debug)]
pub(crate) struct ApiError {
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
    /// The path of the parameter, such as `messages[0].content`.
    param: Option<String>,
    code: Option<&'static str>,
}

impl ApiError {
    pub(crate) fn not_json(error: &serde_json::Error) -> ApiError {
        let message = format!("The body of the request is not JSON: {error}.");
        ApiError::new(StatusCode::BAD_REQUEST, message, None, "invalid_json")
    }

    pub(crate) fn not_an_object(found: &str) -> ApiError {
        let message = format!("The body of the request must be a JSON object, but is {found}.");
        ApiError::new(StatusCode::BAD_REQUEST, message, None, "invalid_type")
    }

    pub(crate) fn missing(param: &str) -> ApiError {
        let message = format!("`{param}` is missing.");
        ApiError::new(StatusCode::BAD_REQUEST, message, Some(param), "missing_required_parameter")
    }

    pub(crate) fn wrong_type(param: &str, expected: &str, found: &str) -> ApiError {
        let message = format!("`{param}` must be {expected}, but is {found}.");
        ApiError::new(StatusCode::BAD_REQUEST, message, Some(param), "invalid_type")
    }

    pub(crate) fn wrong_value(param: &str, expected: &str) -> ApiError {
        let message = format!("`{param}` must {expected}.");
        ApiError::new(StatusCode::BAD_REQUEST, message, Some(param), "invalid_value")
    }

    pub(crate) fn unreadable_body(error: &axum::Error) -> ApiError {
        let message = format!("The body of the request cannot be read: {error}.");
        ApiError::new(StatusCode::BAD_REQUEST, message, None, "unreadable_body")
    }

    pub(crate) fn unreadable_query(why: &str) -> ApiError {
        let message = format!("The query of the URL cannot be read: {why}.");
        ApiError::new(StatusCode::BAD_REQUEST, message, None, "invalid_query")
    }

    pub(crate) fn too_large(limit: usize) -> ApiError {
        let message = format!("The body of the request is larger than the limit of {limit} bytes.");
        ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, message, None, "request_too_large")
    }

    pub(crate) fn unknown_model(model: &str) -> ApiError {
        let message = format!("The model {model:?} does not exist; the only model is {MODEL:?}.");
        ApiError::new(StatusCode::NOT_FOUND, message, Some("model"), "model_not_found")
    }

    pub(crate) fn unknown_path(method: &Method, path: &str) -> ApiError {
        let message = format!("There is no endpoint {method} {path}; all paths begin with /v1/.");
        ApiError::new(StatusCode::NOT_FOUND, message, None, "unknown_url")
    }

    pub(crate) fn wrong_method(method: &Method, path: &str) -> ApiError {
        let message = format!("{path} does not allow {method}; the header `allow` lists the methods that it allows.");
        ApiError::new(StatusCode::METHOD_NOT_ALLOWED, message, None, "method_not_allowed")
    }

    pub(crate) fn foreign(error: &ForeignRequest) -> ApiError {
        let hint = if let ForeignRequest::UnknownHost(_) = error { "; the option --host allows it" } else { "" };
        ApiError::new(error.status(), format!("The request is refused: {error}{hint}."), None, error.code())
    }

    pub(crate) fn no_key() -> ApiError {
        let message = "This server requires an API key; send it as `Authorization: Bearer KEY`.";
        ApiError::new(StatusCode::UNAUTHORIZED, message.into(), None, "invalid_api_key")
    }

    pub(crate) fn wrong_key() -> ApiError {
        // The key itself is not printed, because error messages end up in logs.
        let message = "The API key is wrong; check the one that the request sends.";
        ApiError::new(StatusCode::UNAUTHORIZED, message.into(), None, "invalid_api_key")
    }

    pub(crate) fn unwritable(error: &serde_json::Error) -> ApiError {
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
        // This cannot fail: the fields are strings and nulls.
        let body = serde_json::to_string(&Envelope { error: &self.detail }).unwrap_or_default();
        let mut response = (self.status, [(CONTENT_TYPE, "application/json")], body).into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
