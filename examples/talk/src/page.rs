//! `GET /`: the page and the files that it loads.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::api_error::ApiError;
use crate::server::Settings;

/// The commands that build the page.
pub(crate) const COMMANDS: [&str; 2] = ["rustup target add wasm32-unknown-unknown", "examples/browser/build"];

const HTML: &str = "text/html; charset=utf-8";

/// The folder of the page: `index.html`, `style.css`, scripts, and `pkg`, which exists after the page has been built.
///
/// Files are read when they are requested, so that a new build needs no restart. Other files in the folder are not
/// served.
#[derive(Clone, Debug)]
pub struct Page {
    folder: PathBuf,
}

/// A file of the page.
#[derive(Clone, Copy)]
struct File {
    path: &'static str,
    content_type: &'static str,
}

const INDEX: File = File { path: "index.html", content_type: HTML };
const STYLE: File = File { path: "style.css", content_type: "text/css; charset=utf-8" };
const SCRIPT: File = script("pkg/page.js");
const WASM: File = File { path: "pkg/page_bg.wasm", content_type: "application/wasm" };

/// The files that the page loads. Each is served at its path.
const LOADED: [File; 11] = [
    STYLE,
    SCRIPT,
    WASM,
    script("view.js"),
    script("view/ask-form.js"),
    script("view/chat.js"),
    script("view/dom.js"),
    script("view/live.js"),
    script("view/player.js"),
    script("view/stage.js"),
    script("view/talk.js"),
];

const fn script(path: &'static str) -> File {
    File { path, content_type: "text/javascript" }
}

impl Page {
    /// Returns the page in this folder.
    pub fn new(folder: impl Into<PathBuf>) -> Page {
        Page { folder: folder.into() }
    }

    /// Returns whether the files that `examples/browser/build` creates exist.
    pub async fn is_built(&self) -> bool {
        self.has(SCRIPT).await && self.has(WASM).await
    }

    async fn has(&self, file: File) -> bool {
        tokio::fs::metadata(self.folder.join(file.path)).await.is_ok_and(|metadata| metadata.is_file())
    }

    async fn read(&self, file: File) -> Result<Response, ApiError> {
        let path = file.path;
        match tokio::fs::read(self.folder.join(path)).await {
            Ok(bytes) => Ok(respond(StatusCode::OK, file.content_type, bytes)),
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let message = format!("The page's file {path} cannot be read: {error}.");
                Err(ApiError::missing_file(StatusCode::INTERNAL_SERVER_ERROR, "unreadable_file", message))
            }
            Err(_) if path.starts_with("pkg/") => {
                let [target, build] = COMMANDS;
                let message = format!("The page is not built yet; run `{target}` and `{build}`.");
                Err(ApiError::missing_file(StatusCode::SERVICE_UNAVAILABLE, "page_not_built", message))
            }
            Err(_) => {
                let message = format!("The page has no file {path}; check the folder that --page names.");
                Err(ApiError::missing_file(StatusCode::NOT_FOUND, "missing_file", message))
            }
        }
    }
}

/// Returns the page in the folder `examples/browser` of this repository.
impl Default for Page {
    fn default() -> Page {
        let talk = Path::new(env!("CARGO_MANIFEST_DIR"));
        Page::new(talk.with_file_name("browser"))
    }
}

pub(crate) fn routes() -> Router<Arc<Settings>> {
    let mut router = Router::new().route("/", get(index));
    for file in LOADED {
        let read = move |State(settings): State<Arc<Settings>>| async move { settings.page.read(file).await };
        router = router.route(&format!("/{}", file.path), get(read));
    }
    router
}

async fn index(State(settings): State<Arc<Settings>>) -> Result<Response, ApiError> {
    if settings.page.is_built().await {
        return settings.page.read(INDEX).await;
    }
    Ok(respond(StatusCode::SERVICE_UNAVAILABLE, HTML, not_built().into_bytes()))
}

fn respond(status: StatusCode, content_type: &'static str, body: Vec<u8>) -> Response {
    // Browsers revalidate each time, so they get the latest build.
    (status, [(CONTENT_TYPE, content_type), (CACHE_CONTROL, "no-cache")], body).into_response()
}

/// Returns a page that explains how to build the real one.
fn not_built() -> String {
    let [target, build] = COMMANDS;
    format!(
        "<!DOCTYPE html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"color-scheme\" content=\"light dark\">
<title>The page is not built yet</title>
<link rel=\"stylesheet\" href=\"/style.css\">
</head>
<body>
<main>
<h1>The page is not built yet</h1>
<p>It is Rust, compiled to WebAssembly. Two commands build it, from the root of the repository:</p>
<pre><code>{target}
{build}</code></pre>
<p>Then <a href=\"/\">load this page again</a>. You do not need to restart the server.</p>
</main>
</body>
</html>
"
    )
}
