//! `GET /` and the files that the page loads.

use std::io;
use std::path::Path;
use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use crate::api_error::ApiError;
use crate::server::Settings;

/// What to do if a file in `pkg` is missing.
pub(crate) const NOT_BUILT: &str =
    "the page is not built yet; run `rustup target add wasm32-unknown-unknown` and `examples/page/wasm/build`";

/// Returns whether the files that `examples/page/wasm/build` creates exist.
pub(crate) async fn is_built(site: &Path) -> bool {
    tokio::fs::metadata(site.join("pkg/page_bg.wasm")).await.is_ok()
}

/// Returns the file at this path. It is read for each request, so that a new build needs no restart.
pub(crate) async fn file(State(settings): State<Arc<Settings>>, uri: Uri) -> Result<Response, ApiError> {
    let path = match uri.path() {
        // The message is better than a page that never starts.
        "/" if !is_built(&settings.site).await => return Err(ApiError::missing_file(NOT_BUILT)),
        "/" => "index.html",
        path => path.trim_start_matches('/'),
    };
    let content_type = content_type(path).ok_or_else(|| ApiError::unknown_path(uri.path()))?;
    match tokio::fs::read(settings.site.join(path)).await {
        // Browsers revalidate each time, so they get the latest build.
        Ok(bytes) => Ok(([(CONTENT_TYPE, content_type), (CACHE_CONTROL, "no-cache")], bytes).into_response()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(ApiError::missing_file(&format!("the file {path} cannot be read: {error}")))
        }
        Err(_) if path.starts_with("pkg/") => Err(ApiError::missing_file(NOT_BUILT)),
        Err(_) => Err(ApiError::unknown_path(uri.path())),
    }
}

/// Returns the type of a file of the page. Other files, and paths that lead out of the folder, have none.
fn content_type(path: &str) -> Option<&'static str> {
    let (name, extension) = path.rsplit_once('.')?;
    if !name.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'_' | b'/')) {
        return None;
    }
    match extension {
        "html" => Some("text/html; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "js" => Some("text/javascript"),
        "wasm" => Some("application/wasm"),
        _ => None,
    }
}
