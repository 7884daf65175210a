//! The page.

use axum::http::header::CONTENT_SECURITY_POLICY;
use axum::response::{Html, IntoResponse};

/// `GET /`
pub(crate) async fn page() -> impl IntoResponse {
    ([(CONTENT_SECURITY_POLICY, POLICY)], Html(include_str!("../site/index.html")))
}

/// The page is one file, and it can send what it knows only to this server.
const POLICY: &str = "default-src 'none'; connect-src 'self'; img-src data:; script-src 'unsafe-inline'; \
    style-src 'unsafe-inline'";
