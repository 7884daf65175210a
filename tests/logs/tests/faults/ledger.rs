//! What was sent, and at which positions readers have seen it.

use crate::violation::Violation;
use eventwire_hub::StreamPosition;
use std::{
    collections::{HashMap, HashSet},
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
};

/// All events of the topics of one run. The topics are numbered.
#[derive(Debug)]
pub(crate) struct Ledger {
    pub(crate) rules: Rules,
    /// Numbers what happens in this process: an event that began after an answer has a greater number.
    numbers: AtomicU64,
    topics: Vec<Mutex<Topic>>,
}

/// What the faults of a run can do to events and to the keys of events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) gaps: Gaps,
    pub(crate) keys: Keys,
    pub(crate) back: Back,
}

/// Where a reader may find a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gaps {
    Nowhere,
    /// Before the first event of an epoch.
    BetweenEpochs,
    /// Where events were removed, and nowhere else.
    AtRemoved,
    Anywhere,
}

/// Where a reader may continue after a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Back {
    /// Epochs rise, and a reader gets no event of an epoch that is over.
    Never,
    /// In an epoch that is lower, because the clock was set back. It gets no event twice.
    ToUnread,
    /// Between the epochs of two masters, back and forth. It gets events of the later epoch again, and no others.
    ToRead,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keys {
    Kept,
    /// An event that is sent again with its key can be stored again, in another epoch.
    LostWithEpoch,
    Lost,
}

/// What the sender of an event was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It may be stored.
    Unknown,
    Accepted(StreamPosition),
    /// It is not stored.
    Refused,
}

#[derive(Debug, Default)]
struct Topic {
    /// By number.
    sent: HashMap<u64, Sent>,
    /// The number of the event at each position.
    numbers: HashMap<StreamPosition, u64>,
    removed: HashSet<StreamPosition>,
    may_be_lost: bool,
    /// What readers have missed inside of an epoch. It must be over.
    gaps_inside: Vec<(StreamPosition, StreamPosition)>,
    /// Of the readers to whom nothing was said about missing events, because there was no topic: the number when they
    /// knew that there was none, and the epoch that they got first.
    nothing_before: Vec<(u64, u64)>,
}

#[derive(Debug)]
struct Sent {
    has_key: bool,
    outcome: Outcome,
    /// Where it was accepted or seen.
    at: Vec<StreamPosition>,
}

impl Ledger {
    pub(crate) fn new(topics: usize, rules: Rules) -> Ledger {
        let topics = (0..topics).map(|_| Mutex::default()).collect();
        Ledger { rules, numbers: AtomicU64::new(1), topics }
    }

    fn topic(&self, topic: usize) -> MutexGuard<'_, Topic> {
        self.topics[topic].lock().unwrap()
    }

    pub(crate) fn next_number(&self) -> u64 {
        self.numbers.fetch_add(1, SeqCst)
    }

    /// Returns the number of an event that will be sent.
    pub(crate) fn begin(&self, topic: usize, has_key: bool) -> u64 {
        let number = self.next_number();
        let sent = Sent { has_key, outcome: Outcome::Unknown, at: Vec::new() };
        self.topic(topic).sent.insert(number, sent);
        number
    }

    /// The sender of an event has got an answer.
    pub(crate) fn answered(&self, topic: usize, number: u64, outcome: Outcome) -> Result<(), Violation> {
        let mut topic = self.topic(topic);
        topic.sent.get_mut(&number).unwrap().outcome = outcome;
        if let Outcome::Accepted(at) = outcome { topic.place(at, number) } else { Ok(()) }
    }

    /// A reader has got an event.
    pub(crate) fn seen(&self, topic: usize, number: u64, at: StreamPosition) -> Result<(), Violation> {
        self.topic(topic).place(at, number)
    }

    /// An event will be removed.
    pub(crate) fn remove(&self, topic: usize, at: StreamPosition) {
        self.topic(topic).removed.insert(at);
    }

    /// Whether all events between two positions of an epoch were removed.
    pub(crate) fn are_removed(&self, topic: usize, after: StreamPosition, last: StreamPosition) -> bool {
        let topic = self.topic(topic);
        let mut numbers = after.sequence() + 1..=last.sequence();
        after.epoch() == last.epoch()
            && !numbers.is_empty()
            && numbers.all(|number| topic.removed.contains(&StreamPosition::new(after.epoch(), number)))
    }

    /// A topic is removed, or may lose its end.
    pub(crate) fn lose(&self, topic: usize) {
        self.topic(topic).may_be_lost = true;
    }

    /// A reader has a gap inside of an epoch. Returns whether it can be one that is over, which is known at the end.
    pub(crate) fn gap_inside(&self, topic: usize, told: StreamPosition, at: StreamPosition) -> bool {
        let mut topic = self.topic(topic);
        topic.gaps_inside.push((told, at));
        topic.may_be_lost
    }

    /// A reader has got the first event of an epoch, and nothing before it, since it was told that there is no topic.
    pub(crate) fn nothing_before(&self, topic: usize, told: u64, epoch: u64) {
        self.topic(topic).nothing_before.push((told, epoch));
    }

    /// Returns what is known only at the end, and how many events were accepted.
    pub(crate) fn check(&self) -> (Vec<Violation>, usize) {
        let (mut violations, mut accepted) = (Vec::new(), 0);
        for topic in 0..self.topics.len() {
            let topic = self.topic(topic);
            for (&number, sent) in &topic.sent {
                match sent.outcome {
                    Outcome::Accepted(_) => accepted += 1,
                    Outcome::Refused if !sent.at.is_empty() => {
                        violations.push(Violation::StoredAfterRefusal { number, at: sent.at[0] });
                    }
                    Outcome::Refused | Outcome::Unknown => {}
                }
                if !sent.may_be_stored_so_often(self.rules.keys) {
                    violations.push(Violation::StoredTwice { number, at: sent.at.clone() });
                }
            }
            for &(told, at) in &topic.gaps_inside {
                if !topic.numbers.keys().any(|later| later.epoch() > at.epoch()) {
                    violations.push(Violation::NeedlessGap { told, at });
                }
            }
            for &(told, epoch) in &topic.nothing_before {
                let missed = topic.sent.iter().find(|(number, sent)| {
                    **number > told && matches!(sent.outcome, Outcome::Accepted(at) if at.epoch() < epoch)
                });
                if let Some((&number, sent)) = missed {
                    violations.push(Violation::MissedBeforeFirst { number, at: sent.at.clone(), epoch });
                }
            }
        }
        (violations, accepted)
    }
}

impl Topic {
    fn place(&mut self, at: StreamPosition, number: u64) -> Result<(), Violation> {
        let sent = self.sent.get_mut(&number).ok_or(Violation::MadeUp { number, at })?;
        if !sent.at.contains(&at) {
            sent.at.push(at);
        }
        let other = *self.numbers.entry(at).or_insert(number);
        if other == number { Ok(()) } else { Err(Violation::TwoAtOnePosition { at, numbers: [other, number] }) }
    }
}

impl Sent {
    fn may_be_stored_so_often(&self, keys: Keys) -> bool {
        let epochs: HashSet<_> = self.at.iter().map(|at| at.epoch()).collect();
        match keys {
            _ if self.at.len() < 2 => true,
            Keys::LostWithEpoch => self.has_key && epochs.len() == self.at.len(),
            Keys::Lost => self.has_key,
            Keys::Kept => false,
        }
    }
}
