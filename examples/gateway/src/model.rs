//! The models that there are: one.

use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;

use super::key::Authorized;

/// The name of the one model.
pub(super) const MODEL: &str = "echo";

const LIST: &str = r#"{"object":"list","data":[{"id":"echo","object":"model","created":0,"owned_by":"eventwire"}]}"#;

pub(super) async fn list(_: Authorized) -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/json")], LIST)
}
