//! A running proxy, a client for it, and servers to which it forwards.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc;
use std::thread;

use axum::Router;
use eventwire_test_support::{PATIENCE, serve};
use proxy::{Report, Settings, Upstream};
use reqwest::{Client, Method, RequestBuilder, Response};
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::timeout;

pub(crate) const CHAT: &str = "/v1/chat/completions";

pub(crate) struct Proxied {
    pub(crate) url: String,
    pub(crate) client: Client,
    reports: UnboundedReceiver<Report>,
}

impl Proxied {
    /// Starts a proxy for the server at this URL, which renames its model to `ours`.
    pub(crate) async fn before(upstream: &str) -> Proxied {
        Proxied::with_model(upstream, Some("ours")).await
    }

    pub(crate) async fn with_model(upstream: &str, model: Option<&str>) -> Proxied {
        let socket = TcpSocket::new_v4().unwrap();
        // Connections inherit this from the listener. It limits how much of an answer the kernel stores.
        socket.set_send_buffer_size(64 << 10).unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let listener = socket.listen(64).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let settings = Settings { upstream: Upstream::new(upstream).unwrap(), model: model.map(str::to_owned) };
        let (send, reports) = unbounded_channel();
        let log = move |report: &Report| {
            let _ = send.send(report.clone());
        };
        tokio::spawn(proxy::serve(listener, settings, log));
        let client = Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        Proxied { url, client, reports }
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.url))
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        send(self.request(Method::GET, path)).await
    }

    /// Returns the report of the next stream that ends.
    pub(crate) async fn report(&mut self) -> Report {
        timeout(PATIENCE, self.reports.recv()).await.expect("a report").unwrap()
    }

    pub(crate) fn has_no_report(&mut self) -> bool {
        self.reports.is_empty()
    }
}

pub(crate) async fn send(request: RequestBuilder) -> Response {
    timeout(PATIENCE, request.send()).await.expect("a response").unwrap()
}

pub(crate) async fn text(response: Response) -> String {
    timeout(PATIENCE, response.text()).await.expect("the end").unwrap()
}

/// Serves until the test's runtime ends, and returns the URL.
pub(crate) async fn axum(router: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

/// Starts a server for one request, which answers with these bytes, one write each, and closes the connection. The
/// receiver gets the head of the request.
pub(crate) fn answers(writes: Vec<Vec<u8>>) -> (String, mpsc::Receiver<String>) {
    let (head_to, head_of) = mpsc::channel();
    let url = serve(move |head, mut client| {
        let _ = head_to.send(head);
        client.set_nodelay(true).unwrap();
        for bytes in writes {
            client.write_all(&bytes).unwrap();
        }
        close(client);
    });
    (url.strip_suffix("/events").unwrap().to_owned(), head_of)
}

/// Closing the connection with unread data would reset it, and the answer might be lost.
fn close(mut client: TcpStream) {
    // The proxy may have closed the connection before.
    let _ = client.shutdown(Shutdown::Write);
    thread::spawn(move || client.read_to_end(&mut Vec::new()));
}

/// Returns the head of an answer that is an event stream, and its body in one chunk of HTTP.
pub(crate) fn whole(body: &str) -> Vec<Vec<u8>> {
    chunked([body.as_bytes()]).chain([b"0\r\n\r\n".to_vec()]).collect()
}

/// The same in several chunks, without the last one, which ends the body.
pub(crate) fn chunked<'a>(body: impl IntoIterator<Item = &'a [u8]> + 'a) -> impl Iterator<Item = Vec<u8>> {
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunks = body.into_iter().map(|bytes| [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat());
    [head.to_vec()].into_iter().chain(chunks)
}

/// Returns an event with this part of an answer.
pub(crate) fn token(text: &str) -> String {
    let payload = serde_json::json!({ "choices": [{ "index": 0, "delta": { "content": text } }], "model": "small-2" });
    format!("data: {payload}\n\n")
}
