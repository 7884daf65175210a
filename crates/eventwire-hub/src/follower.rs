//! The task that follows a topic in the log, and feeds the channel of this process.

use crate::{
    audience::Audience,
    backoff::Backoff,
    channel::{AppendError, Channel},
    history::History,
    log::{Limit, Log, NOWHERE, OutOfOrder, Page, Wake},
    pages::{PAGE_BYTES, Pages},
    stream_position::StreamPosition,
    topic::Topic,
    topics::{Followed, Phase, Topics},
};
use bytes::Bytes;
use eventwire::Encoded;
use futures_util::{
    FutureExt, StreamExt,
    future::{self, Either},
};
use std::{
    pin::Pin,
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::{
    sync::watch,
    task,
    time::{self, Instant},
};

/// Follows one topic, as long as it has readers, and a while longer.
pub(crate) struct Follower<L: Log> {
    pages: Pages<L>,
    topic: Topic,
    channel: Channel,
    /// For how long the topic is followed after its last reader has left.
    idle: Duration,
    audience: Arc<Audience>,
    topics: Weak<Topics<L>>,
    phase: watch::Sender<Phase<L::Error>>,
    start: Start,
    hints: Hints,
    /// How many entries are read at once.
    page: usize,
}

/// Whether it is known after which event of the log the channel starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// Nobody has read from the channel yet.
    Unknown,
    Known,
}

/// Why the topic is no longer followed, without a failure.
enum Stop {
    /// It has no readers.
    Idle,
    /// Wake-ups may have been lost.
    WakesEnded,
}

enum Failure<E> {
    Log(E),
    OutOfOrder(OutOfOrder),
}

/// Whether a topic that the log did not know can have had events since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hints {
    /// The topic is watched, and no hint has come. If the first one is that of an event, it is the first event of all.
    NoneYet,
    /// There were some, or they may have been lost: the topic may have come and gone.
    Unknown,
}

/// What happens next.
enum Next {
    Wake(Option<Wake>),
    Resync,
    Idle,
}

/// How many entries are read at once at most.
const PAGE: usize = 256;

impl<L: Log> Follower<L> {
    /// Starts to follow a topic.
    pub(crate) fn spawn(
        pages: Pages<L>,
        topic: Topic,
        history: History,
        idle: Duration,
        topics: Weak<Topics<L>>,
    ) -> Followed<L> {
        let (phase, receiver) = watch::channel(Phase::Starting);
        let follower = Follower {
            pages,
            topic,
            channel: Channel::new(history),
            idle,
            audience: Arc::default(),
            topics,
            phase,
            start: Start::Unknown,
            hints: Hints::Unknown,
            page: PAGE,
        };
        Followed {
            channel: follower.channel.clone(),
            audience: Arc::clone(&follower.audience),
            phase: receiver,
            task: tokio::spawn(follower.run()).abort_handle(),
        }
    }

    async fn run(mut self) {
        let mut backoff = Backoff::of_calls(self.pages.resync);
        loop {
            let started = Instant::now();
            let stopped = self.follow().await;
            if started.elapsed() > Duration::from_secs(1) {
                backoff.reset();
            }
            match stopped {
                Ok(Stop::Idle) => {
                    if self.stops_if_unused() {
                        return;
                    }
                    continue;
                }
                // New readers wait until it is known what the log has now: it may have lost its end.
                Ok(Stop::WakesEnded) => {
                    self.phase.send_replace(Phase::Starting);
                }
                Err(failure) => self.fail(failure),
            }
            let pause = backoff.next();
            if let Next::Idle = self.next(None::<&mut Pin<Box<L::Wakes>>>, Instant::now() + pause).await
                && self.stops_if_unused()
            {
                return;
            }
        }
    }

    /// Stops following the topic, unless it has readers again. Returns whether that is so.
    fn stops_if_unused(&self) -> bool {
        self.topics.upgrade().is_none_or(|topics| topics.stop_if_unused(&self.topic, &self.audience))
    }

    /// Tells new readers of a failure. Those that are there wait.
    fn fail(&self, failure: Failure<L::Error>) {
        self.phase.send_if_modified(|phase| {
            #[cfg(feature = "tracing")]
            let is_new = matches!(phase, Phase::Starting | Phase::Following);
            *phase = match failure {
                Failure::Log(error) => {
                    #[cfg(feature = "tracing")]
                    if is_new {
                        tracing::warn!(topic = %self.topic, %error, "the log has failed");
                    }
                    Phase::Failed(Arc::new(error))
                }
                Failure::OutOfOrder(error) => {
                    self.audience.report(&self.topic, &error);
                    Phase::OutOfOrder
                }
            };
            true
        });
    }

    /// Follows the topic until something goes wrong.
    async fn follow(&mut self) -> Result<Stop, Failure<L::Error>> {
        let mut wakes = Box::pin(self.pages.log.watch(&self.topic).await.map_err(Failure::Log)?);
        self.hints = Hints::Unknown;
        loop {
            self.catch_up().await?;
            self.phase.send_if_modified(|phase| {
                let is_new = !matches!(phase, Phase::Following);
                if is_new && !matches!(phase, Phase::Starting) {
                    self.audience.allow_report();
                    #[cfg(feature = "tracing")]
                    tracing::info!(topic = %self.topic, "the log is back");
                }
                *phase = Phase::Following;
                is_new
            });
            let resync = Instant::now() + self.pages.resync;
            loop {
                match self.next(Some(&mut wakes), resync).await {
                    Next::Wake(Some(Wake::Entry(at, bytes))) if self.accept(at, bytes.clone()) => {}
                    Next::Wake(Some(_)) => {
                        self.hints = Hints::Unknown;
                        self.catch_up().await?;
                    }
                    Next::Resync => break,
                    Next::Wake(None) => return Ok(Stop::WakesEnded),
                    Next::Idle => return Ok(Stop::Idle),
                }
            }
        }
    }

