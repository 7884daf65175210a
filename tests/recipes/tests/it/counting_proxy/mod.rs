//! The recipe for a proxy, as the program `proxy`.

mod answers;
mod ends;
mod limits;
mod requests;

use crate::patiently;
use eventwire_test_support::Process;
use reqwest::{Client, Method, RequestBuilder, Response};

const PROGRAM: &str = env!("CARGO_BIN_EXE_proxy");
const CHAT: &str = "/v1/chat/completions";

/// A running proxy, and a client for it.
struct Proxied {
    url: String,
    client: Client,
    process: Option<Process>,
}

impl Proxied {
    fn before(upstream: &str) -> Proxied {
        let mut process = Process::start(PROGRAM, &[upstream, "127.0.0.1:0"], &[]);
        let line = process.line();
        let url = line.strip_prefix("listening on ").expect(&line).trim_end().to_owned();
        let client = Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        Proxied { url, client, process: Some(process) }
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.url))
    }

    async fn get(&self, path: &str) -> Response {
        send(self.request(Method::GET, path)).await
    }

    /// Returns the next line of the log, without its end.
    async fn logged(&mut self) -> String {
        let mut process = self.process.take().unwrap();
        let read = move || (process.error_line(), process);
        let (line, process) = tokio::task::spawn_blocking(read).await.unwrap();
        self.process = Some(process);
        line.trim_end_matches('\n').to_owned()
    }
}

async fn send(request: RequestBuilder) -> Response {
    patiently(request.send()).await.unwrap()
}

async fn text(response: Response) -> String {
    patiently(response.text()).await.unwrap()
}

/// Returns an event with this part of an answer.
fn token(text: &str) -> String {
    format!("data: {}\n\n", serde_json::json!({ "choices": [{ "index": 0, "delta": { "content": text } }] }))
}
