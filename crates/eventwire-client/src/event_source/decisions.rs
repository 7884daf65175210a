//! The methods of an event source that set its decisions.

use super::{ConnectionError, Connector, Decide, EventSource};
use crate::{ResponseHead, Verdict};
use alloc::string::String;
use core::time::Duration;
use eventwire::{Event, Timer};

impl<C: Connector, T: Timer, D: Decide<C::Error>> EventSource<C, T, D> {
    /// Sets all decisions: a type that implements [`Decide`].
    ///
    /// It replaces all earlier decisions, so call it before the methods that set a single one.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::Event;
    /// use eventwire_client::{Decide, EventSource, Item, StopReason, connector_fn};
    /// use futures_util::{StreamExt, stream};
    /// # use std::{convert::Infallible, future, time::Duration};
    /// # let timer = |_: Duration| future::ready(());
    /// # let connector = connector_fn(|_| async move {
    /// #     let response = http::Response::builder().header("content-type", "text/event-stream");
    /// #     let body = stream::iter([Ok::<_, Infallible>("data: 1\n\ndata: 2\n\ndata: 3\n\n")]);
    /// #     Ok::<_, Infallible>(response.body(body).unwrap())
    /// # });
    ///
    /// /// Ends the stream after this number of events.
    /// struct AtMost(u32);
    ///
    /// impl<E> Decide<E> for AtMost {
    ///     fn is_end(&mut self, _: &Event) -> bool {
    ///         self.0 -= 1;
    ///         self.0 == 0
    ///     }
    /// }
    ///
    /// let mut source = EventSource::with_connector(connector, timer).with_decisions(AtMost(2));
    /// let mut events = 0;
    /// while let Some(item) = source.next().await {
    ///     events += usize::from(matches!(item, Item::Event(_)));
    /// }
    /// assert_eq!((events, source.stopped().unwrap().reason()), (2, StopReason::Finished));
    /// # }).unwrap();
    /// ```
    pub fn with_decisions<N: Decide<C::Error>>(self, decisions: N) -> EventSource<C, T, N> {
        self.map_decisions(|_| decisions)
    }

