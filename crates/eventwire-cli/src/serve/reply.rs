//! An answer to a request.

use bytes::Bytes;
use eventwire_test::Script;
use http::Request;
use http::header::ACCESS_CONTROL_REQUEST_HEADERS;

/// An answer, and what is to be said about it in the log.
pub(super) struct Reply {
    pub(super) script: Script,
    pub(super) problem: Option<String>,
}

const METHODS: &str = "GET, HEAD, POST";

impl Reply {
    pub(super) fn foreign_host(host: String) -> Reply {
        let text = "this server answers only to IP addresses, localhost and the host of --listen\n";
        Reply { script: plain(421, text), problem: Some(format!("foreign Host {host:?}")) }
    }

    pub(super) fn no_such_method(has_cors: bool) -> Reply {
        let methods = if has_cors { "GET, HEAD, OPTIONS, POST" } else { METHODS };
        let script = plain(405, &format!("the stream is for {METHODS}\n")).header("allow", methods);
        Reply { script, problem: None }
    }

    /// Answers a browser that asks what a page of another origin may send.
    pub(super) fn preflight(request: &Request<Bytes>) -> Reply {
        let script = Script::status(204).header("access-control-allow-methods", METHODS);
        let wanted = request.headers().get(ACCESS_CONTROL_REQUEST_HEADERS).and_then(|value| value.to_str().ok());
        let script = match wanted {
            Some(wanted) => script.header("access-control-allow-headers", wanted),
            None => script,
        };
        Reply { script, problem: None }
    }

    pub(super) fn not_found(paths: &[String]) -> Reply {
        let text = match paths {
            [] => "there is no such file, and no other\n".to_owned(),
            _ => format!("there is no such file; there are:\n{}\n", paths.join("\n")),
        };
        Reply { script: plain(404, &text), problem: None }
    }

    /// The file cannot be served.
    pub(super) fn failed(error: &anyhow::Error) -> Reply {
        Reply { script: plain(500, &format!("{error:#}\n")), problem: Some(format!("{error:#}")) }
    }

    /// Lets pages of this origin read the answer.
    pub(super) fn allow(&mut self, origin: &str) {
        let Some((_, headers)) = self.script.head_mut() else { return };
        headers.push(("access-control-allow-origin".to_owned(), origin.to_owned()));
        if origin != "*" {
            headers.push(("access-control-allow-credentials".to_owned(), "true".to_owned()));
        }
    }

    pub(super) fn status(&mut self) -> u16 {
        self.script.head_mut().map_or(0, |(status, _)| status)
    }
}

/// Returns an answer with a text.
fn plain(status: u16, text: &str) -> Script {
    let script = Script::status(status).header("content-type", "text/plain; charset=utf-8");
    script.header("content-length", text.len().to_string()).send(text.to_owned())
}
