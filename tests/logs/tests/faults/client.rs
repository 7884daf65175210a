//! Readers that change between hubs, and those who send.

use crate::{
    checker::Checker,
    hubs::{Hubs, Process, topic},
    ledger::{Ledger, Outcome},
    random::Random,
    violation::Violation,
};
use eventwire_hub::StreamPosition;
use std::{
    collections::{HashMap, HashSet},
    future,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::{Instant, sleep, sleep_until};

/// What all clients of a run share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) ledger: Ledger,
    pub(crate) hubs: Hubs,
    /// How long the events are.
    pub(crate) padding: usize,
    pub(crate) stage: Mutex<Stage>,
    /// Topics that have ended, and go on or will go on.
    pub(crate) ended: Mutex<HashSet<usize>>,
    pub(crate) violations: Mutex<Vec<String>>,
}

/// What the clients do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Some readers are slow, and leave when they feel like it.
    AtWill,
    /// Readers are quick, and stay, so that all can catch up.
    CatchingUp,
    /// The same, and those who send stop.
    Over,
    /// The topics have ended, for good.
    Finished,
}

impl Shared {
    pub(crate) fn new(ledger: Ledger, hubs: Hubs, padding: usize) -> Shared {
        let (ended, violations) = (Mutex::default(), Mutex::default());
        Shared { ledger, hubs, padding, stage: Mutex::new(Stage::AtWill), ended, violations }
    }

    pub(crate) fn stage(&self) -> Stage {
        *self.stage.lock().unwrap()
    }

    pub(crate) fn go_on_to(&self, stage: Stage) {
        *self.stage.lock().unwrap() = stage;
    }

    pub(crate) fn report(&self, who: &str, violation: &Violation) {
        self.violations.lock().unwrap().push(format!("{who}: {violation:?}"));
    }

    pub(crate) fn check(&self, who: &str, result: Result<(), Violation>) {
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
    /// Those of the checkers.
    topics: Vec<usize>,
    kind: Kind,
    state: Mutex<State>,
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

#[derive(Debug)]
struct State {
    /// One for each topic.
    checkers: Vec<Checker>,
    progress: Progress,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Progress {
    Nothing,
    /// It has got something.
    Opened,
    /// It was told that it has everything of a topic that has ended.
    Ended,
}

impl Client {
    /// A reader of the topics that the checkers check.
    pub(crate) fn new(name: &str, kind: Kind, checkers: Vec<Checker>) -> Client {
        let topics: Vec<_> = checkers.iter().map(|checker| checker.topic).collect();
        let state = Mutex::new(State { checkers, progress: Progress::Nothing });
        Client { name: format!("{name} of {topics:?} ({kind:?})"), topics, kind, state }
    }

    /// Whether it knows of everything up to these positions, which are by topic.
    pub(crate) fn has_reached(&self, newest: &HashMap<usize, StreamPosition>) -> bool {
        self.state.lock().unwrap().checkers.iter().all(|checker| checker.has_reached(newest[&checker.topic]))
    }

    pub(crate) fn progress(&self) -> Progress {
        self.state.lock().unwrap().progress
    }

    /// How many events and gaps it has got.
    pub(crate) fn counts(&self) -> [usize; 2] {
        let checkers = &self.state.lock().unwrap().checkers;
        [checkers.iter().map(|checker| checker.events).sum(), checkers.iter().map(|checker| checker.gaps).sum()]
    }

    /// Its last event ID, if it has one.
    pub(crate) fn last_event_id(&self) -> Option<String> {
        let checkers = &self.state.lock().unwrap().checkers;
        if let [checker] = &checkers[..] {
            return checker.told().map(|at| at.to_string());
        }
        let positions = checkers.iter().map(|checker| Some(format!("{}={}", topic(checker.topic), checker.told()?)));
        Some(positions.collect::<Option<Vec<_>>>()?.join(","))
    }

    fn hear(&self, block: &[u8], ledger: &Ledger) -> Result<(), Violation> {
        let State { checkers, progress } = &mut *self.state.lock().unwrap();
        *progress = Progress::Opened;
        Checker::hear_block(checkers, block, ledger)
    }

    pub(crate) async fn run(self: Arc<Client>, shared: Arc<Shared>, mut random: Random) {
        while self.progress() != Progress::Ended {
            if let Some(process) = shared.hubs.any(&mut random) {
                self.connect(&shared, &process, &mut random).await;
            }
            let pause = if shared.stage() == Stage::AtWill { 5..300 } else { 5..20 };
            sleep(random.millis(pause)).await;
        }
    }

    async fn connect(&self, shared: &Shared, process: &Process, random: &mut Random) {
        let resume = match self.last_event_id() {
            Some(id) => id,
            None if random.in_100(50) => "live".to_owned(),
            None => "earliest".to_owned(),
        };
        let topics: Vec<_> = self.topics.iter().map(|number| topic(*number).to_string()).collect();
        let Ok(mut blocks) = process.ask(&format!("read {resume} {}", topics.join(","))).await else {
            return self.has_broken(shared, process);
        };
        let leave = Instant::now() + random.millis(100..4000);
        loop {
            let kind = if shared.stage() == Stage::AtWill { self.kind } else { Kind::Faithful };
            let leaving = async {
                match kind {
                    Kind::Fickle | Kind::Slow => sleep_until(leave).await,
                    Kind::Faithful => future::pending().await,
                }
            };
            // What is here when the reader leaves is lost.
            let block = tokio::select! {
                block = blocks.next() => block,
                () = leaving => return,
            };
            let Ok(block) = block else { return self.has_broken(shared, process) };
            let is_finished = shared.stage() == Stage::Finished;
            match &block[..] {
                b": up to date\n\n" if is_finished => self.state.lock().unwrap().progress = Progress::Ended,
                b": up to date\n\n" | b": ended\n\n" => {
                    let may_end = self.topics.iter().all(|topic| shared.ended.lock().unwrap().contains(topic));
                    if !may_end && !is_finished && !process.is_over() {
                        shared.report(&self.name, &Violation::End("the stream has ended".to_owned()));
                    }
                }
                block if block.starts_with(b": not admitted") => {}
                block => {
                    shared.check(&self.name, self.hear(block, &shared.ledger));
                    if kind == Kind::Slow {
                        sleep(random.millis(1..20)).await;
                    }
                    continue;
                }
            }
            return;
        }
    }

    fn has_broken(&self, shared: &Shared, process: &Process) {
        if !process.is_over() {
            shared.report(&self.name, &Violation::End("the connection has broken".to_owned()));
        }
    }
}

/// Sends events through any hub, about half of them with a key, until it is over. An event with a key is sent until it
/// is accepted.
pub(crate) async fn write(shared: Arc<Shared>, topics: usize, mut random: Random) {
    while matches!(shared.stage(), Stage::AtWill | Stage::CatchingUp) {
        let (number, has_key) = (random.below(topics), random.in_100(50));
        let event_number = shared.ledger.begin(number, has_key);
        loop {
            if let Some(process) = shared.hubs.any(&mut random) {
                let outcome = process.send(number, event_number, shared.padding, has_key).await;
                if !has_key || matches!(outcome, Outcome::Accepted(_)) {
                    shared.check("a writer", shared.ledger.answered(number, event_number, outcome));
                    break;
                }
            }
            sleep(Duration::from_millis(10)).await;
        }
        sleep(random.millis(1..12)).await;
    }
}