    /// Sets a function that decides what the head of a response means: read the events, retry, or stop. See
    /// [`Decide::verdict`], and [`Verdict`] for an example.
    ///
    /// A second call replaces the function.
    pub fn with_verdict(
        self,
        mut verdict: impl FnMut(&ResponseHead<'_>) -> Verdict,
    ) -> EventSource<C, T, impl Decide<C::Error>> {
        self.map_decisions(|decisions| Overridden {
            decisions,
            verdict: move |_: &mut D, head: &ResponseHead<'_>| verdict(head),
            error_verdict: D::error_verdict,
            delay: D::delay,
            is_end: D::is_end,
            expects_end: false,
        })
    }

    /// Sets a function that decides what an error of the connector means. If it returns `None`, the error keeps its
    /// default meaning. See [`Decide::error_verdict`].
    ///
    /// If it is set several times, the last function is called first. If it returns `None`, the one before it is
    /// called.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire_client::{EventSource, StopReason, Verdict, connector_fn};
    /// use futures_util::{StreamExt, stream};
    /// # use http::Response;
    /// # use std::{convert::Infallible, future, time::Duration};
    /// # let timer = |_: Duration| future::ready(());
    ///
    /// #[derive(Debug, PartialEq)]
    /// enum Failure { LoggedOut, Unreachable }
    ///
    /// let connector = connector_fn(async |_| {
    ///     Err::<Response<stream::Empty<Result<String, Infallible>>>, _>(Failure::LoggedOut)
    /// });
    /// # impl From<Infallible> for Failure { fn from(never: Infallible) -> Failure { match never {} } }
    /// let mut source = EventSource::with_connector(connector, timer)
    ///     .with_error_verdict(|error| (*error == Failure::LoggedOut).then_some(Verdict::Fail));
    /// assert!(source.next().await.is_none()); // without the verdict, it would retry
    /// assert_eq!(source.into_stopped().reason(), StopReason::Permanent);
    /// # let _ = Failure::Unreachable;
    /// # }).unwrap();
    /// ```
    pub fn with_error_verdict(
        self,
        mut verdict: impl FnMut(&C::Error) -> Option<Verdict>,
    ) -> EventSource<C, T, impl Decide<C::Error>> {
        self.map_decisions(|decisions| Overridden {
            decisions,
            verdict: D::verdict,
            error_verdict: move |before: &mut D, error: &C::Error| {
                verdict(error).or_else(|| before.error_verdict(error))
            },
            delay: D::delay,
            is_end: D::is_end,
            expects_end: false,
        })
    }

    /// Sets a function that returns the delay before the next attempt. See [`Decide::delay`].
    ///
    /// The function gets the delay of the policy, the number of the next attempt, and why the last connection could
    /// not be made or ended. It is called once before each retry. A program that reads only
    /// [`events`](EventSource::events) gets no items for retries, but can log them here. If `with_delay` is called
    /// several times, each function gets the delay that the one before it returned.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire_client::{EventSource, Item, connector_fn};
    /// use futures_util::{StreamExt, stream};
    /// # use std::{convert::Infallible, future, time::Duration};
    /// # let timer = |_: Duration| future::ready(());
    /// # let connector = connector_fn(|_| async {
    /// #     let response = http::Response::builder().status(503);
    /// #     Ok::<_, Infallible>(response.body(stream::empty::<Result<&'static str, Infallible>>()).unwrap())
    /// # });
    ///
    /// // The server answers 503.
    /// let mut source = EventSource::with_connector(connector, timer).with_delay(|delay, attempt, error| {
    ///     println!("{error}; attempt {attempt} follows");
    ///     delay.min(Duration::from_secs(1))
    /// });
    /// let item = source.next().await;
    /// assert!(matches!(item, Some(Item::Reconnecting { delay, .. }) if delay <= Duration::from_secs(1)));
    /// # }).unwrap();
    /// ```
    pub fn with_delay(
        self,
        mut delay: impl FnMut(Duration, u32, &ConnectionError<C::Error>) -> Duration,
    ) -> EventSource<C, T, impl Decide<C::Error>> {
        self.map_decisions(|decisions| Overridden {
            decisions,
            verdict: D::verdict,
            error_verdict: D::error_verdict,
            delay: move |before: &mut D, of_policy, attempt, error: &ConnectionError<C::Error>| {
                delay(before.delay(of_policy, attempt, error), attempt, error)
            },
            is_end: D::is_end,
            expects_end: false,
        })
    }

    /// Sets which event is the last one of the stream. See [`Decide::is_end`].
    ///
    /// After that event the source stops, with [`StopReason::Finished`](crate::StopReason::Finished). If the
    /// body ends before that event, the connection counts as lost: [`ConnectionError::EndedEarly`]. A second call
    /// replaces the function.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire_client::{EventSource, Resend, connector_fn};
    /// use futures_util::{StreamExt, stream};
    /// # use std::{convert::Infallible, future, time::Duration};
    /// # let timer = |_: Duration| future::ready(());
    /// # let connector = connector_fn(|_| async move {
    /// #     let response = http::Response::builder().header("content-type", "text/event-stream");
    /// #     Ok::<_, Infallible>(response.body(stream::iter([Ok::<_, Infallible>("data: Hel\n\n")])).unwrap())
    /// # }).with_resend(Resend::UnlessSent);
    ///
    /// // The response to a POST: it ends after one event, before the event `[DONE]`.
    /// let mut source = EventSource::with_connector(connector, timer).with_end(|event| event.data() == "[DONE]");
    /// while source.next().await.is_some() {}
    /// assert!(source.into_result().is_err());
    /// # }).unwrap();
    /// ```
    pub fn with_end(self, mut is_end: impl FnMut(&Event) -> bool) -> EventSource<C, T, impl Decide<C::Error>> {
        self.map_decisions(|decisions| Overridden {
            decisions,
            verdict: D::verdict,
            error_verdict: D::error_verdict,
            delay: D::delay,
            is_end: move |_: &mut D, event: &Event| is_end(event),
            expects_end: true,
        })
    }

    fn map_decisions<N>(self, map: impl FnOnce(D) -> N) -> EventSource<C, T, N> {
        EventSource {
            connector: self.connector,
            timer: self.timer,
            decisions: map(self.decisions),
            reconnect: self.reconnect,
            decoder: self.decoder,
            contents: self.contents,
            chunk: self.chunk,
            cursor: self.cursor,
            request: self.request,
            refusal_timeout: self.refusal_timeout,
            max_refusal_body: self.max_refusal_body,
            clocks: self.clocks,
            delay: self.delay,
            is_after_timeout: self.is_after_timeout,
            waited: self.waited,
            link: self.link,
        }
    }
}

/// The decisions of `D`, with functions in place of four of them. A function gets the decisions before it.
struct Overridden<D, V, F, L, N> {
    decisions: D,
    verdict: V,
    error_verdict: F,
    delay: L,
    is_end: N,
    /// Whether an end is expected even if the decisions before it do not expect one.
    expects_end: bool,
}

impl<E, D, V, F, L, N> Decide<E> for Overridden<D, V, F, L, N>
where
    D: Decide<E>,
    V: FnMut(&mut D, &ResponseHead<'_>) -> Verdict,
    F: FnMut(&mut D, &E) -> Option<Verdict>,
    L: FnMut(&mut D, Duration, u32, &ConnectionError<E>) -> Duration,
    N: FnMut(&mut D, &Event) -> bool,
{
    fn verdict(&mut self, head: &ResponseHead<'_>) -> Verdict {
        (self.verdict)(&mut self.decisions, head)
    }

    fn error_verdict(&mut self, error: &E) -> Option<Verdict> {
        (self.error_verdict)(&mut self.decisions, error)
    }

    fn delay(&mut self, delay: Duration, attempt: u32, error: &ConnectionError<E>) -> Duration {
        (self.delay)(&mut self.decisions, delay, attempt, error)
    }

    fn is_progress(&mut self, event: &Event) -> bool {
        self.decisions.is_progress(event)
    }

    fn cursor(&mut self, event: &Event) -> Option<String> {
        self.decisions.cursor(event)
    }

    fn is_end(&mut self, event: &Event) -> bool {
        (self.is_end)(&mut self.decisions, event)
    }

    fn expects_end(&self) -> bool {
        self.expects_end || self.decisions.expects_end()
    }
}
