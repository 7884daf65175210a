//! A connection over TCP. The engine writes each chunk itself, because HTTP libraries join what they write.

use std::{io, time::Duration};

use bytes::Bytes;
use http::Request;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::spawn_blocking,
    time::{Instant, timeout_at},
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
/// How late a chunk may be before the times of those after it are counted from it.
const LATE: Duration = Duration::from_millis(100);

/// What became of a connection.
#[derive(Debug)]
pub struct Served<T> {
    /// The request, and what its answer was returned with. `None` if there was no request that could be read.
    pub answered: Option<(Request<Bytes>, T)>,
    /// How many events of the body were sent.
    pub events: u64,
    /// How many bytes of the body were sent.
    pub bytes: u64,
    /// For how long it was answered.
    pub time: Duration,
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

/// Reads one request, and answers it. The function is called where it may block.
pub async fn serve<T: Send + 'static>(
    mut socket: TcpStream,
    times: Times,
    answer: impl FnOnce(&Request<Bytes>) -> (Script, T) + Send + 'static,
) -> Served<T> {
    let _ = socket.set_nodelay(true);
    let mut served = Served { answered: None, events: 0, bytes: 0, time: Duration::ZERO, how: How::Left };
    let request = match request(&mut socket).await {
        Ok(Some(request)) => request,
        Ok(None) => return served,
        Err(error) => {
            refuse(socket, &error.script()).await;
            return Served { how: How::BadRequest(error), ..served };
        }
    };
    // It may search a file for the last event ID.
    let answered = spawn_blocking(move || {
        let (script, more) = answer(&request);
        (Wire::new(&script, &request, times), (request, more))
    });
    // It has panicked, or the runtime ends.
    let Ok((wire, answered)) = answered.await else { return served };
    served.answered = Some(answered);
    match wire {
        Ok(mut wire) => play(&mut wire, socket, times, &mut served).await,
        Err(error) => served.how = How::Failed(error),
    }
    served
}

/// Reads the request. There is none if the client closes the connection before.
async fn request(socket: &mut TcpStream) -> Result<Option<Request<Bytes>>, BadRequest> {
    let mut reader = RequestReader::default();
    let mut bytes = vec![0; 16 * 1024];
    let mut has_continued = false;
    loop {
        match socket.read(&mut bytes).await {
            Ok(0) | Err(_) => return Ok(None),
            Ok(length) => {
                if let Some(request) = reader.read(&bytes[..length])? {
                    return Ok(Some(request));
                }
                if reader.expects_continue() && !has_continued {
                    has_continued = true;
                    let _ = socket.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await;
                }
            }
        }
    }
}

/// Sends an answer of which nothing is to be told.
async fn refuse(socket: TcpStream, script: &Script) {
    let mut served = Served { answered: None::<(_, ())>, events: 0, bytes: 0, time: Duration::ZERO, how: How::Left };
    if let Ok(mut wire) = Wire::new(script, &Request::default(), Times::Dropped) {
        play(&mut wire, socket, Times::Dropped, &mut served).await;
    }
}

async fn play<T>(wire: &mut Wire, mut socket: TcpStream, times: Times, served: &mut Served<T>) {
    let begun = Instant::now();
    // When the next chunk is due. What a sleep rounds up is not added up.
    let mut due = begun;
    let end = loop {
        served.time = begun.elapsed();
        match wire.next() {
            Ok(Step::Send(wait, bytes)) => {
                if begun.elapsed() > (due - begun).saturating_add(LATE) {
                    due = Instant::now();
                }
                if !wait.is_zero() {
                    let Some(next) = due.checked_add(wait) else {
                        has_left(&mut socket, None).await;
                        return;
                    };
                    due = next;
                    if has_left(&mut socket, Some(due)).await {
                        return;
                    }
                }
                if socket.write_all(&bytes).await.is_err() {
                    return;
                }
                (served.events, served.bytes) = (wire.sent.events, wire.sent.bytes);
            }
            Ok(Step::End(end)) => break end,
            Err(error) => {
                served.how = How::Failed(error);
                return;
            }
        }
    };
    if let End::Close | End::Reset = end {
        // The system of the client drops what it has not read when a reset arrives, and browsers what they have not
        // passed on when a body breaks off.
        has_left(&mut socket, Some(Instant::now() + time_to_read(times))).await;
    }
    if end == End::Stall {
        has_left(&mut socket, None).await;
    }
    served.time = begun.elapsed();
    served.how = How::Played(end);
    if end == End::Reset {
        let _ = socket.set_zero_linger();
    } else {
        let _ = socket.shutdown().await;
        // Closing a connection with unread bytes would reset it.
        has_left(&mut socket, Some(Instant::now() + LINGER)).await;
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

/// Waits until then, and returns whether the client has closed the connection meanwhile.
async fn has_left(socket: &mut TcpStream, until: Option<Instant>) -> bool {
    let mut ignored = [0; 1024];
    loop {
        let read = socket.read(&mut ignored);
        let read = match until {
            Some(until) => timeout_at(until, read).await,
            None => Ok(read.await),
        };
        match read {
            Err(_) => return false,
            Ok(Ok(0) | Err(_)) => return true,
            Ok(Ok(_)) => {}
        }
    }
}
