//! The recipe for a proxy, as the program `proxy`.

mod answers;
mod ends;
mod limits;
mod requests;

use crate::patiently;
use eventwire_test_support::{Process, serve};
use reqwest::{Client, Method, RequestBuilder, Response};
use std::{
    io::{Read, Write},
    net::{Shutdown, TcpStream},
    sync::mpsc,
    thread,
};

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

/// Starts a server for one request, which answers with these bytes, one write each, and closes the connection. The
/// receiver gets the head of the request.
fn answers(writes: Vec<Vec<u8>>) -> (String, mpsc::Receiver<String>) {
    let (head_to, head_of) = mpsc::channel();
    let url = serve(move |head, mut client| {
        let _ = head_to.send(head);
        client.set_nodelay(true).unwrap();
        for bytes in writes {
            client.write_all(&bytes).unwrap();
        }
        close(client);
    });
    (url, head_of)
}

/// Closing the connection with unread data would reset it, and the answer might be lost.
fn close(mut client: TcpStream) {
    // The proxy may have closed the connection before.
    let _ = client.shutdown(Shutdown::Write);
    thread::spawn(move || client.read_to_end(&mut Vec::new()));
}

/// Returns the head of an answer that is an event stream, and its body in one chunk of HTTP.
fn whole(body: &str) -> Vec<Vec<u8>> {
    chunked([body.as_bytes()]).chain([b"0\r\n\r\n".to_vec()]).collect()
}

/// The same in several chunks, without the last one, which ends the body.
fn chunked<'a>(body: impl IntoIterator<Item = &'a [u8]> + 'a) -> impl Iterator<Item = Vec<u8>> {
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunks = body.into_iter().map(|bytes| [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat());
    [head.to_vec()].into_iter().chain(chunks)
}

/// Returns an event with this part of an answer.
fn token(text: &str) -> String {
    format!("data: {}\n\n", serde_json::json!({ "choices": [{ "index": 0, "delta": { "content": text } }] }))
}
