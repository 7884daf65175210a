//! A connection in memory.

use std::{
    future::Future,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker, ready},
};

use bytes::Bytes;
use http::Request;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};

use crate::{
    body::Times,
    faults::End,
    request::RequestReader,
    server::Answers,
    wire::{Step, Wire},
};

/// A connection to a [`TestServer`](crate::TestServer) in memory: what is written to it is the request, and what is
/// read is the response.
///
/// It needs no task and no socket. Its pauses are those of tokio's clock.
#[derive(Debug)]
pub struct Connection {
    answers: Arc<Answers>,
    state: State,
    /// Who waits for the response while the request is not complete.
    reader: Option<Waker>,
}

#[derive(Debug)]
enum State {
    Asking(RequestReader),
    Answering { wire: Box<Wire>, sleep: Option<Pin<Box<Sleep>>>, bytes: Bytes },
    Ended(End),
}

impl Connection {
    pub(crate) fn new(answers: Arc<Answers>) -> Connection {
        Connection { answers, state: State::Asking(RequestReader::default()), reader: None }
    }

    /// Goes on to the next state, for which the reader waits.
    fn go(&mut self, state: State) {
        self.state = state;
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        match &mut this.state {
            State::Asking(reader) => {
                let (request, script) = match reader.read(bytes) {
                    Ok(None) => return Poll::Ready(Ok(bytes.len())),
                    Ok(Some(request)) => {
                        let script = this.answers.next(&request);
                        (request, script)
                    }
                    Err(error) => (Request::default(), error.script()),
                };
                let wire = Box::new(Wire::new(&script, &request, Times::Kept)?);
                this.go(State::Answering { wire, sleep: None, bytes: Bytes::new() });
                Poll::Ready(Ok(bytes.len()))
            }
            // A server does not read what follows.
            State::Answering { .. } => Poll::Ready(Ok(bytes.len())),
            State::Ended(_) => Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let State::Asking(_) = self.state {
            self.go(State::Ended(End::Close));
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        loop {
            match &mut this.state {
                State::Asking(_) => {
                    this.reader = Some(context.waker().clone());
                    return Poll::Pending;
                }
                State::Answering { wire, sleep: pause, bytes } => {
                    // A pause that is over stays over.
                    if let Some(pause) = pause {
                        ready!(pause.as_mut().poll(context));
                    }
                    if !bytes.is_empty() {
                        let length = bytes.len().min(buffer.remaining());
                        buffer.put_slice(&bytes.split_to(length));
                        return Poll::Ready(Ok(()));
                    }
                    match wire.next()? {
                        Step::Send(wait, next) => {
                            *bytes = next;
                            *pause = (!wait.is_zero()).then(|| Box::pin(sleep(wait)));
                        }
                        Step::End(end) => this.state = State::Ended(end),
                    }
                }
                State::Ended(End::Complete | End::Close) => return Poll::Ready(Ok(())),
                State::Ended(End::Reset) => return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into())),
                State::Ended(End::Stall) => return Poll::Pending,
            }
        }
    }
}
