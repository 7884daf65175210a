//! Keep-alives for a stream of blocks.

use crate::{
    alarm::Alarm,
    event::{Comment, IntoOutgoing, Outgoing},
    timer::Timer,
};
use bytestring::ByteString;
use core::{
    mem,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use futures_core::Stream;
use pin_project_lite::pin_project;

pin_project! {
    /// Adds a comment to a stream of blocks whenever it has been silent for some time.
    ///
    /// [`EventBody::with_keep_alive`](crate::EventBody::with_keep_alive) wraps the stream of a body in this type. A
    /// silent stream needs these comments for three reasons:
    ///
    /// * Proxies and clients close a connection on which nothing happens, often after a minute. So the standard advises
    ///   servers to send a comment [every fifteen seconds or so].
    /// * A client that is gone without having closed its connection, such as a phone without a network, is noticed only
    ///   when something is sent to it. Until then, its stream stays in memory.
    /// * Firefox opens a response when its first byte arrives. Before that, an `EventSource` does not fire `open`, and
    ///   a `fetch` does not resolve. So a page that waits for either before it sends something [waits
    ///   forever][inspector].
    ///
    /// Because of the third, **a stream that has nothing ready when it is first polled begins with an empty comment**,
    /// which is sent at once. The time starts after it, and starts again after each block. A stream that begins with a
    /// block, or ends at once, gets no such comment.
    ///
    /// With a timer that [has a clock](Timer::now), such as `TokioTimer`, even a busy stream creates only two sleeps
    /// in each interval. With any other timer, it creates a sleep each time it becomes silent after a block.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::{Event, KeepAlive};
    /// use futures_util::{StreamExt, stream};
    /// use std::{convert::Infallible, future, time::Duration};
    ///
    /// let events = stream::iter([Event::new("1")]).chain(stream::pending());
    /// let no_time = |_: Duration| future::ready(()); // in a program: `tokio::time::sleep`
    /// let mut blocks = KeepAlive::new(events, Duration::from_secs(15), no_time);
    /// assert_eq!(blocks.next().await.unwrap()?.into_bytes(), "data: 1\n\n");
    /// assert_eq!(blocks.next().await.unwrap()?.into_bytes(), ": keep-alive\n\n");
    /// # Ok::<(), Infallible>(())
    /// # }).unwrap().unwrap();
    /// ```
    ///
    /// [every fifteen seconds or so]: https://html.spec.whatwg.org/multipage/server-sent-events.html#authoring-notes
    /// [inspector]: https://github.com/modelcontextprotocol/inspector/pull/1946
    #[derive(Debug)]
    #[must_use = "a stream does nothing unless it is polled"]
    pub struct KeepAlive<S, T: Timer> {
        #[pin]
        blocks: S,
        interval: Duration,
        timer: T,
        state: State,
        #[pin]
        alarm: Alarm<T::Sleep>,
        filler: Outgoing,
    }
}

/// What the stream has done last.
#[derive(Debug)]
enum State {
    /// It has returned nothing yet.
    New,
    /// It has returned a block, and the alarm was not restarted since.
    Returned,
    /// It is silent, and the alarm runs.
    Silent,
}

impl<S, T: Timer> KeepAlive<S, T> {
    /// Creates a stream of these blocks, with a comment at a silent beginning, and after every `interval` without a
    /// block. Zero means no comments.
    pub fn new(blocks: S, interval: Duration, timer: T) -> KeepAlive<S, T> {
        let filler = Comment::new(ByteString::from_static("keep-alive")).into();
        KeepAlive { blocks, interval, timer, state: State::New, alarm: Alarm::stopped(), filler }
    }

    /// Sets the block to send after each interval: another comment, or an event, such as one of type `ping`.
    ///
    /// By default, it is a comment with the text `keep-alive`. At a silent beginning, an empty comment is sent in any
    /// case, because a client may not expect an event there.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::{Event, KeepAlive};
    /// # use futures_util::{StreamExt, stream};
    /// # use std::{future, time::Duration};
    ///
    /// # let events = stream::pending::<Event>();
    /// # let timer = |_: Duration| future::ready(());
    /// let ping = Event::new("{}").with_event_type("ping")?;
    /// let mut blocks =
    ///     KeepAlive::new(events, Duration::from_secs(15), timer).with_block(ping);
    /// assert_eq!(blocks.next().await.unwrap().unwrap().into_bytes(), ": \n\n");
    /// assert_eq!(
    ///     blocks.next().await.unwrap().unwrap().into_bytes(),
    ///     "event: ping\ndata: {}\n\n"
    /// );
    /// # Ok::<(), eventwire::InvalidField>(())
    /// # }).unwrap().unwrap();
    /// ```
    pub fn with_block(mut self, block: impl Into<Outgoing>) -> KeepAlive<S, T> {
        self.filler = block.into();
        self
    }
}

impl<S, T> Stream for KeepAlive<S, T>
where
    S: Stream<Item: IntoOutgoing>,
    T: Timer,
{
    type Item = Result<Outgoing, <S::Item as IntoOutgoing>::Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        if let Poll::Ready(item) = this.blocks.poll_next(context) {
            *this.state = State::Returned;
            if item.is_none() {
                this.alarm.stop();
            }
            return Poll::Ready(item.map(IntoOutgoing::into_outgoing));
        }
        if this.interval.is_zero() {
            return Poll::Pending;
        }
        ready!(match mem::replace(this.state, State::Silent) {
            State::New => {
                *this.state = State::Returned;
                return Poll::Ready(Some(Ok(Comment::default().into())));
            }
            State::Returned => this.alarm.as_mut().restart(context, this.timer, *this.interval),
            State::Silent => this.alarm.as_mut().poll(context, this.timer, *this.interval),
        });
        *this.state = State::Returned;
        Poll::Ready(Some(Ok(this.filler.clone())))
    }
}
