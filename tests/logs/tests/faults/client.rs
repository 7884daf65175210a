//! Readers that change between hubs, and those who send.

use crate::{
    checker::Checker,
    hubs::{Hubs, Process, topic},
    item::{Item, event},
    ledger::Ledger,
    random::Random,
    violation::Violation,
};
use bytes::Bytes;
use eventwire::{Encoded, Outgoing};
use eventwire_hub::{HubError, Resume, StreamPosition};
use futures_util::{StreamExt, stream::BoxStream};
use std::{
    collections::{HashMap, HashSet},
    future,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};
use tokio::{
    sync::{Notify, mpsc},
    time::{Instant, sleep, sleep_until},
};

/// What all clients of a run share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) ledger: Ledger,
    pub(crate) hubs: Hubs,
    /// How long the events are.
    pub(crate) padding: usize,
    /// Slow readers are quick, and none leaves, so that all can catch up.
    pub(crate) is_waiting_for_readers: AtomicBool,
    /// Those who send stop.
    pub(crate) is_over: AtomicBool,
    /// The topics have ended, for good.
    pub(crate) is_finished: AtomicBool,
    pub(crate) resumes: AtomicUsize,
    /// Topics that have ended, and go on or will go on.
    ended: Mutex<HashSet<usize>>,
    violations: Mutex<Vec<String>>,
}

impl Shared {
    pub(crate) fn new(ledger: Ledger, hubs: Hubs, padding: usize) -> Shared {
        Shared {
            ledger,
            hubs,
            padding,
            is_waiting_for_readers: false.into(),
            is_over: false.into(),
            is_finished: false.into(),
            resumes: 0.into(),
            ended: Mutex::default(),
            violations: Mutex::default(),
        }
    }

    pub(crate) fn report(&self, who: &str, violation: &Violation) {
        self.violations().push(format!("{who}: {violation:?}"));
    }

    pub(crate) fn violations(&self) -> MutexGuard<'_, Vec<String>> {
        self.violations.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn ended(&self) -> MutexGuard<'_, HashSet<usize>> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check(&self, who: &str, result: Result<(), Violation>) {
        if let Err(violation) = result {
            self.report(who, &violation);
        }
    }
}

/// A reader of one topic or of several in one stream, which returns with its last event ID whenever its hub is killed
/// or it feels like it.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) name: String,
    topics: Vec<usize>,
    kind: Kind,
    /// One for each topic.
    checkers: Mutex<Vec<Checker>>,
    /// Whether it has got something.
    has_opened: AtomicBool,
    /// Whether it was told that it has everything of a topic that has ended.
    has_ended: AtomicBool,
    pub(crate) has_advanced: Arc<Notify>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Stays with its hub.
    Faithful,
    /// Changes hubs.
    Fickle,
    /// Takes its time for each item, and changes hubs.
    Slow,
}

/// What comes from a hub.
enum Sent {
    Item(Bytes),
    /// The stream has ended.
    Ended,
    NotAdmitted,
    UpToDate,
}

impl Client {
    /// A reader of the topics that the checkers check.
    pub(crate) fn new(name: &str, kind: Kind, checkers: Vec<Checker>, has_advanced: Arc<Notify>) -> Client {
        let topics: Vec<_> = checkers.iter().map(Checker::topic).collect();
        Client {
            name: format!("{name} of {topics:?} ({kind:?})"),
            topics,
            kind,
            checkers: Mutex::new(checkers),
            has_opened: false.into(),
            has_ended: false.into(),
            has_advanced,
        }
    }

    pub(crate) fn checkers(&self) -> MutexGuard<'_, Vec<Checker>> {
        self.checkers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it knows of everything up to these positions, which are by topic.
    pub(crate) fn has_reached(&self, newest: &HashMap<usize, StreamPosition>) -> bool {
        self.topics.iter().zip(&*self.checkers()).all(|(topic, checker)| checker.has_reached(newest[topic]))
    }

    /// Its last event ID, if it has one.
    pub(crate) fn last_event_id(&self) -> Option<String> {
        let checkers = self.checkers();
        let positions: Option<Vec<_>> = checkers.iter().map(Checker::told).collect();
        let positions = positions?;
        match positions[..] {
            [position] => Some(position.to_string()),
            _ => {
                let names = self.topics.iter().zip(positions);
                let names: Vec<_> = names.map(|(number, at)| format!("{}={at}", topic(*number))).collect();
                Some(names.join(","))
            }
        }
    }

    fn hear(&self, bytes: &[u8], ledger: &Ledger) -> Result<(), Violation> {
        let mut checkers = self.checkers();
        if let [checker] = &mut checkers[..] {
            return checker.hear(Item::read(bytes).map_err(Violation::Unreadable)?, ledger);
        }
        let names: Vec<_> = self.topics.iter().map(|number| topic(*number).to_string()).collect();
        let told: Vec<_> = checkers.iter().map(Checker::told).collect();
        for (index, item) in Item::read_merged(bytes, &names, &told).map_err(Violation::Unreadable)? {
            checkers[index].hear(item, ledger)?;
        }
        Ok(())
    }

    pub(crate) fn has_opened(&self) -> bool {
        self.has_opened.load(SeqCst)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended.load(SeqCst)
    }

    pub(crate) async fn run(self: Arc<Client>, shared: Arc<Shared>, mut random: Random) {
        while !self.has_ended() {
            let Some(process) = shared.hubs.any(&mut random) else {
                sleep(Duration::from_millis(20)).await;
                continue;
            };
            self.connect(&shared, &process, &mut random).await;
            let pause = if shared.is_waiting_for_readers.load(SeqCst) { 5..20 } else { 5..300 };
            sleep(random.millis(pause)).await;
        }
    }

