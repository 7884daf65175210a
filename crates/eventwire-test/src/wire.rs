//! The bytes of a response, in HTTP/1.1: its head, and the framing of its body.

use std::{io, io::Write, time::Duration};

use bytes::{Bytes, BytesMut};
use http::{Method, Request, StatusCode, Version};

use crate::{
    body::{Piece, Times},
    faults::End,
    play::{Counter, Playback},
    script::{Head, Script},
};

/// Iterates over what is sent to one client.
#[derive(Debug)]
pub(crate) struct Wire {
    state: State,
    framing: Framing,
    playback: Playback,
    /// What has been sent of the body.
    pub(crate) sent: Counter,
}

#[derive(Debug)]
enum State {
    Head(Bytes),
    Body,
    LastChunk,
    Ended(End),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Framing {
    Chunked,
    /// The body has a length, or ends with the connection.
    Plain,
    /// There is no body.
    None,
}

/// What happens next.
#[derive(Debug)]
pub(crate) enum Step {
    /// These bytes are sent after this time, in one write.
    Send(Duration, Bytes),
    End(End),
}

impl Wire {
    /// Answers a request with a script.
    pub(crate) fn new(script: &Script, request: &Request<Bytes>, times: Times) -> io::Result<Wire> {
        let last_id = request.headers().get("last-event-id").map(|id| String::from_utf8_lossy(id.as_bytes()));
        let playback = Playback::new(&script.body, &script.faults, last_id.as_deref(), times)?;
        let (head, framing) = match &script.head {
            Head::Raw => (None, Framing::Plain),
            Head::Response { status, headers } => {
                let (head, framing) = head(*status, headers, script, request);
                (Some(head), framing)
            }
        };
        Ok(Wire { state: head.map_or(State::Body, State::Head), framing, playback, sent: Counter::default() })
    }

    pub(crate) fn next(&mut self) -> io::Result<Step> {
        loop {
            match &self.state {
                State::Head(head) => {
                    let head = head.clone();
                    self.state = match self.framing {
                        Framing::None => State::Ended(self.playback.end()),
                        Framing::Chunked | Framing::Plain => State::Body,
                    };
                    return Ok(Step::Send(Duration::ZERO, head));
                }
                State::Body => match self.playback.next()? {
                    Some(Piece { wait, bytes }) => {
                        self.sent.count(&bytes, None);
                        return Ok(Step::Send(wait, self.framed(bytes)));
                    }
                    None if self.playback.end() == End::Complete && self.framing == Framing::Chunked => {
                        self.state = State::LastChunk;
                    }
                    None => self.state = State::Ended(self.playback.end()),
                },
                State::LastChunk => {
                    self.state = State::Ended(End::Complete);
                    return Ok(Step::Send(Duration::ZERO, Bytes::from_static(b"0\r\n\r\n")));
                }
                State::Ended(end) => return Ok(Step::End(*end)),
            }
        }
    }

    /// Returns these bytes as a chunk of the transfer coding.
    fn framed(&self, bytes: Bytes) -> Bytes {
        if self.framing != Framing::Chunked || bytes.is_empty() {
            return bytes;
        }
        let size = format!("{:X}\r\n", bytes.len());
        let mut framed = BytesMut::with_capacity(size.len() + bytes.len() + 2);
        framed.extend_from_slice(size.as_bytes());
        framed.extend_from_slice(&bytes);
        framed.extend_from_slice(b"\r\n");
        framed.freeze()
    }
}

/// Returns the head of a response, and how its body is framed.
fn head(status: u16, headers: &[(String, String)], script: &Script, request: &Request<Bytes>) -> (Bytes, Framing) {
    let has = |name: &str| headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name));
    let reason = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason()).unwrap_or("");
    let mut head = format!("HTTP/1.1 {status} {reason}\r\n").into_bytes();
    // A `Vec` takes everything.
    for (name, value) in headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    let framing = if request.method() == Method::HEAD || matches!(status, 100..=199 | 204 | 304) {
        Framing::None
    } else if has("content-length") || has("transfer-encoding") {
        Framing::Plain
    } else if script.body.is_empty() && !has("content-type") {
        head.extend_from_slice(b"content-length: 0\r\n");
        Framing::Plain
    } else if request.version() >= Version::HTTP_11 {
        head.extend_from_slice(b"transfer-encoding: chunked\r\n");
        Framing::Chunked
    } else {
        Framing::Plain
    };
    head.extend_from_slice(b"connection: close\r\n\r\n");
    (head.into(), framing)
}
