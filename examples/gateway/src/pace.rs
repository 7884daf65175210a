//! The pause between tokens.

use std::ops::RangeInclusive;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::BoxError;
use axum::body::Body;
use axum::response::Response;
use eventwire::{Event, EventBody, TokioTimer};
use futures_util::Stream;
use pin_project_lite::pin_project;
use tokio::time::{Sleep, sleep};

use crate::server::Service;

/// Events that are made on demand. Some of them are tokens.
pub(crate) trait Tokens: Iterator {
    /// Returns whether the last event and the next one are tokens.
    fn is_between_tokens(&self) -> bool;
}

/// The interval of keep-alives. Proxies close a silent connection after about a minute, and a pause may be longer.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The reconnection times that clients get when the server shuts down. They differ, so that the clients do not all
/// reconnect at once.
const COME_BACK: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_secs(5);

/// Returns a response that streams these events until the server shuts down, with a pause between two tokens.
pub(crate) fn respond<T, E>(tokens: T, service: &Service) -> Response
where
    T: Tokens<Item = Result<Event, E>> + Send + 'static,
    E: Into<BoxError> + 'static,
{
    let events = Paced { tokens, delay: service.settings.delay, pause: None };
    let body = EventBody::new(events).until(service.shutdown()).with_last_retry(COME_BACK);
    body.with_keep_alive(KEEP_ALIVE, TokioTimer).response().map(Body::new)
}

pin_project! {
    /// A stream of an iterator's items, with a pause between two tokens.
    struct Paced<T> {
        tokens: T,
        delay: Duration,
        // `Some` during a pause.
        #[pin]
        pause: Option<Sleep>,
    }
}

impl<T: Tokens> Stream for Paced<T> {
    type Item = T::Item;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T::Item>> {
        let mut this = self.project();
        if this.pause.is_none() && !this.delay.is_zero() && this.tokens.is_between_tokens() {
            this.pause.set(Some(sleep(*this.delay)));
        }
        if let Some(pause) = this.pause.as_mut().as_pin_mut() {
            ready!(pause.poll(context));
            this.pause.set(None);
        }
        Poll::Ready(this.tokens.next())
    }
}
