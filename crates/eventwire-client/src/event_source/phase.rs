//! What an event source does at the moment, and what ends it.

use crate::{
    event_source::{
        clocks::Clocks, connection_error::ConnectionError, connector::Connector, handle::Delay, reader::Reader,
        stopped::Stopped,
    },
    unexpected_body::{ReadEnd, UnexpectedBody},
};
use alloc::boxed::Box;
use core::{
    ops::ControlFlow,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use eventwire::Timer;
use futures_core::Stream;
use http::Response;

/// What an event source does at the moment. What must not move is boxed, so that a phase can be left by value.
pub(super) enum Phase<C: Connector, T: Timer> {
    /// Nothing: the rules are asked next.
    Due,
    /// The delay has begun, and passes whether the source is polled or not.
    Waiting {
        delay: Duration,
        sleep: Pin<Box<T::Sleep>>,
    },
    Connecting(Pin<Box<C::Connect>>),
    /// The response is not an event stream.
    Rejected(UnexpectedBody<C::Body, T::Sleep>),
    Open(Pin<Box<C::Body>>),
    /// The body has ended. The rest in the decoder is returned before the error.
    Ended(ConnectionError<C::Error>),
    Stopped(Stopped<C::Error>),
    /// The caller has taken the report, so this one has no error.
    Reported(Stopped<C::Error>),
}

/// What happens in a phase, besides a chunk.
pub(super) enum News<C: Connector> {
    /// The next attempt is due, after this delay.
    Due(Duration),
    Response(Response<C::Body>),
    /// There is no response.
    NoResponse(C::Error),
    /// Enough of the body of an unexpected response has been read.
    Rejected(ReadEnd),
    BodyFailed(C::Error),
    BodyEnded,
    /// There are no more chunks, but perhaps more items.
    NoChunk,
    TimedOut(ConnectionError<C::Error>),
    Stopped,
}

impl<C: Connector, T: Timer> Phase<C, T> {
    /// Polls what the phase waits for, and the timeouts that apply to it. Continues if the reader has another chunk.
    ///
    /// The chunk goes to the reader at once, because the result is large. It is inlined for the same reason.
    #[inline(always)]
    pub(super) fn poll(
        &mut self,
        context: &mut Context<'_>,
        timer: &T,
        clocks: &mut Clocks<T::Sleep>,
        shared_delay: &Delay,
        reader: &mut Reader,
    ) -> Poll<ControlFlow<News<C>>> {
        Poll::Ready(ControlFlow::Break(match self {
            Phase::Due => News::Due(Duration::ZERO),
            Phase::Waiting { delay, sleep } => {
                if !shared_delay.is_over(context.waker()) {
                    ready!(sleep.as_mut().poll(context));
                }
                shared_delay.end();
                // For the rules, the delay is over in both cases.
                News::Due(*delay)
            }
            Phase::Connecting(response) => match response.as_mut().poll(context) {
                Poll::Ready(Ok(response)) => News::Response(response),
                Poll::Ready(Err(error)) => News::NoResponse(error),
                Poll::Pending => {
                    News::TimedOut(ready!(clocks.poll_silence(context, timer, ConnectionError::ResponseTimeout)))
                }
            },
            Phase::Rejected(body) => match body.poll(context, timer, || clocks.stop_idle()) {
                Poll::Ready(end) => News::Rejected(end),
                Poll::Pending => {
                    ready!(clocks.poll_idle(context, timer));
                    News::Rejected(ReadEnd::TimedOut)
                }
            },
            Phase::Open(body) => {
                if let Some(timeout) = clocks.progress_timeout() {
                    return Poll::Ready(ControlFlow::Break(News::TimedOut(ConnectionError::ProgressTimeout(timeout))));
                }
                match body.as_mut().poll_next(context) {
                    Poll::Ready(Some(Ok(chunk))) => {
                        clocks.stop_idle();
                        reader.set_chunk(chunk.into());
                        return Poll::Ready(ControlFlow::Continue(()));
                    }
                    Poll::Ready(Some(Err(error))) => News::BodyFailed(error.into()),
                    Poll::Ready(None) => News::BodyEnded,
                    Poll::Pending => {
                        News::TimedOut(ready!(clocks.poll_silence(context, timer, ConnectionError::IdleTimeout)))
                    }
                }
            }
            Phase::Ended(_) => News::NoChunk,
            Phase::Stopped(_) | Phase::Reported(_) => News::Stopped,
        }))
    }
}
