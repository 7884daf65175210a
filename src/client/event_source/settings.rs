//! The settings of an event source.

use super::{BlockReader, Connector, Contents, EventSource};
use crate::{Decoder, InvalidField, Timer, client::ReconnectPolicy};
use core::time::Duration;

impl<C: Connector, T: Timer, D> EventSource<C, T, D> {
    /// Sets how it reconnects: delays, limits on attempts, and what is sent again.
    ///
    /// Without a [seed](ReconnectPolicy::with_jitter_seed) the jitter stays random. On a source in use the new settings apply from
    /// the next decision on.
    pub fn with_policy(mut self, policy: ReconnectPolicy) -> Self {
        self.set_policy(policy);
        self
    }

    /// The same for a source that is borrowed, such as the one [of events](super::SourceEventStream::get_mut).
    pub fn set_policy(&mut self, policy: ReconnectPolicy) {
        self.reconnect.set_policy(policy);
    }

    /// Sets the decoder: how large an event may be, what becomes of an unfinished one, and the last event ID. If the decoder has
    /// none, the one that there is stays.
    ///
    /// It comes before the first event; what another decoder has begun is lost.
    pub fn with_decoder(mut self, mut decoder: Decoder) -> Self {
        if decoder.last_event_id().is_empty() {
            // It cannot fail: the ID of one decoder is valid in another.
            let _ = decoder.set_last_event_id(self.last_event_id());
        }
        self.decoder = decoder;
        self
    }

    /// Gives everything else that the server says, too: comments such as `: ping`, and blocks without data.
    ///
    /// They are [`Item::Comment`](super::Item::Comment), [`Item::Retry`](super::Item::Retry), [`Item::Id`](super::Item::Id) and
    /// [`Item::Dataless`](super::Item::Dataless). Without this setting they are skipped. They
    /// are not events: they reset neither the delay between attempts nor the [event
    /// timeout](EventSource::with_event_timeout).
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::client::{EventSource, Item, connector_fn};
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
        self.contents = Contents::Blocks(reader);
        self
    }

    /// Sets the last event ID, with which the first request is sent. `""` is none.
    ///
    /// # Errors
    ///
    /// [`InvalidField`] if there is a CR, an LF or a NUL in `id`: no stream can set such an ID.
    pub fn with_last_event_id(mut self, id: &str) -> Result<Self, InvalidField> {
        self.set_last_event_id(id)?;
        Ok(self)
    }

    /// The same for a source that is borrowed: the next request sends this ID, unless an event sets another before.
    ///
    /// # Errors
    ///
    /// [`InvalidField`] as for [`with_last_event_id`](EventSource::with_last_event_id).
    pub fn set_last_event_id(&mut self, id: &str) -> Result<(), InvalidField> {
        self.decoder.set_last_event_id(id)
    }

    /// Sets the cursor with which the first request is sent, for example one that was saved by another process. See
    /// [`cursor`](EventSource::cursor).
    pub fn continue_from(mut self, cursor: &str) -> Self {
        self.cursor = Some(cursor.into());
        self.reconnect.handle_cursor();
        self
    }

    /// Sets the idle timeout: if no data arrives for this long, the source drops the connection and reconnects. The
    /// wait for the response counts. Off by default; zero turns it off.
    ///
    /// Set it to two or three times the interval of the server's keep-alives. A request that
    /// [must not be sent again](crate::client::Resend) fails instead.
    ///
    /// Over HTTP/2, dropping a response does not close the connection: if the peer is gone, an HTTP client may use the
    /// dead connection for the next request, too, and for each one after it. So let the HTTP client check its
    /// connections. With reqwest these are three settings of the `ClientBuilder`: `http2_keep_alive_interval`,
    /// `http2_keep_alive_timeout` and `http2_keep_alive_while_idle(true)`. A connector can also [use a fresh
    /// connection](super::Attempt::is_after_timeout) after a timeout.
    ///
    /// When this timeout is over, it is not known whether the request was sent. So a POST is not sent again. For hosts
    /// that cannot be reached, set a shorter timeout for connecting in the HTTP client: its error says that nothing was
    /// sent.
    pub fn with_idle_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts.idle = Some(timeout).filter(|timeout| !timeout.is_zero());
        self
    }

    /// Sets the event timeout: if no event that is [progress](super::Decide::is_progress) arrives for this long, the
    /// source drops the connection and reconnects. The wait for the response counts; comments and other events do not
    /// reset it. An event that [is too large](super::Item::Undecodable) resets it, too. Off by default; zero turns it
    /// off. What has been received by then is given before the connection is dropped.
    ///
    /// A request that [must not be sent again](crate::client::Resend) fails instead.
    pub fn with_event_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts.event = Some(timeout).filter(|timeout| !timeout.is_zero());
        self
    }

    /// Sets how much of the body of a [`Refusal`](super::Refusal) is kept, in bytes. Defaults to 16 KiB; with 0, none is read.
    /// Where a server answers with JSON instead of events, raise it to the largest answer that you expect.
    pub fn with_max_refusal_body(mut self, bytes: usize) -> Self {
        self.max_refusal_body = bytes;
        self
    }

    /// Sets how long the body of a [`Refusal`](super::Refusal) may take. Defaults to 5 seconds.
    ///
    /// What has come until then is kept. The [idle timeout](EventSource::with_idle_timeout) holds, too.
    pub fn with_refusal_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts.refusal = timeout;
        self
    }
}
