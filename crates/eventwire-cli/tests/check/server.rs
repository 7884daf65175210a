//! A server whose responses a test writes, with a thread for each connection.

use std::io::{self, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use eventwire_test_support::head;

pub(crate) struct Server {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

/// The head and the body of a request.
#[derive(Clone, Debug)]
pub(crate) struct Request(String);

/// A response that is being written. An error means that the client has left.
pub(crate) struct Answer(TcpStream);

impl Server {
    pub(crate) fn start(answer: impl Fn(&Request, Answer) -> io::Result<()> + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}/events", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (answer, seen) = (Arc::new(answer), Arc::clone(&requests));
        thread::spawn(move || {
            for client in listener.incoming() {
                let (answer, seen) = (Arc::clone(&answer), Arc::clone(&seen));
                thread::spawn(move || {
                    let client = client.unwrap();
                    let mut reader = BufReader::new(&client);
                    let mut request = Request(head(&mut reader));
                    let length = request.header("content-length").map_or(0, |length| length.parse().unwrap());
                    reader.take(length).read_to_string(&mut request.0).unwrap();
                    seen.lock().unwrap().push(request.clone());
                    let _ = answer(&request, Answer(client));
                });
            }
        });
        Server { url, requests }
    }

    /// Returns the requests so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Request {
    /// Returns everything that was sent.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    pub(crate) fn path(&self) -> &str {
        self.0.split(' ').nth(1).unwrap()
    }

    pub(crate) fn method(&self) -> &str {
        self.0.split(' ').next().unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.0.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }

    /// Returns the number after which a client continues.
    pub(crate) fn last_id(&self) -> u64 {
        self.header("last-event-id").and_then(|id| id.parse().ok()).unwrap_or(0)
    }
}

impl Answer {
    /// Writes this text as it is.
    pub(crate) fn raw(&mut self, text: &str) -> io::Result<()> {
        self.0.write_all(text.as_bytes())
    }

    /// Writes the head of a right response, with further headers.
    pub(crate) fn head(&mut self, headers: &str) -> io::Result<()> {
        let content_type = if headers.contains("Content-Type") { "" } else { "Content-Type: text/event-stream\r\n" };
        let cache = if headers.contains("Cache-Control") { "" } else { "Cache-Control: no-cache\r\n" };
        self.raw(&format!(
            "HTTP/1.1 200 OK\r\n{content_type}{cache}{headers}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
        ))
    }

    /// Writes a chunk of the body.
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        let bytes = bytes.as_ref();
        self.0.write_all(&[format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat())
    }

    /// Sends nothing for longer than any check lasts.
    pub(crate) fn fall_silent(&mut self) -> io::Result<()> {
        thread::sleep(Duration::from_secs(100));
        Ok(())
    }

    /// Ends the body.
    pub(crate) fn end(&mut self) -> io::Result<()> {
        self.raw("0\r\n\r\n")
    }
}
