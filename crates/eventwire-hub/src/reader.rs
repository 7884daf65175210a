//! What one reader of a hub gets: pages of the log, and then what the channel of this process has.

use crate::{
    audience::Seat,
    backoff::Backoff,
    cursor::{Cursor, Found, Part},
    gap::Gap,
    log::{Limit, Log, NOWHERE, Page},
    notices::{GapEvent, Notices},
    numbered_event::{Draft, NumberedEvent},
    pages::{PAGE_BYTES, Pages},
    record::{LogState, Missed, Progress},
    source::{self, Source, private},
    stream_position::StreamPosition,
    topic::Topic,
};
use bytes::Bytes;
use eventwire::{Encoded, Event};
use futures_core::Stream;
use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
    vec,
};
use tokio::{task::JoinHandle, time};

/// What one reader of a [`Hub`](crate::Hub) gets: a stream for [`EventBody`].
///
/// It is like a [`Subscription`](crate::Subscription), and begins with a block that has the reader's position. Where
/// the reader is older or slower than what this process keeps, it reads the log, up to 64 events or 1 MiB at a time, until it
/// has caught up. So a slow reader gets a gap event only if the log no longer has its next event.
///
/// If the log cannot be reached, the stream waits, and continues later. It ends with the topic, or when all clones of
/// the hub are dropped.
///
/// [`EventBody`]: https://docs.rs/eventwire/latest/eventwire/struct.EventBody.html
#[must_use = "a stream does nothing unless it is polled"]
pub struct Reader<L> {
    topic: Topic,
    pages: Pages<L>,
    cursor: Cursor,
    state: State,
    /// The end of the log, if it has neither the reader's position nor anything after it.
    lost_after: Option<StreamPosition>,
    /// How many pages in a row have not continued where the reader was.
    pages_without_progress: u32,
    /// How many entries are read at once.
    page: usize,
    notices: Notices,
    seat: Seat,
}

enum State {
    /// Gets events from the channel, or waits for them.
    Following(LogState),
    Reading(OwnTask),
    Replaying {
        entries: vec::IntoIter<(StreamPosition, Bytes)>,
        tail: StreamPosition,
        finished: bool,
    },
    Ended,
}

/// A read of a page, which fails when the hub is dropped. It is a task, because it has a permit: a reader whose client
/// takes no bytes is not polled, and would keep the permit.
struct OwnTask(JoinHandle<Option<(Page, usize)>>);

impl Drop for OwnTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// How many entries a reader reads at once at most.
const PAGE: usize = 64;

impl<L: Log> Reader<L> {
    pub(crate) fn new(topic: Topic, pages: Pages<L>, cursor: Cursor, seat: Seat) -> Reader<L> {
        Reader {
            topic,
            pages,
            cursor,
            state: State::Following(LogState::Unread),
            lost_after: None,
            pages_without_progress: 0,
            page: PAGE,
            notices: Notices::default(),
            seat,
        }
    }

    /// Sends this reconnection time in the first block; see
    /// [`Subscription::with_retry`](crate::Subscription::with_retry).
    pub fn with_retry(mut self, time: Duration) -> Reader<L> {
        self.notices.retry = Some(time);
        self
    }

