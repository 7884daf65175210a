//! The pace at which tokens come.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::BoxError;
use axum::body::Body;
use axum::response::Response;
use eventwire::{Event, SseBody, TokioTimer};
use futures_util::Stream;
use pin_project_lite::pin_project;
use tokio::time::{Sleep, sleep};

/// Events that are made when they are asked for, and that know which of them are tokens.
pub(super) trait Speech: Iterator {
    /// Whether the last one was a token and the next one will be.
    fn is_between_tokens(&self) -> bool;
}

/// Proxies cut connections that are silent for a minute or so, and a pause may be longer than that.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The response that is a stream of these events, with so long a pause between two tokens.
pub(super) fn respond<S, E>(speech: S, delay: Duration) -> Response
where
    S: Speech<Item = Result<Event, E>> + Send + 'static,
    E: Into<BoxError> + 'static,
{
    let events = Paced { speech, delay, pause: None };
    SseBody::new(events).with_keep_alive(KEEP_ALIVE, TokioTimer).into_response().map(Body::new)
}

pin_project! {
    /// A stream of what an iterator gives, with a pause between two tokens.
    struct Paced<S> {
        speech: S,
        delay: Duration,
        // There while it pauses.
        #[pin]
        pause: Option<Sleep>,
    }
}

impl<S: Speech> Stream for Paced<S> {
    type Item = S::Item;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<S::Item>> {
        let mut this = self.project();
        if this.pause.is_none() && !this.delay.is_zero() && this.speech.is_between_tokens() {
            this.pause.set(Some(sleep(*this.delay)));
        }
        if let Some(pause) = this.pause.as_mut().as_pin_mut() {
            ready!(pause.poll(context));
            this.pause.set(None);
        }
        Poll::Ready(this.speech.next())
    }
}
