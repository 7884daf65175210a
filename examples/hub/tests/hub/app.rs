//! A running process and a client for it.

use eventwire_test_support::{PATIENCE, Process};
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::Value;
use tokio::time::timeout;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_hub");

/// It is killed when this is dropped.
pub(crate) struct App {
    pub(crate) process: Process,
    /// Without a slash at the end.
    pub(crate) url: String,
    client: Client,
}

impl App {
    /// Starts the program on a free port.
    pub(crate) fn start(args: &[&str]) -> App {
        App::of(Process::start(PROGRAM, &[&["--listen", "127.0.0.1:0"], args].concat(), &[]))
    }

    /// Waits until a process listens.
    pub(crate) fn of(mut process: Process) -> App {
        let line = process.line();
        let url = line.strip_prefix("listening on ").and_then(|rest| rest.strip_suffix("/\n")).expect(&line).to_owned();
        // The server closes a connection whose request it has refused without reading all of it.
        let client = eventwire_reqwest::client_builder().no_proxy().pool_max_idle_per_host(0);
        App { process, url, client: client.build().unwrap() }
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.url))
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        send(self.request(Method::GET, path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Response {
        send(self.request(Method::POST, path).json(body)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> u16 {
        send(self.request(Method::DELETE, path)).await.status().as_u16()
    }

    /// Stores an event, and returns its ID.
    pub(crate) async fn store(&self, path: &str, body: &Value) -> String {
        id(self.post(path, body).await).await
    }
}

/// The ID in a response that has created something.
pub(crate) async fn id(response: Response) -> String {
    let status = response.status();
    let body = response.text().await.unwrap();
    assert_eq!(status, 201, "{body}");
    let body: Value = serde_json::from_str(&body).unwrap();
    body["id"].as_str().unwrap().to_owned()
}

pub(crate) async fn send(request: RequestBuilder) -> Response {
    timeout(PATIENCE, request.send()).await.expect("a response").unwrap()
}