    /// Waits for a wake-up, until then, or until the topic has had no readers for long enough.
    async fn next(&self, wakes: Option<&mut Pin<Box<L::Wakes>>>, until: Instant) -> Next {
        let mut wake = match wakes {
            Some(wakes) => wakes.next().left_future(),
            None => future::pending().right_future(),
        };
        loop {
            // A topic that does not exist is not worth waiting.
            let idle = if self.channel.position() == NOWHERE { Duration::ZERO } else { self.idle };
            let leave_at = self.audience.empty_since().map(|since| since + idle);
            let deadline = leave_at.map_or(until, |leave_at| leave_at.min(until));
            let left = std::pin::pin!(self.audience.left.notified());
            match time::timeout_at(deadline, future::select(&mut wake, left)).await {
                Ok(Either::Left((wake, _))) => return Next::Wake(wake),
                // A reader may have come meanwhile.
                Ok(Either::Right(_)) => {}
                Err(_) if deadline == until => return Next::Resync,
                Err(_) => {
                    if self.audience.empty_since().is_some_and(|since| since + idle <= deadline) {
                        return Next::Idle;
                    }
                }
            }
        }
    }

    /// Adds an event of a wake-up, if that is possible without a read.
    fn accept(&self, at: StreamPosition, bytes: Bytes) -> bool {
        let newest = self.channel.position();
        if newest == NOWHERE && self.hints == Hints::NoneYet && at.epoch() != 0 && at.sequence() == 1 {
            self.channel.create(at.epoch());
            return self.add(at, bytes);
        }
        if at.epoch() != newest.epoch() {
            return false;
        }
        at.sequence() <= newest.sequence() || newest.next() == Some(at) && self.add(at, bytes)
    }

    /// Adds the next event, unless the topic has ended. One that cannot be read is skipped.
    fn add(&self, at: StreamPosition, bytes: Bytes) -> bool {
        let event = Encoded::from_bytes(bytes).ok();
        match event.map(|event| self.channel.append(at, &event)) {
            Some(Ok(())) => true,
            Some(Err(AppendError::NotOneEvent)) | None => self.channel.restart(at).is_ok(),
            Some(Err(_)) => false,
        }
    }

    /// Reads what the log has.
    async fn catch_up(&mut self) -> Result<(), Failure<L::Error>> {
        let mut epochs = 0;
        loop {
            // At first only where it ends: readers that need more read the log themselves.
            let (after, limit) = match self.start {
                Start::Unknown => (None, Limit::TAIL),
                Start::Known => (Some(self.channel.position()), Limit { entries: self.page, bytes: PAGE_BYTES }),
            };
            // The hub that is dropped aborts this task.
            let Some(page) = self.pages.read(&self.topic, after, limit).await else { return Ok(()) };
            let page = page.map_err(|error| {
                // It may have been too large for the time of an answer.
                self.page = (self.page / 2).max(1);
                Failure::Log(error)
            })?;
            if self.start == Start::Unknown {
                self.start = Start::Known;
                self.hints = Hints::NoneYet;
                let _ = self.channel.restart(page.tail);
            } else {
                self.page = (self.page + 1).min(PAGE);
                epochs += usize::from(self.add_page(&page).map_err(Failure::OutOfOrder)?);
                if epochs > 3 {
                    return Err(Failure::OutOfOrder(OutOfOrder::at(page.tail)));
                }
            }
            let is_at_tail = self.channel.position() == page.tail;
            if is_at_tail && page.finished {
                self.channel.finish();
            }
            if is_at_tail || page.entries.is_empty() {
                return Ok(());
            }
            task::yield_now().await;
        }
    }

    /// Adds the entries of a page. Returns whether they are of another epoch.
    fn add_page(&self, page: &Page) -> Result<bool, OutOfOrder> {
        let read = self.channel.position();
        let jump = page.jump_from(read)?;
        if let Some(jump) = jump {
            let is_lost = jump.to.epoch() == read.epoch() && jump.to.sequence() < read.sequence();
            if is_lost || jump.to == NOWHERE {
                // The log has lost its end or the topic. It will continue in another epoch.
                return Ok(false);
            }
            // Also if there was no topic before: a page can be read before the hint of an event that is gone already.
            let _ = self.channel.restart(jump.to);
        }
        for (at, bytes) in &page.entries {
            if !self.add(*at, bytes.clone()) {
                // It had ended, and goes on.
                let _ = self.channel.restart(self.channel.position());
                self.add(*at, bytes.clone());
            }
        }
        Ok(jump.is_some_and(|jump| jump.missed.is_none()))
    }
}

impl<L: Log> Drop for Follower<L> {
    fn drop(&mut self) {
        self.audience.abandon();
        if let Some(topics) = self.topics.upgrade() {
            topics.forget(&self.topic, &self.audience);
        }
    }
}
