//! `GET /v1/models`: a list with one model.

use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;

use crate::request::Authorized;

const LIST: &str = r#"{"object":"list","data":[{"id":"echo","object":"model","created":0,"owned_by":"eventwire"}]}"#;

pub(crate) async fn list(_: Authorized) -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/json")], LIST)
}
