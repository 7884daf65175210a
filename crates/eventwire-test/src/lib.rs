//! A server for the tests of Server-Sent Events clients.
//!
//! What breaks a client is rarely a wrong event. It is a connection that is lost inside an event, a character that is
//! split over two chunks, a server that sends an event twice, or a 503 in the middle of the day. A [`TestServer`]
//! sends what a [`Script`] says, chunk by chunk, and ends the connection as the script says.
//!
//! ```sh
//! cargo add --dev eventwire-test
//! ```
//!
//! A test of a client that reconnects, here that of [eventwire-reqwest]; any other works as well:
//!
//! ```
//! use eventwire::Event;
//! use eventwire_reqwest::RequestBuilderExt;
//! use eventwire_test::{Script, TestServer};
//! use std::time::Duration;
//!
//! #[tokio::main(flavor = "current_thread")] // in your test: #[tokio::test]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let soon = Duration::from_millis(1);
//!     let events = [Event::new("a").with_id("1")?.with_retry(soon), Event::new("b").with_id("2")?];
//!     let server = TestServer::new()
//!         .answer(Script::events(events.clone()).cut_after(1))
//!         .answer(Script::status(503).header("retry-after", "0"))
//!         .answer(Script::events(events[1..].to_vec()));
//!
//!     let mut stream = reqwest::Client::new().get(server.url()).eventsource()?.events();
//!     assert_eq!(stream.next().await.unwrap()?.data(), "a");
//!     assert_eq!(stream.next().await.unwrap()?.data(), "b");
//!     assert_eq!(server.requests()[2].headers()["last-event-id"], "1");
//!     Ok(())
//! }
//! ```
//!
//! The server has a thread of its own and a free port, and ends when it is dropped. So tests can run side by side, and
//! need no runtime for it. Each request takes the next answer, whatever its path and its method. (To look at these, use
//! [`answer_with`](TestServer::answer_with).) After the last answer, the server answers 500 with a text that names the
//! request. A client that tries again after a 500 would not end, so let the last answer be `Script::status(204)`.
//!
//! # What breaks
//!
//! | what happens | script |
//! |---|---|
//! | the connection is lost after two events | `Script::events(events).cut_after(2)` |
//! | … inside the third one, after 5 bytes | `.cut_within(2, 5)` |
//! | … and is reset, instead of closed | `.cut_after(2).with_end(End::Reset)` |
//! | nothing more arrives, and the connection stays open | `.cut_after(2).with_end(End::Stall)` |
//! | each byte arrives alone, so every line and character is split | `.chunks_of(1)` |
//! | chunks of any size, which are the same in each run | `.random_chunks(seed)` |
//! | a pause | `.wait(Duration::from_secs(1))` |
//! | an event is sent again after a reconnection | `.with_resume(Resume::Repeat)` |
//! | an event is missing after a reconnection | `.with_resume(Resume::Skip)` |
//! | a connection that is reset before there is an answer | `Script::raw("").with_end(End::Reset)` |
//! | a server that does not answer | `Script::raw("").with_end(End::Stall)` |
//! | a server that is overloaded | `Script::status(503).header("retry-after", "2")` |
//! | an error in the middle of an answer | `.send("data: {\"error\":\"overloaded\"}\n\n")` |
//! | a page of a proxy or a login | `Script::status(200).header("content-type", "text/html").send("<html>")` |
//! | bytes that are not UTF-8 | `.send(&b"data: caf\xE9\n\n"[..])` |
//! | a keep-alive | `.send(":\n\n")` |
//! | the server has nothing more, and tells the client to stop | `Script::status(204)` |
//! | a body that is shorter than its length | `.header("content-length", "1000").cut_after(2)` |
//! | nothing that is HTTP | `Script::raw("hello")` |
//!
//! # What the client asked
//!
//! [`TestServer::requests`] returns each request, with its headers and its body, as an [`http::Request`]. For a request
//! that must not be sent twice, check that there is one:
//!
//! ```
//! # use eventwire_test::{Script, TestServer};
//! # use std::{io::{Read, Write}, net::TcpStream};
//! let server = TestServer::new().answer(Script::new().send("data: \"Hel").cut_within(0, 9));
//! # let mut client = TcpStream::connect(server.address())?;
//! # client.write_all(b"POST /events HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}")?;
//! # client.read_to_end(&mut Vec::new())?;
//! // ... the client sends a POST, and the answer breaks off
//! let requests = server.requests();
//! assert_eq!(requests.len(), 1);
//! assert_eq!((requests[0].method().as_str(), &requests[0].body()[..]), ("POST", &b"{}"[..]));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Recorded streams
//!
//! `eventwire record URL -o FILE`, of the program [eventwire], writes what a real server sends: its chunks, with the
//! time before each. [`Script::read`] reads such a file, or a plain `.sse` file, and `cut_after` and the others break
//! it:
//!
//! ```no_run
//! use eventwire_test::{Script, TestServer};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let scripts = Script::read("tests/chat.jsonl")?;
//! let server = TestServer::new().answers(scripts.into_iter().map(|script| script.cut_after(10)));
//! # Ok(())
//! # }
//! ```
//!
//! # Without waiting
//!
//! A client has timeouts of many seconds. A test with tokio's clock [paused] does not wait for them, but that clock
//! runs ahead of a socket, whose answers take real time. So [`TestServer::connect`] opens a connection in memory, for
//! an HTTP client that takes one. Here it is hyper, for a client that reconnects after a silence of a minute:
//!
//! ```
//! use bytes::Bytes;
//! use eventwire::TokioTimer;
//! use eventwire_client::{EventSource, connector_fn};
//! use eventwire_test::{End, Script, TestServer};
//! use http_body_util::{BodyExt, Empty};
//! use hyper_util::rt::TokioIo;
//! use std::{sync::Arc, time::Duration};
//!
//! #[tokio::main(flavor = "current_thread", start_paused = true)] // or #[tokio::test(..)]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let server = TestServer::new()
//!         .answer(Script::new().send("id: 1\ndata: a\n\n").with_end(End::Stall))
//!         .answer(Script::new().send("id: 2\ndata: b\n\n"));
//!     let server = Arc::new(server);
//!
//!     let shared = Arc::clone(&server);
//!     let connector = connector_fn(move |attempt| {
//!         let connection = shared.connect();
//!         async move {
//!             let (mut client, connection) = hyper::client::conn::http1::handshake(TokioIo::new(connection)).await?;
//!             tokio::spawn(connection);
//!             let mut request = http::Request::new(Empty::<Bytes>::new());
//!             attempt.add_to(request.headers_mut());
//!             Ok::<_, hyper::Error>(client.send_request(request).await?.map(BodyExt::into_data_stream))
//!         }
//!     });
//!     let minute = Duration::from_secs(60);
//!     let mut events = EventSource::with_connector(connector, TokioTimer).with_idle_timeout(minute).events();
//!
//!     let begun = tokio::time::Instant::now();
//!     assert_eq!(events.next().await.unwrap()?.data(), "a");
//!     assert_eq!(events.next().await.unwrap()?.data(), "b");
//!     assert!(begun.elapsed() >= minute); // at once
//!     assert_eq!(server.requests()[1].headers()["last-event-id"], "1");
//!     Ok(())
//! }
//! ```
//!
//! # On the wire
//!
//! The server writes HTTP/1.1 itself. Each chunk of a script is one chunk of the transfer coding and one write to the
//! socket, where HTTP libraries join what they write. Each connection is for one request (`connection: close`). Before
//! the server breaks a connection, it waits for 5 ms, because a reset discards what the client has not read. A client
//! that closes its own direction of a connection is taken for one that has left. TLS and HTTP/2 are not supported.
//!
//! The same engine is behind `eventwire serve FILE`, for pages in a browser and for clients in other languages.
//!
//! [eventwire]: https://crates.io/crates/eventwire-cli
//! [eventwire-reqwest]: https://docs.rs/eventwire-reqwest
//! [paused]: https://docs.rs/tokio/latest/tokio/time/fn.pause.html

mod body;
mod connection;
mod faults;
mod play;
mod recording;
mod request;
mod script;
mod server;
mod tcp;
mod wire;

pub use self::{
    connection::Connection,
    faults::{End, Resume},
    recording::ReadError,
    script::Script,
    server::TestServer,
};

#[doc = include_str!("../docs/recordings.md")]
pub mod recordings {}

/// What the program `eventwire` needs and tests do not.
#[doc(hidden)]
pub mod internal {
    pub use crate::{
        body::Times,
        faults::{Chunking, Faults, Pace, Place, Unexpected},
        recording::Writer,
        request::BadRequest,
        tcp::{How, Served, serve},
    };
}
