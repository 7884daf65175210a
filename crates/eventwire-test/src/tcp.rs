//! A connection over TCP. The engine writes each chunk itself, because HTTP libraries join what they write.

use std::{io, time::Duration};

use bytes::Bytes;
use http::Request;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{Instant, timeout},
};

use crate::{
    body::Times,
    faults::End,
    request::{BadRequest, RequestReader},
    script::Script,
    wire::{Step, Wire},
};

/// How long a client may take to close a connection after the end.
const LINGER: Duration = Duration::from_secs(5);
/// The head of an answer to a request that cannot be read. What is wrong follows.
const BAD_REQUEST: &str = "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n";

/// What became of a connection.
#[derive(Debug)]
pub struct Served {
    /// `None` if there was none, or it was not HTTP/1.
    pub request: Option<Request<Bytes>>,
    /// How many events of the body were sent.
    pub events: u64,
    /// How many bytes of the body were sent.
    pub bytes: u64,
    /// How it has ended.
    pub how: How,
}

/// How a connection has ended.
#[derive(Debug)]
pub enum How {
    /// As the script says.
    Played(End),
    /// The client closed it before.
    Left,
    /// The request cannot be read.
    BadRequest(BadRequest),
    /// The file of the script cannot be read.
    Failed(io::Error),
}

/// Reads one request, and answers it.
pub async fn serve(mut socket: TcpStream, times: Times, answer: impl FnOnce(&Request<Bytes>) -> Script) -> Served {
    let _ = socket.set_nodelay(true);
    let mut served = Served { request: None, events: 0, bytes: 0, how: How::Left };
    let request = match request(&mut socket).await {
        Ok(Some(request)) => request,
        Ok(None) => return served,
        Err(error) => {
            let _ = socket.write_all(format!("{BAD_REQUEST}{error}\n").as_bytes()).await;
            let _ = socket.shutdown().await;
            has_left(&mut socket, Some(LINGER)).await;
            return Served { how: How::BadRequest(error), ..served };
        }
    };
    let script = answer(&request);
    // It may search a file for the last event ID.
    let wire = tokio::task::spawn_blocking(move || {
        let wire = Wire::new(&script, &request, times);
        (wire, request)
    });
    let Ok((wire, request)) = wire.await else { return served };
    served.request = Some(request);
    let mut wire = match wire {
        Ok(wire) => wire,
        Err(error) => return Served { how: How::Failed(error), ..served },
    };
    served.how = play(&mut wire, socket, times, &mut served).await;
    served
}

/// Reads the request. There is none if the client closes the connection before.
async fn request(socket: &mut TcpStream) -> Result<Option<Request<Bytes>>, BadRequest> {
    let mut reader = RequestReader::default();
    let mut bytes = vec![0; 16 * 1024];
    loop {
        match socket.read(&mut bytes).await {
            Ok(0) | Err(_) => return Ok(None),
            Ok(length) => {
                if let Some(request) = reader.read(&bytes[..length])? {
                    return Ok(Some(request));
                }
            }
        }
    }
}

async fn play(wire: &mut Wire, mut socket: TcpStream, times: Times, served: &mut Served) -> How {
    loop {
        match wire.next() {
            Ok(Step::Send(wait, bytes)) => {
                if !wait.is_zero() && has_left(&mut socket, Some(wait)).await {
                    return How::Left;
                }
                if socket.write_all(&bytes).await.is_err() {
                    return How::Left;
                }
                (served.events, served.bytes) = (wire.sent.events, wire.sent.bytes);
            }
            Ok(Step::End(End::Reset)) => {
                // The system of the client drops what it has not read when the reset arrives.
                has_left(&mut socket, Some(time_to_read(times))).await;
                let _ = socket.set_zero_linger();
                return How::Played(End::Reset);
            }
            Ok(Step::End(End::Stall)) => {
                has_left(&mut socket, None).await;
                return How::Played(End::Stall);
            }
            Ok(Step::End(end)) => {
                if end == End::Close {
                    // Browsers drop what they have not passed on when a body breaks off.
                    has_left(&mut socket, Some(time_to_read(times))).await;
                }
                let _ = socket.shutdown().await;
                // Closing a connection with unread bytes would reset it.
                has_left(&mut socket, Some(LINGER)).await;
                return How::Played(end);
            }
            Err(error) => return How::Failed(error),
        }
    }
}

/// Returns how long a client has for what it got before the connection breaks. A browser needs more, a test is in a
/// hurry.
fn time_to_read(times: Times) -> Duration {
    match times {
        Times::Kept => Duration::from_millis(100),
        Times::Dropped => Duration::from_millis(5),
    }
}

/// Waits for this time, and returns whether the client has closed the connection meanwhile.
async fn has_left(socket: &mut TcpStream, time: Option<Duration>) -> bool {
    let until = time.and_then(|time| Instant::now().checked_add(time));
    let mut ignored = [0; 1024];
    loop {
        let read = socket.read(&mut ignored);
        let read = match until {
            Some(until) => timeout(until.saturating_duration_since(Instant::now()), read).await,
            None => Ok(read.await),
        };
        match read {
            Err(_) => return false,
            Ok(Ok(0) | Err(_)) => return true,
            Ok(Ok(_)) => {}
        }
    }
}
