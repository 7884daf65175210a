//! The settings of an event source.

use super::{BlockReader, Connector, Contents, EventSource};
use crate::ReconnectPolicy;
use core::time::Duration;
use eventwire::{Decoder, InvalidField, Timer};

impl<C: Connector, T: Timer, D> EventSource<C, T, D> {
    /// Sets the delays, the limits on attempts, and what is sent again.
    ///
    /// Unless the policy has a [seed](ReconnectPolicy::with_jitter_seed), the jitter remains random. If the
    /// source is already running, the settings apply to the next attempt or delay.
    pub fn with_policy(mut self, policy: ReconnectPolicy) -> Self {
        self.set_policy(policy);
        self
    }

    /// Sets the [policy](EventSource::with_policy) of a borrowed source, such as the one in a [stream of
    /// events](super::SourceEventStream::get_mut).
    pub fn set_policy(&mut self, policy: ReconnectPolicy) {
        self.reconnect.set_policy(policy);
    }

    /// Sets the decoder, to limit the size of events or to choose what happens to an unfinished event.
    ///
    /// If the decoder has a last event ID, the source continues from it. Otherwise the source keeps its own. Call
    /// this before the first event: an event that the old decoder has begun is lost.
    pub fn with_decoder(mut self, mut decoder: Decoder) -> Self {
        if decoder.last_event_id().is_empty() {
            // The ID of one decoder is valid in another.
            let _ = decoder.set_last_event_id(self.last_event_id());
        }
        self.decoder = decoder;
        self
    }

    /// Makes the source also return comments, such as `: ping`, and blocks without data.
    ///
    /// The items are [`Item::Comment`](super::Item::Comment), [`Item::Retry`](super::Item::Retry),
    /// [`Item::Id`](super::Item::Id) and [`Item::Dataless`](super::Item::Dataless). Without this setting they are
    /// skipped. They are not events, so they are not progress: they reset neither the delay between attempts nor the
    /// [event timeout](EventSource::with_event_timeout).
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire_client::{EventSource, Item, connector_fn};
    /// use futures_util::{StreamExt, stream};
    /// # use std::{convert::Infallible, future, time::Duration};
    /// # let timer = |_: Duration| future::ready(());
    /// # let connector = connector_fn(|_| async move {
    /// #     let response = http::Response::builder().header("content-type", "text/event-stream");
    /// #     Ok::<_, Infallible>(response.body(stream::iter([Ok::<_, Infallible>(": ping\n\ndata: a\n\n")])).unwrap())
    /// # });
    ///
    /// let mut source = EventSource::with_connector(connector, timer).with_blocks();
    /// assert!(matches!(source.next().await, Some(Item::Open(_))));
    /// assert!(matches!(source.next().await, Some(Item::Comment(comment)) if comment.text() == "ping"));
    /// assert!(matches!(source.next().await, Some(Item::Event(event)) if event.data() == "a"));
    /// # }).unwrap();
    /// ```
    pub fn with_blocks(mut self) -> Self {
        let reader = BlockReader { decode: Decoder::decode_block_bytes, finish: Decoder::finish_block };
        let contents = match &mut self.contents {
            #[cfg(panic = "unwind")]
            Contents::After(kept) => &mut kept.1,
            contents => contents,
        };
        *contents = Contents::Blocks(reader);
        self
    }

    /// Sets the last event ID that the first request sends, to continue where another source stopped. `""` means
    /// none.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire_client::{Attempt, EventSource, connector_fn};
    /// use futures_util::{StreamExt, stream};
    /// # use std::{convert::Infallible, future, time::Duration};
    /// # let timer = |_: Duration| future::ready(());
    /// # let connector = connector_fn(|attempt: Attempt| async move {
    /// #     assert_eq!(attempt.last_event_id().unwrap(), "41");
    /// #     let response = http::Response::builder().header("content-type", "text/event-stream");
    /// #     Ok::<_, Infallible>(response.body(stream::iter([Ok::<_, Infallible>("id: 42\ndata: a\n\n")])).unwrap())
    /// # });
    ///
    /// // The first request has the header `Last-Event-ID: 41`, and the server continues with event 42.
    /// let mut source = EventSource::with_connector(connector, timer).with_last_event_id("41")?;
    /// assert_eq!(source.last_event_id(), "41");
    /// source.next().await; // the connection is open
    /// source.next().await; // the event 42
    /// assert_eq!(source.last_event_id(), "42"); // to be saved
    /// # Ok::<(), eventwire::InvalidField>(())
    /// # }).unwrap().unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidField`] if `id` contains a CR, an LF or a NUL. No stream can set such an ID.
    pub fn with_last_event_id(mut self, id: &str) -> Result<Self, InvalidField> {
        self.set_last_event_id(id)?;
        Ok(self)
    }

    /// Sets the last event ID of a borrowed source. The next request sends it, unless an event sets another one
    /// before.
    ///
    /// # Errors
    ///
    /// [`InvalidField`] as for [`with_last_event_id`](EventSource::with_last_event_id).
    pub fn set_last_event_id(&mut self, id: &str) -> Result<(), InvalidField> {
        self.decoder.set_last_event_id(id)
    }

    /// Sets the cursor for the first request, for example one that another process saved. See
    /// [`cursor`](EventSource::cursor).
    pub fn continue_from(mut self, cursor: &str) -> Self {
        self.cursor = Some(cursor.into());
        self.reconnect.handle_cursor(Some(cursor));
        self
    }

    /// Sets the idle timeout: if no data arrives for this long, the source drops the connection and reconnects. Off
    /// by default; zero turns it off. [Timeouts](crate#timeouts) says how it is counted.
    ///
    /// Set it to two or three times the interval of the server's keep-alives.
    ///
    /// If there is no response within the timeout, the source does not know whether the request was sent, so it does
    /// not send a POST again. To retry a POST when the host is unreachable, set a shorter connect timeout in the HTTP
    /// client: its error shows that nothing was sent.
    ///
    /// Over HTTP/2 this is [not enough](crate#what-to-know-about-http).
    pub fn with_idle_timeout(mut self, timeout: Duration) -> Self {
        self.link.as_mut().project().idle.set_timeout(timeout);
        self
    }

    /// Sets the event timeout: if no event that is [progress](super::Decide::is_progress) arrives for this long, the
    /// source drops the connection and reconnects. Off by default; zero turns it off.
    ///
    /// [Timeouts](crate#timeouts) says how it is counted. Comments, and events that are not progress, do not reset it.
    /// An event that is [too large](super::Item::Undecodable) does. Items that were received before the timeout are
    /// returned before the connection is dropped.
    pub fn with_event_timeout(mut self, timeout: Duration) -> Self {
        self.link.as_mut().project().eventless.set_timeout(timeout);
        self
    }

    /// Sets how many bytes of the body of a [`Refusal`](super::Refusal) are kept. Defaults to 16 KiB; with 0, the
    /// body is not read. If the server may answer with JSON instead of events, set it to the size of the largest
    /// answer that you expect.
    pub fn with_max_refusal_body(mut self, bytes: usize) -> Self {
        self.max_refusal_body = bytes;
        self
    }

    /// Sets how long reading the body of a [`Refusal`](super::Refusal) may take. Defaults to 5 seconds.
    ///
    /// What has arrived by then is kept. The [idle timeout](EventSource::with_idle_timeout) also applies.
    pub fn with_refusal_timeout(mut self, timeout: Duration) -> Self {
        self.refusal_timeout = timeout;
        self
    }
}
