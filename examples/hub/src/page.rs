//! The page.

use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{Html, IntoResponse};

/// `GET /`
pub(crate) async fn page() -> impl IntoResponse {
    ([(CONTENT_SECURITY_POLICY, POLICY)], Html(include_str!("../site/index.html")))
}

/// `GET /wire.js`: the drawer that lists the page's requests. The page of `examples/page` has the same.
pub(crate) async fn wire_script() -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/javascript")], include_str!("../../page/site/wire.js"))
}

/// `GET /wire.css`
pub(crate) async fn wire_style() -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/css; charset=utf-8")], include_str!("../../page/site/wire.css"))
}

/// The page can send what it knows only to this server.
const POLICY: &str = "default-src 'none'; connect-src 'self'; img-src data:; script-src 'self' 'unsafe-inline'; \
    style-src 'self' 'unsafe-inline'";
