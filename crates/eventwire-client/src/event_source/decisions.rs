//! The methods of an event source that set its decisions.

use super::{
    ConnectionError, Connector, Decide, EventSource, WithCursor, WithDelay, WithEnd, WithErrorVerdict, WithProgress,
    WithVerdict,
};
use crate::{ResponseHead, Verdict};
use alloc::string::String;
use core::time::Duration;
use eventwire::{Event, Timer};

impl<C: Connector, T: Timer, D> EventSource<C, T, D> {
    /// Sets all decisions: a type that implements [`Decide`](super::Decide).
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
    /// [`Decide::verdict`](super::Decide::verdict), and [`Verdict`] for an example.
    ///
    /// A second call replaces the function.
    pub fn with_verdict<F>(self, verdict: F) -> EventSource<C, T, WithVerdict<D, F>>
    where
        F: FnMut(&ResponseHead<'_>) -> Verdict,
    {
        self.map_decisions(|decisions| WithVerdict::new(decisions, verdict))
    }

    /// Sets a function that decides what an error of the connector means. If it returns `None`, the error keeps its
    /// default meaning. See [`Decide::error_verdict`](super::Decide::error_verdict).
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
    pub fn with_error_verdict<F>(self, verdict: F) -> EventSource<C, T, WithErrorVerdict<D, F>>
    where
        F: FnMut(&C::Error) -> Option<Verdict>,
    {
        self.map_decisions(|decisions| WithErrorVerdict::new(decisions, verdict))
    }

    /// Sets a function that returns the delay before the next attempt. See [`Decide::delay`](super::Decide::delay).
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
    pub fn with_delay<F>(self, delay: F) -> EventSource<C, T, WithDelay<D, F>>
    where
        F: FnMut(Duration, u32, &ConnectionError<C::Error>) -> Duration,
    {
        self.map_decisions(|decisions| WithDelay::new(decisions, delay))
    }

    /// Sets which events are progress. By default, all are. See [`Decide::is_progress`](super::Decide::is_progress).
    ///
    /// A second call replaces the function.
    ///
    /// ```
    /// # fn example<C: eventwire_client::Connector>(source: eventwire_client::EventSource<C, eventwire::TokioTimer>) {
    /// # use std::time::Duration;
    /// // Reconnects if the model sends nothing but pings for a minute.
    /// let source = source
    ///     .with_event_timeout(Duration::from_secs(60))
    ///     .with_progress(|event| !matches!(event.event_type(), "ping" | "message_start"));
    /// # let _ = source;
    /// # }
    /// ```
    pub fn with_progress<F>(self, is_progress: F) -> EventSource<C, T, WithProgress<D, F>>
    where
        F: FnMut(&Event) -> bool,
    {
        self.map_decisions(|decisions| WithProgress::new(decisions, is_progress))
    }

    /// Sets a function that returns the cursor of an event: where the next request continues, for APIs that do not
    /// resume by event ID. See [`Decide::cursor`](super::Decide::cursor).
    ///
    /// If it is set several times, the last function is called first. If it returns `None`, the one before it is
    /// called.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire_client::{Attempt, EventSource, ReconnectPolicy, Resend, connector_fn};
    /// use futures_util::{StreamExt, stream};
    /// # use http::Response;
    /// # use std::{convert::Infallible, future, time::Duration};
    /// # let timer = |_: Duration| future::ready(());
    ///
    /// # let asked = std::sync::Mutex::new(Vec::new());
    /// # let asked = &asked;
    /// let connector = connector_fn(|attempt: Attempt| async move {
    ///     let request = match attempt.cursor() {
    ///         None => "POST /responses".to_owned(),
    ///         Some(number) => format!("GET /responses/resp_1?stream=true&starting_after={number}"),
    ///     };
    ///     // In a real program: send this request.
    /// #     asked.lock().unwrap().push(request);
    /// #     let status = if attempt.cursor().is_some() { 204 } else { 200 };
    /// #     let response = Response::builder().status(status).header("content-type", "text/event-stream");
    /// #     let body = stream::iter([Ok::<_, Infallible>("data: {\"sequence_number\":7}\n\n")]);
    /// #     Ok::<_, Infallible>(response.body(body).unwrap())
    /// });
    /// let mut source = EventSource::with_connector(connector, timer)
    ///     .with_policy(ReconnectPolicy::new().with_resend(Resend::WithCursor))
    ///     .with_cursor(|event| {
    ///         let (_, number) = event.data().split_once("\"sequence_number\":")?;
    ///         Some(number.chars().take_while(char::is_ascii_digit).collect())
    ///     });
    /// # while source.next().await.is_some() {}
    /// assert_eq!(source.cursor(), Some("7"));
    /// # let resumed = "GET /responses/resp_1?stream=true&starting_after=7";
    /// # assert_eq!(*asked.lock().unwrap(), ["POST /responses", resumed]);
    /// # }).unwrap();
    /// ```
    pub fn with_cursor<F>(self, cursor: F) -> EventSource<C, T, WithCursor<D, F>>
    where
        F: FnMut(&Event) -> Option<String>,
    {
        self.map_decisions(|decisions| WithCursor::new(decisions, cursor))
    }

    /// Sets which event is the last one of the stream. See [`Decide::is_end`](super::Decide::is_end).
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
    pub fn with_end<F>(self, is_end: F) -> EventSource<C, T, WithEnd<D, F>>
    where
        F: FnMut(&Event) -> bool,
    {
        self.map_decisions(|decisions| WithEnd::new(decisions, is_end))
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
            timeouts: self.timeouts,
            max_refusal_body: self.max_refusal_body,
            clocks: self.clocks,
            delay: self.delay,
            is_after_timeout: self.is_after_timeout,
            waited: self.waited,
            link: self.link,
        }
    }
}
