//! A log whose answers a test decides.

use bytes::Bytes;
use eventwire::Event;
use eventwire_hub::{Entry, Limit, Log, Page, StreamPosition, Topic, Wake};
use futures_util::{
    StreamExt,
    stream::{self, BoxStream},
};
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    sync::mpsc::{self, UnboundedSender},
    time::sleep,
};

/// A log in memory, with settings that a test changes at any time. A clone is the same log.
#[derive(Clone, Default)]
pub(crate) struct Script(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    topics: HashMap<Topic, Stored>,
    watchers: HashMap<Topic, Vec<UnboundedSender<Wake>>>,
    wakes: Wakes,
    /// With `Wakes::Reversed`.
    held_back: Option<Wake>,
    /// How long a call takes before it looks at the topic, and again before it answers.
    latency: Duration,
    fails: Fails,
    answer: Option<Answer>,
    calls: Calls,
    reads_now: usize,
}

type Answer = Box<dyn FnMut(Option<StreamPosition>, usize) -> Page + Send>;

#[derive(Debug)]
struct Stored {
    kept: VecDeque<(StreamPosition, Bytes)>,
    tail: StreamPosition,
    finished: bool,
}

/// What becomes of the wake-up of an append.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Wakes {
    #[default]
    Entries,
    Changed,
    Lost,
    Doubled,
    /// It comes later.
    Late(Duration),
    /// It comes after the next one, if there is a next one.
    Reversed,
}

/// Which calls fail.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fails {
    pub(crate) append: bool,
    pub(crate) read: bool,
    pub(crate) watch: bool,
}

/// How often the hub has called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Calls {
    pub(crate) appends: usize,
    pub(crate) reads: usize,
    pub(crate) watches: usize,
    /// The most reads at one moment.
    pub(crate) reads_at_once: usize,
}

#[derive(Debug, thiserror::Error)]
#[error("the log is down")]
pub(crate) struct Down;

impl Script {
    pub(crate) fn new() -> Script {
        Script::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_wakes(&self, wakes: Wakes) {
        self.state().wakes = wakes;
    }

    pub(crate) fn set_latency(&self, latency: Duration) {
        self.state().latency = latency;
    }

    pub(crate) fn set_fails(&self, fails: Fails) {
        self.state().fails = fails;
    }

    /// Answers all reads in this way, whatever is stored.
    pub(crate) fn answer(&self, answer: impl FnMut(Option<StreamPosition>, usize) -> Page + Send + 'static) {
        self.state().answer = Some(Box::new(answer));
    }

    /// Answers reads with what is stored.
    pub(crate) fn answer_rightly(&self) {
        self.state().answer = None;
    }

    pub(crate) fn calls(&self) -> Calls {
        self.state().calls
    }

    /// How many streams of wake-ups there are.
    pub(crate) fn watchers(&self, topic: &Topic) -> usize {
        let state = &mut *self.state();
        let watchers = state.watchers.entry(topic.clone()).or_default();
        watchers.retain(|watcher| !watcher.is_closed());
        watchers.len()
    }

    /// Begins an epoch, without a wake-up.
    pub(crate) fn begin(&self, topic: &Topic, epoch: u64) {
        let stored = Stored { kept: VecDeque::new(), tail: StreamPosition::new(epoch, 0), finished: false };
        self.state().topics.insert(topic.clone(), stored);
    }

    /// Stores the next number.
    pub(crate) fn push(&self, topic: &Topic) -> StreamPosition {
        let number = self.state().stored(topic).tail.sequence() + 1;
        let event = Event::new(number.to_string()).encoded();
        self.push_bytes(topic, event.as_ref())
    }

    pub(crate) fn push_bytes(&self, topic: &Topic, bytes: &[u8]) -> StreamPosition {
        let state = &mut *self.state();
        let at = state.store(topic, bytes);
        let wake = Wake::Entry(at, Bytes::copy_from_slice(bytes));
        match state.wakes {
            Wakes::Entries => state.wake(topic, wake),
            Wakes::Changed => state.wake(topic, Wake::Changed),
            Wakes::Lost => {}
            Wakes::Doubled => {
                state.wake(topic, wake.clone());
                state.wake(topic, wake);
            }
            Wakes::Late(time) => {
                let (log, topic) = (self.clone(), topic.clone());
                tokio::spawn(async move {
                    sleep(time).await;
                    log.state().wake(&topic, wake);
                });
            }
            Wakes::Reversed => {
                if let Some(earlier) = state.held_back.take() {
                    state.wake(topic, wake);
                    state.wake(topic, earlier);
                } else {
                    state.held_back = Some(wake);
                }
            }
        }
        at
    }

    pub(crate) fn finish(&self, topic: &Topic) {
        let state = &mut *self.state();
        state.stored(topic).finished = true;
        if state.wakes != Wakes::Lost {
            state.wake(topic, Wake::Changed);
        }
    }

    /// Takes the end of a topic back.
    pub(crate) fn open_again(&self, topic: &Topic) {
        self.state().stored(topic).finished = false;
    }

    /// Removes the oldest entries.
    pub(crate) fn trim(&self, topic: &Topic, keep: usize) {
        let state = &mut *self.state();
        let kept = &mut state.stored(topic).kept;
        kept.drain(..kept.len().saturating_sub(keep));
    }

    /// Forgets the topic.
    pub(crate) fn forget(&self, topic: &Topic) {
        self.state().topics.remove(topic);
    }

    pub(crate) fn wake(&self, topic: &Topic, wake: Wake) {
        self.state().wake(topic, wake);
    }

    pub(crate) fn end_wakes(&self, topic: &Topic) {
        self.state().watchers.remove(topic);
    }

    async fn wait(&self) {
        let latency = self.state().latency;
        if !latency.is_zero() {
            sleep(latency).await;
        }
    }
}

impl State {
    fn stored(&mut self, topic: &Topic) -> &mut Stored {
        let new = || Stored { kept: VecDeque::new(), tail: StreamPosition::new(7, 0), finished: false };
        self.topics.entry(topic.clone()).or_insert_with(new)
    }

