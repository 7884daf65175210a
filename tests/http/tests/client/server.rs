//! An HTTP server that follows a script, byte for byte, and records the requests.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    time::{sleep, timeout},
};

/// The steps for one request. After the last step, the connection is closed.
pub(crate) type Answer = &'static [Step];

#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// Sends these bytes and nothing else.
    Send(&'static [u8]),
    /// Sends these bytes one at a time.
    Drip(&'static [u8]),
    /// Waits for this many milliseconds.
    Pause(u64),
    /// Resets the connection; bytes that the client has not read yet are lost.
    Reset,
    /// Sends nothing more until the client has closed the connection.
    Hang,
}

/// A response that ends with the connection: its status, its headers, and its body.
macro_rules! answer {
    ($head:literal) => {
        answer!($head, "")
    };
    ($head:literal, $body:literal) => {
        $crate::server::Step::Send(concat!("HTTP/1.1 ", $head, "\r\nConnection: close\r\n\r\n", $body).as_bytes())
    };
}
#[allow(unused_imports, reason = "other tests use it")]
pub(crate) use answer;

/// An event stream that ends with the connection.
macro_rules! stream {
    ($body:literal) => {
        $crate::server::answer!("200 OK\r\nContent-Type: text/event-stream", $body)
    };
}
pub(crate) use stream;

/// The answer to requests beyond the script, which tells the client to stop.
const NO_CONTENT: Answer = &[Step::Send(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")];
/// How long a connection may be open without a request.
const UNUSED: Duration = Duration::from_secs(1);
/// A page from which a browser can request the events.
const PAGE: Answer =
    &[Step::Send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<!doctype html>")];

pub(crate) struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// Up to the empty line. Bytes that are not UTF-8 are replaced.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Server {
    /// Serves on the loopback interface while the runtime exists.
    pub(crate) async fn start(script: &'static [Answer]) -> Server {
        Server::start_on(TcpListener::bind(("127.0.0.1", 0)).await.unwrap(), script)
    }

    pub(crate) fn start_on(listener: TcpListener, script: &'static [Answer]) -> Server {
        let server = Server { address: listener.local_addr().unwrap(), requests: Arc::default() };
        let requests = Arc::clone(&server.requests);
        tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                // A client may close a connection at any time, so errors are ignored.
                tokio::spawn(serve(client, script, Arc::clone(&requests)));
            }
        });
        server
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/events", self.address)
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Request {
    pub(crate) fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap()
    }

    /// Returns the value of a header, without the white space around it.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.all(name).first().copied()
    }

    /// Returns the values of all headers with this name.
    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        let lines = self.head.split("\r\n").skip(1);
        lines
            .filter_map(|line| line.split_once(':'))
            .filter(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim_matches([' ', '\t']))
            .collect()
    }
}

async fn serve(
    client: TcpStream,
    script: &'static [Answer],
    requests: Arc<Mutex<Vec<Request>>>,
) -> std::io::Result<()> {
    client.set_nodelay(true)?;
    let mut client = BufReader::new(client);
    // Browsers open connections in advance. If a request on one of these fails, they send it again without notice.
    // After the unused connections are closed, each request has a separate connection.
    if timeout(UNUSED, client.fill_buf()).await.is_err() {
        return Ok(());
    }
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if client.read_until(b'\n', &mut head).await? == 0 {
            return Ok(());
        }
    }
    let mut request = Request { head: String::from_utf8_lossy(&head).into_owned(), body: Vec::new() };
    let length = request.header("content-length").map_or(0, |length| length.parse().unwrap());
    request.body.resize(length, 0);
    client.read_exact(&mut request.body).await?;
    let answer = match request.path() {
        "/" | "/favicon.ico" => PAGE,
        _ => {
            let mut requests = requests.lock().unwrap();
            requests.push(request);
            script.get(requests.len() - 1).copied().unwrap_or(NO_CONTENT)
        }
    };
    play(client.into_inner(), answer).await
}

async fn play(mut client: TcpStream, answer: Answer) -> std::io::Result<()> {
    for step in answer {
        match step {
            Step::Send(bytes) => client.write_all(bytes).await?,
            Step::Drip(bytes) => {
                for byte in *bytes {
                    client.write_all(&[*byte]).await?;
                    sleep(Duration::from_millis(1)).await;
                }
            }
            Step::Pause(milliseconds) => sleep(Duration::from_millis(*milliseconds)).await,
            Step::Reset => return client.set_zero_linger(),
            Step::Hang => {
                client.read_u8().await?;
            }
        }
    }
    client.shutdown().await?;
    // Closing a connection with unread bytes would reset it.
    client.read_to_end(&mut Vec::new()).await?;
    Ok(())
}