    async fn connect(&self, shared: &Shared, process: &Arc<Process>, random: &mut Random) {
        let id = self.last_event_id();
        if id.is_some() {
            shared.resumes.fetch_add(1, SeqCst);
        }
        // What is here when the connection ends is lost, as it is in the buffers of a socket.
        let (sender, mut received) = mpsc::channel(1 + random.below(32));
        let resume = match id {
            Some(id) => Resume::After(id.into_bytes().into()),
            None if random.in_100(50) => Resume::Live,
            None => Resume::Earliest,
        };
        process.runtime.spawn(serve(Arc::clone(process), self.topics.clone(), resume, sender));
        let leave = Instant::now() + random.millis(100..4000);
        loop {
            let is_waited_for = shared.is_waiting_for_readers.load(SeqCst);
            let leaving = async {
                match self.kind {
                    Kind::Fickle | Kind::Slow if !is_waited_for => sleep_until(leave).await,
                    _ => future::pending().await,
                }
            };
            let sent = tokio::select! {
                sent = received.recv() => sent,
                () = leaving => return,
            };
            match sent {
                Some(Sent::Item(bytes)) => {
                    shared.check(&self.name, self.hear(&bytes, &shared.ledger));
                    self.has_opened.store(true, SeqCst);
                    self.has_advanced.notify_one();
                    if self.kind == Kind::Slow && !is_waited_for {
                        sleep(random.millis(1..20)).await;
                    }
                }
                Some(Sent::UpToDate) if shared.is_finished.load(SeqCst) => {
                    self.has_ended.store(true, SeqCst);
                    self.has_advanced.notify_one();
                    return;
                }
                Some(Sent::Ended | Sent::UpToDate) => {
                    let may_end = self.topics.iter().all(|topic| shared.ended().contains(topic));
                    if !may_end && !process.is_killed() && !shared.is_finished.load(SeqCst) {
                        shared.report(&self.name, &Violation::End("the stream has ended".to_owned()));
                    }
                    return;
                }
                Some(Sent::NotAdmitted) => return,
                None => {
                    if !process.is_killed() {
                        shared.report(&self.name, &Violation::End("the reader's task is gone".to_owned()));
                    }
                    return;
                }
            }
        }
    }
}

/// What a server does for a connection.
async fn serve(process: Arc<Process>, topics: Vec<usize>, resume: Resume<'static>, sender: mpsc::Sender<Sent>) {
    let topics: Vec<_> = topics.into_iter().map(topic).collect();
    let reader: Result<BoxStream<'_, Bytes>, _> = match &topics[..] {
        [topic] => process.hub.subscribe(topic, resume).await.map(|reader| reader.map(Encoded::into_bytes).boxed()),
        _ => {
            let merged = process.hub.subscribe_merged(&topics, resume).await;
            merged.map(|merged| merged.map(Outgoing::into_bytes).boxed())
        }
    };
    let mut reader = match reader {
        Ok(reader) => reader,
        Err(error) => {
            let sent = if matches!(error, HubError::UpToDate) { Sent::UpToDate } else { Sent::NotAdmitted };
            let _ = sender.send(sent).await;
            return;
        }
    };
    loop {
        let item = tokio::select! {
            item = reader.next() => item,
            () = sender.closed() => return,
        };
        let is_last = item.is_none();
        if sender.send(item.map_or(Sent::Ended, Sent::Item)).await.is_err() || is_last {
            return;
        }
    }
}

/// Sends events through any hub, about half of them with a key, until it is over.
pub(crate) async fn write(shared: Arc<Shared>, topics: usize, mut random: Random) {
    while !shared.is_over.load(SeqCst) {
        let (number, has_key) = (random.below(topics), random.in_100(50));
        let event_number = shared.ledger.begin(number, has_key);
        loop {
            let Some(process) = shared.hubs.any(&mut random) else {
                sleep(Duration::from_millis(20)).await;
                continue;
            };
            match send(&process, number, event_number, has_key, shared.padding).await {
                Answer::Accepted(at) => {
                    shared.check("a writer", shared.ledger.accepted(number, event_number, at));
                    break;
                }
                Answer::Refused if !has_key => {
                    shared.ledger.refused(number, event_number);
                    break;
                }
                _ if !has_key => break,
                _ => sleep(Duration::from_millis(10)).await,
            }
        }
        sleep(random.millis(1..12)).await;
    }
}

enum Answer {
    Accepted(StreamPosition),
    Refused,
    Unknown,
}

async fn send(process: &Arc<Process>, number: usize, event_number: u64, has_key: bool, padding: usize) -> Answer {
    let sending = Arc::clone(process);
    let sent = process.runtime.spawn(async move {
        let event = event(event_number, padding);
        if has_key {
            sending.hub.send_once(&topic(number), &event_number.to_string(), &event).await
        } else {
            sending.hub.send(&topic(number), &event).await
        }
    });
    match sent.await {
        Ok(Ok(at)) => Answer::Accepted(at),
        Ok(Err(HubError::Log(error))) if !error.may_be_stored() => Answer::Refused,
        Ok(Err(HubError::Finished)) => Answer::Refused,
        // The hub was killed meanwhile.
        Ok(Err(_)) | Err(_) => Answer::Unknown,
    }
}