    fn store(&mut self, topic: &Topic, bytes: &[u8]) -> StreamPosition {
        let stored = self.stored(topic);
        stored.tail = StreamPosition::new(stored.tail.epoch(), stored.tail.sequence() + 1);
        stored.kept.push_back((stored.tail, Bytes::copy_from_slice(bytes)));
        stored.tail
    }

    fn wake(&mut self, topic: &Topic, wake: Wake) {
        for watcher in self.watchers.get(topic).into_iter().flatten() {
            let _ = watcher.send(wake.clone());
        }
    }

    fn read(&mut self, topic: &Topic, after: Option<StreamPosition>, most: usize) -> Page {
        if let Some(answer) = &mut self.answer {
            return answer(after, most);
        }
        let Some(Stored { kept, tail, finished }) = self.topics.get(topic) else {
            return Page { entries: Vec::new(), tail: StreamPosition::new(0, 0), finished: false };
        };
        let read = after.filter(|after| after.epoch() == tail.epoch()).map_or(0, StreamPosition::sequence);
        let entries = kept.iter().filter(|(at, _)| at.sequence() > read).take(most).cloned().collect();
        Page { entries, tail: *tail, finished: *finished }
    }
}

/// Counts a read that is cancelled as well.
struct OneRead(Script);

impl OneRead {
    fn new(log: &Script) -> OneRead {
        let state = &mut *log.state();
        state.calls.reads += 1;
        assert!(state.calls.reads < 20_000, "the hub reads and reads");
        state.reads_now += 1;
        state.calls.reads_at_once = state.calls.reads_at_once.max(state.reads_now);
        OneRead(log.clone())
    }
}

impl Drop for OneRead {
    fn drop(&mut self) {
        self.0.state().reads_now -= 1;
    }
}

impl Log for Script {
    type Error = Down;
    type Wakes = BoxStream<'static, Wake>;

    /// A failed call has stored the entry.
    async fn append(
        &self,
        topic: &Topic,
        entry: Entry<'_>,
        _key: Option<&str>,
    ) -> Result<Option<StreamPosition>, Down> {
        self.state().calls.appends += 1;
        self.wait().await;
        let is_finished = self.state().stored(topic).finished;
        let at = match entry {
            Entry::Event(_) if is_finished => None,
            Entry::Event(event) => Some(self.push_bytes(topic, event.as_ref())),
            Entry::End => {
                self.finish(topic);
                Some(self.state().stored(topic).tail)
            }
        };
        self.wait().await;
        if self.state().fails.append { Err(Down) } else { Ok(at) }
    }

    async fn read(&self, topic: &Topic, after: Option<StreamPosition>, limit: Limit) -> Result<Page, Down> {
        let _one = OneRead::new(self);
        self.wait().await;
        let page = self.state().read(topic, after, limit.entries);
        self.wait().await;
        if self.state().fails.read { Err(Down) } else { Ok(page) }
    }

    async fn watch(&self, topic: &Topic) -> Result<BoxStream<'static, Wake>, Down> {
        self.state().calls.watches += 1;
        self.wait().await;
        let (sender, mut receiver) = mpsc::unbounded_channel();
        self.state().watchers.entry(topic.clone()).or_default().push(sender);
        self.wait().await;
        if self.state().fails.watch {
            return Err(Down);
        }
        Ok(stream::poll_fn(move |context| receiver.poll_recv(context)).boxed())
    }
}
