//! What one reader of a channel gets.

use crate::{
    cursor::{Cursor, Found, Part},
    gap::{Gap, Lag},
    notices::{GapEvent, Notices},
    numbered_event::NumberedEvent,
    record::{LogState, Progress},
    source::{self, Source, private},
};
use eventwire::{Encoded, Event};
use futures_core::Stream;
use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

/// What one reader of a [`Channel`](crate::Channel) gets: a stream for [`EventBody`].
///
/// Its first item is a block with the reader's position, unless that is not known, so that a reader that loses its
/// connection before the first event continues at the same place. A subscription is a cursor: events are not queued for
/// it, and it needs no memory for those that it has not read yet. Dropping it unsubscribes the reader.
///
/// A client that no longer reads from its connection stops polling its subscription. It can then not be ended from
/// here: only the server sees that nothing can be written. [Serving many](crate::serving_many#readers-that-do-not-read)
/// explains what a server can do.
///
/// If a reader wants only some of the events, do not just drop the others from this stream: its last event ID would
/// stay behind. [A filter](crate::serving_many#a-filter-for-each-reader) sends IDs in their place.
///
/// [`EventBody`]: https://docs.rs/eventwire/latest/eventwire/struct.EventBody.html
#[derive(Debug)]
#[must_use = "a stream does nothing unless it is polled"]
pub struct Subscription {
    pub(crate) cursor: Cursor,
    notices: Notices,
}

impl Subscription {
    pub(crate) fn new(cursor: Cursor) -> Subscription {
        Subscription { cursor, notices: Notices::default() }
    }

    /// Sets what happens when the reader is so slow that its next event is no longer kept. By default it gets a gap
    /// event.
    pub fn with_lag(mut self, lag: Lag) -> Subscription {
        self.cursor.set_lag(lag);
        self
    }

    /// Sends this reconnection time in the first block: how long the reader waits before it reconnects, in whole
    /// milliseconds.
    ///
    /// A reader keeps it until it gets another one. So set it if you use `with_final_retry` of `EventBody`, whose time
    /// would otherwise stay in force after the reader has returned.
    pub fn with_retry(mut self, time: Duration) -> Subscription {
        self.notices.retry = Some(time);
        self
    }

    /// Sets the event that tells the reader that events are missing. Its ID is replaced by the position after the gap.
    ///
    /// By default its type is `gap`, and its data is `{"missed":17}`, or `{}` if the number is not known.
    ///
    /// ```
    /// use eventwire::Event;
    /// use eventwire_hub::{Channel, History, Resume};
    /// use futures_util::{FutureExt, StreamExt};
    ///
    /// let channel = Channel::new(History::new());
    /// let reader = channel.subscribe(Resume::After(b"an ID of another server".into()))?;
    /// let mut reader = reader.with_gap_event(|gap| {
    ///     let text = gap.missed().map_or("some".to_owned(), |missed| missed.to_string());
    ///     Event::new(format!("{text} lines are missing"))
    /// });
    /// let event = reader.next().now_or_never().flatten().unwrap();
    /// assert!(event.as_ref().ends_with(b"data: some lines are missing\n\n"));
    /// # Ok::<(), eventwire_hub::UpToDate>(())
    /// ```
    pub fn with_gap_event(mut self, event: impl Fn(&Gap<'_>) -> Event + Send + Sync + 'static) -> Subscription {
        self.notices.gap_event = Some(GapEvent(Box::new(event)));
        self
    }
}

impl Stream for Subscription {
    type Item = Encoded;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Encoded>> {
        source::poll_next(&mut *self, context)
    }
}

impl Source for Subscription {}

impl private::Source for Subscription {
    #[allow(private_interfaces, reason = "nobody else can name this trait")]
    fn progress(&self) -> Progress {
        self.cursor.progress()
    }

    #[allow(private_interfaces, reason = "nobody else can name this trait")]
    fn notices(&mut self) -> &mut Notices {
        &mut self.notices
    }

    #[allow(private_interfaces, reason = "nobody else can name this trait")]
    fn poll_part(&mut self, context: &mut Context<'_>, form: fn(&NumberedEvent) -> Encoded) -> Poll<Option<Part>> {
        self.cursor.poll(context, LogState::None, form).map(|found| match found {
            Found::Part(part) => Some(part),
            // There is no log.
            Found::InLog | Found::End => None,
        })
    }
}