    /// Sets the event that tells the reader that events are missing; see
    /// [`Subscription::with_gap_event`](crate::Subscription::with_gap_event).
    pub fn with_gap_event(mut self, event: impl Fn(&Gap<'_>) -> Event + Send + Sync + 'static) -> Reader<L> {
        self.notices.gap_event = Some(GapEvent(Box::new(event)));
        self
    }

    fn poll(&mut self, context: &mut Context<'_>, form: fn(&NumberedEvent) -> Encoded) -> Poll<Option<Part>> {
        loop {
            match &mut self.state {
                State::Following(log) => match ready!(self.cursor.poll(context, *log, form)) {
                    Found::Part(part) => {
                        self.state = State::Following(LogState::Unread);
                        self.lost_after = None;
                        self.pages_without_progress = 0;
                        return Poll::Ready(Some(part));
                    }
                    Found::InLog => self.state = State::Reading(self.read_page()),
                    Found::End if self.seat.audience.is_abandoned() => return Poll::Ready(Some(Part::Cut)),
                    Found::End => self.state = State::Ended,
                },
                State::Reading(page) => {
                    // The task fails if the log panics.
                    let Ok(Some((page, most))) = ready!(Pin::new(&mut page.0).poll(context)) else {
                        return Poll::Ready(Some(Part::Cut));
                    };
                    self.page = (most + 1).min(PAGE);
                    if let Some(missed) = self.begin_page(page) {
                        return Poll::Ready(Some(Part::Gap(missed)));
                    }
                }
                State::Replaying { entries, tail, finished } => {
                    let Some((at, bytes)) = entries.next() else {
                        let is_at_tail = self.cursor.progress() == Progress::UpTo(*tail);
                        self.state = match is_at_tail {
                            true if *finished => State::Ended,
                            true => State::Following(LogState::Read),
                            false => State::Following(LogState::Unread),
                        };
                        continue;
                    };
                    let event = Encoded::from_bytes(bytes).ok().and_then(|event| Draft::of(&event));
                    return Poll::Ready(Some(match event {
                        Some(event) => {
                            self.cursor.move_to(at);
                            Part::Event(form(&event.at(at)))
                        }
                        // Somebody else has written to the log.
                        None => {
                            self.cursor.skip_to(at);
                            Part::Gap(Missed::Skipped(1))
                        }
                    }));
                }
                // It may go on. Until then it has ended, even if the channel does not have the end yet.
                State::Ended => match self.cursor.poll(context, LogState::Read, form) {
                    Poll::Pending | Poll::Ready(Found::End) => return Poll::Ready(None),
                    Poll::Ready(Found::Part(part)) => {
                        self.state = State::Following(LogState::Unread);
                        return Poll::Ready(Some(part));
                    }
                    Poll::Ready(Found::InLog) => self.state = State::Reading(self.read_page()),
                },
            }
        }
    }

    /// Begins to replay a page. Returns what is missing before it.
    fn begin_page(&mut self, page: Page) -> Option<Missed> {
        let jump = match page.jump_from(self.cursor.progress().continues_after()) {
            Ok(jump) => jump,
            Err(error) => {
                self.seat.audience.report(&self.topic, &error);
                self.pages_without_progress = self.pages_without_progress.saturating_add(1);
                self.state = State::Reading(self.read_page());
                return None;
            }
        };
        let Page { entries, tail, finished } = page;
        if entries.is_empty() && !finished && jump.is_some_and(|jump| jump.missed.is_none()) {
            return self.wait_for_epoch(tail);
        }
        self.lost_after = None;
        let has_progress = jump.is_none_or(|jump| jump.missed.is_some() && !entries.is_empty());
        self.pages_without_progress = if has_progress { 0 } else { self.pages_without_progress.saturating_add(1) };
        self.state = State::Replaying { entries: entries.into_iter(), tail, finished };
        let jump = jump?;
        self.cursor.skip_to(jump.to);
        Some(jump.missed.map_or(Missed::Unknown, Missed::Skipped))
    }

    /// Waits for what follows the end of a log that does not have the reader's position, but nothing after it either:
    /// the log has lost its end, or the topic. It will continue in another epoch, and then there is a gap.
    ///
    /// If it continues in the same epoch, it has lost nothing, and the reader has made up its position. It misses what
    /// is before.
    fn wait_for_epoch(&mut self, tail: StreamPosition) -> Option<Missed> {
        let continued_after = self.lost_after.replace(tail).filter(|before| {
            *before != NOWHERE && before.epoch() == tail.epoch() && before.sequence() < tail.sequence()
        });
        self.state = State::Following(if continued_after.is_some() { LogState::Unread } else { LogState::Read });
        self.cursor.skip_to(continued_after?);
        Some(Missed::Unknown)
    }

    /// Reads what comes after the reader's place. Tries again until the log answers.
    fn read_page(&self) -> OwnTask {
        let (pages, topic) = (self.pages.clone(), self.topic.clone());
        let read = self.cursor.progress().continues_after();
        let mut most = self.page;
        let mut backoff = Backoff::new(pages.resync);
        // The first such page may be right: all that was missing is gone.
        let pause = (1..self.pages_without_progress.min(32)).map(|_| backoff.next()).last();
        OwnTask(tokio::spawn(async move {
            if let Some(pause) = pause {
                time::sleep(pause).await;
            }
            let mut backoff = Backoff::of_calls(pages.resync);
            loop {
                match pages.read(&topic, Some(read), Limit { entries: most, bytes: PAGE_BYTES }).await? {
                    Ok(page) => return Some((page, most)),
                    // The follower of the topic has the same error, and reports it. The page may have been too large
                    // for the time of an answer.
                    Err(_) => {
                        most = (most / 2).max(1);
                        time::sleep(backoff.next()).await;
                    }
                }
            }
        }))
    }
}

impl<L: Log> Stream for Reader<L> {
    type Item = Encoded;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Encoded>> {
        source::poll_next(&mut *self, context)
    }
}

impl<L: Log> Source for Reader<L> {}

impl<L: Log> private::Source for Reader<L> {
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
        self.poll(context, form)
    }
}

impl<L> fmt::Debug for Reader<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("topic", &self.topic).field("cursor", &self.cursor).finish_non_exhaustive()
    }
}
