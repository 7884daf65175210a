//! The API's errors.

use axum::Json;
use axum::http::StatusCode;
use axum::http::header::{HeaderValue, WWW_AUTHENTICATE};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::known_hosts::ForeignRequest;

/// An error response: a status, and an object with four fields, as OpenAI's packages expect it.
#[derive(Debug)]
pub(crate) struct ApiError {
    status: StatusCode,
    code: &'static str,
    message: String,
    /// The path of the parameter, such as `messages[0].content`.
    param: Option<String>,
}

impl ApiError {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> ApiError {
        ApiError { status, code, message: message.into(), param: None }
    }

    pub(crate) fn missing(param: &str) -> ApiError {
        let message = format!("`{param}` is missing.");
        ApiError::new(StatusCode::BAD_REQUEST, "missing_required_parameter", message).at(param)
    }

    pub(crate) fn not_json(error: &serde_json::Error) -> ApiError {
        let message = format!("The body of the request is not a JSON object: {error}.");
        ApiError::new(StatusCode::BAD_REQUEST, "invalid_json", message)
    }

    /// Returns the error for a parameter whose type or value is wrong.
    pub(crate) fn invalid(param: &str, why: &str) -> ApiError {
        let message = format!("`{param}` is invalid: {why}.");
        ApiError::new(StatusCode::BAD_REQUEST, "invalid_value", message).at(param)
    }

    /// Sets the parameter.
    pub(crate) fn at(self, param: &str) -> ApiError {
        ApiError { param: Some(param.into()), ..self }
    }
}

impl From<ForeignRequest> for ApiError {
    fn from(error: ForeignRequest) -> ApiError {
        let hint = if let ForeignRequest::UnknownHost(_) = error { "; the option --host allows it" } else { "" };
        ApiError::new(error.status(), error.code(), format!("The request is refused: {error}{hint}."))
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let ApiError { status, code, message, param } = self;
        let error = json!({ "message": message, "type": "invalid_request_error", "param": param, "code": code });
        let mut response = (status, Json(json!({ "error": error }))).into_response();
        if status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
