//! Random runs: several hubs on one log that loses, delays and doubles wake-ups, fails, forgets topics and trims them,
//! and readers that are polled at random, lose their connections, and return to another hub.
//!
//! A checker knows every append that the log has accepted. A reader must get every event after its position, once and
//! in order, or a gap event where something is missing. At the end the faults stop, and every reader must reach the
//! tail.
//!
//! With `SEED=7` in the environment, only that seed runs. `RUNS=5000` sets how many there are.

use crate::items::text;
use eventwire::Event;
use eventwire_hub::{
    Entry, History, Hub, HubError, Limit, Log, Memory, Page, Reader, Resume, StreamPosition, Topic, Wake,
};
use futures_util::{
    StreamExt,
    stream::{self, BoxStream},
};
use std::{
    collections::HashMap,
    ops::Range,
    sync::{Arc, Mutex, MutexGuard},
    thread,
    time::Duration,
};
use tokio::{
    runtime::Builder,
    sync::mpsc,
    time::{sleep, timeout},
};

const RUNS: u64 = 300;
const STEPS: usize = 150;
const RESYNC: Duration = Duration::from_secs(2);

/// Numbers that look random, from a seed. The hub has times of its own that no seed determines.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % bound
    }

    fn one_in(&mut self, bound: u64) -> bool {
        self.below(bound) == 0
    }

    fn any<T: Copy>(&mut self, values: &[T]) -> T {
        values[usize::try_from(self.below(values.len() as u64)).unwrap()]
    }

    fn millis(&mut self, range: Range<u64>) -> Duration {
        Duration::from_millis(range.start + self.below(range.end - range.start))
    }
}

/// A [`Memory`] with faults.
#[derive(Clone)]
struct Shaky {
    log: Memory,
    state: Arc<Mutex<State>>,
}

struct State {
    chance: Chance,
    is_shaky: bool,
    truth: Truth,
}

/// What the log has accepted.
#[derive(Default)]
struct Truth {
    /// In this order.
    epochs: Vec<u64>,
    events: HashMap<(u64, u64), String>,
    /// The number of the newest event of each epoch.
    newest: HashMap<u64, u64>,
    /// How many events of a topic the log keeps.
    kept: u64,
}

impl Truth {
    fn accept(&mut self, at: StreamPosition, data: String) {
        if self.epochs.last() != Some(&at.epoch()) {
            assert!(!self.epochs.contains(&at.epoch()));
            self.epochs.push(at.epoch());
        }
        assert_eq!(at.sequence(), self.newest.get(&at.epoch()).map_or(1, |newest| newest + 1));
        self.newest.insert(at.epoch(), at.sequence());
        self.events.insert((at.epoch(), at.sequence()), data);
    }

    fn is_trimmed(&self, (epoch, number): (u64, u64)) -> bool {
        self.epochs.last() != Some(&epoch) || number + self.kept <= self.newest[&epoch]
    }

    fn age(&self, epoch: u64) -> Option<usize> {
        self.epochs.iter().position(|other| *other == epoch)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("a fault of the test")]
struct Fault;

impl Shaky {
    fn new(chance: Chance, kept: usize) -> Shaky {
        let truth = Truth { kept: kept as u64, ..Truth::default() };
        let log = Memory::new(History::new().with_max_events(kept)).with_max_topics(1);
        Shaky { log, state: Arc::new(Mutex::new(State { chance, is_shaky: true, truth })) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Takes a while, and fails sometimes.
    async fn pass(&self) -> Result<(), Fault> {
        let (delay, fails) = {
            let State { chance, is_shaky, .. } = &mut *self.state();
            let delay = if *is_shaky && chance.one_in(2) { chance.millis(1..30) } else { Duration::ZERO };
            (delay, *is_shaky && chance.one_in(12))
        };
        if !delay.is_zero() {
            sleep(delay).await;
        }
        if fails { Err(Fault) } else { Ok(()) }
    }
}

impl Log for Shaky {
    type Error = Fault;
    type Wakes = BoxStream<'static, Wake>;

    /// It may fail although the event was accepted.
    async fn append(
        &self,
        topic: &Topic,
        entry: Entry<'_>,
        key: Option<&str>,
    ) -> Result<Option<StreamPosition>, Fault> {
        self.pass().await?;
        let at = Log::append(&self.log, topic, entry, key).await.unwrap();
        if let (Some(at), Entry::Event(event), "t") = (at, entry, topic.as_str()) {
            let block = String::from_utf8(event.as_ref().to_vec()).unwrap();
            self.state().truth.accept(at, block.strip_prefix("data: ").unwrap().trim_end().to_owned());
        }
        self.pass().await?;
        Ok(at)
    }

    async fn read(&self, topic: &Topic, after: Option<StreamPosition>, limit: Limit) -> Result<Page, Fault> {
        self.pass().await?;
        let page = Log::read(&self.log, topic, after, limit).await.unwrap();
        self.pass().await?;
        Ok(page)
    }

    async fn watch(&self, topic: &Topic) -> Result<BoxStream<'static, Wake>, Fault> {
        self.pass().await?;
        let mut wakes = Log::watch(&self.log, topic).await.unwrap();
        self.pass().await?;
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let state = Arc::clone(&self.state);
        tokio::spawn(async move {
            while let Some(wake) = wakes.next().await {
                let (fate, delay) = {
                    let State { chance, is_shaky, .. } = &mut *state.lock().unwrap();
                    (if *is_shaky { chance.below(24) } else { 23 }, chance.millis(1..400))
                };
                let _ = match fate {
                    0 => return,
                    1..=4 => Ok(()),
                    5..=8 => {
                        let sender = sender.clone();
                        drop(tokio::spawn(async move {
                            sleep(delay).await;
                            let _ = sender.send(wake);
                        }));
                        Ok(())
                    }
                    9..=11 => sender.send(wake.clone()).and_then(|()| sender.send(wake)),
                    12 => sender.send(Wake::Changed),
                    _ => sender.send(wake),
                };
                if sender.is_closed() {
                    return;
                }
            }
        });
        Ok(stream::poll_fn(move |context| receiver.poll_recv(context)).boxed())
    }
}

/// A client, its connection, and what it has got.
struct Client {
    reader: Option<Reader<Shaky>>,
    /// What its last event ID says.
    at: Option<(u64, u64)>,
    /// Its ID is none of the log, or that of an unknown topic, so that a gap event comes first.
    is_lost: bool,
    /// The last item was a gap event.
    has_gap: bool,
    gaps: usize,
    events: usize,
}

impl Client {
    fn new() -> Client {
        Client { reader: None, at: None, is_lost: false, has_gap: false, gaps: 0, events: 0 }
    }

    /// Connects to a hub, with its last ID.
    async fn connect(&mut self, hub: &Hub<Shaky>, topic: &Topic, begins_with: Resume<'_>) {
        self.reader = None;
        let id = self.at.map(|at| StreamPosition::new(at.0, at.1).to_string());
        let resume = id.as_ref().map_or(begins_with, |id| Resume::After(id.as_bytes().into()));
        let is_lost = matches!(&resume, Resume::After(id) if id.as_ref() == b"x") || self.at == Some((0, 0));
        match hub.subscribe(topic, resume).await {
            Ok(reader) => {
                self.reader = Some(reader);
                self.is_lost = is_lost;
            }
            Err(HubError::Log(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }

    /// Polls the stream for so long, and checks what it gets. Returns false if nothing came.
    async fn read(&mut self, log: &Shaky, time: Duration) -> bool {
        let Some(reader) = &mut self.reader else { return false };
        match timeout(time, reader.next()).await {
            Ok(Some(item)) => self.check(&log.state().truth, &text(item)),
            // The hub has gone.
            Ok(None) => self.reader = None,
            Err(_) => return false,
        }
        true
    }

    fn check(&mut self, truth: &Truth, item: &str) {
        let words: Vec<&str> = item.split(' ').collect();
        let parse = |id: &str| {
            let (epoch, number) = id.split_once('-').unwrap();
            (u64::from_str_radix(epoch, 16).unwrap(), number.parse().unwrap())
        };
        let before = self.at;
        let context = || format!("{item:?} after {before:x?}, epochs {:x?}", truth.epochs);
        match *words {
            [id] => {
                let id = parse(id.strip_prefix('@').unwrap());
                assert!(self.at.is_none_or(|at| at == id), "the opening is another position: {}", context());
                self.at = Some(id);
            }
            ["gap", id, missed] => {
                let id = parse(id);
                if self.is_lost {
                    assert_eq!(missed, "?");
                } else {
                    let at = self.at.unwrap();
                    if at.0 == id.0 {
                        assert_eq!(missed.parse::<u64>().ok(), id.1.checked_sub(at.1), "count: {}", context());
                        assert!(id.1 > at.1 && truth.is_trimmed(id), "nothing is missing: {}", context());
                    } else {
                        // A client that was there before the first event knows how many it has missed.
                        assert!(missed == "?" || at == (0, 0) && missed.parse() == Ok(id.1), "count: {}", context());
                        assert!(at.0 == 0 || truth.age(id.0) > truth.age(at.0), "an older epoch: {}", context());
                        assert!(id.1 == 0 || truth.is_trimmed(id), "a hole: {}", context());
                        assert!(!self.has_gap || truth.is_trimmed(at), "two gap events: {}", context());
                    }
                }
                self.at = Some(id);
                self.gaps += 1;
            }
            [id, data] => {
                let id = parse(id);
                assert!(!self.is_lost, "no gap event: {}", context());
                assert_eq!(truth.events.get(&id).map(String::as_str), Some(data), "not accepted: {}", context());
                let at = self.at.unwrap();
                // A client that waits for an unknown topic has the first event of an epoch next.
                let follows = (at.0 == id.0 || at == (0, 0)) && id.1 == at.1 + 1;
                assert!(follows, "a hole or a double: {}", context());
                self.at = Some(id);
                self.events += 1;
            }
            _ => panic!("{item:?}"),
        }
        self.has_gap = item.starts_with("gap");
        self.is_lost &= item.starts_with('@');
    }
}

/// Names the seed if the run fails.
struct Seed(u64);

impl Drop for Seed {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("the seed was {}", self.0);
        }
    }
}

/// Returns how many events and gap events the clients got.
async fn run(seed: u64) -> (usize, usize) {
    let _seed = Seed(seed);
    let mut chance = Chance(seed);
    chance.below(2);
    let log = Shaky::new(Chance(seed ^ 0x5555), chance.any(&[1, 3, 10, 200]));
    let history = History::new().with_max_events(chance.any(&[1, 4, 100]));
    let idle = chance.millis(1..5000);
    let new_hub = || Hub::new(log.clone()).with_history(history).with_resync(RESYNC).with_idle(idle);
    let mut hubs = [(); 3].map(|()| new_hub());
    let mut clients: Vec<Client> = (0..5).map(|_| Client::new()).collect();
    let (topic, other) = (Topic::new("t").unwrap(), Topic::new("other").unwrap());
    let evicts = chance.one_in(2);
    for step in 0..STEPS {
        let hub = &hubs[usize::try_from(chance.below(3)).unwrap()];
        let client = usize::try_from(chance.below(5)).unwrap();
        let client = &mut clients[client];
        match chance.below(100) {
            0..30 => {
                for number in 0..chance.any(&[1, 1, 2, 5, 70]) {
                    let _ = hub.send(&topic, &Event::new(format!("{step}.{number}"))).await;
                }
            }
            30..70 => {
                for _ in 0..chance.any(&[1, 3, 10, 100]) {
                    let time = chance.millis(0..20);
                    if !client.read(&log, time).await {
                        break;
                    }
                }
            }
            70..85 => {
                let begins_with = match chance.below(5) {
                    0 => Resume::Earliest,
                    1 => Resume::After(b"x".into()),
                    _ => Resume::Live,
                };
                if chance.one_in(6) {
                    *client = Client::new();
                }
                client.connect(hub, &topic, begins_with).await;
            }
            85..95 => sleep(chance.millis(1..1000)).await,
            95 if evicts => drop(hub.send(&other, &Event::new("evicts the topic")).await),
            96 => sleep(RESYNC).await,
            97 => {
                let killed = usize::try_from(chance.below(3)).unwrap();
                hubs[killed] = new_hub();
            }
            _ => client.reader = None,
        }
    }
    log.state().is_shaky = false;
    hubs[0].send(&topic, &Event::new("last")).await.unwrap();
    let epoch = *log.state().truth.epochs.last().unwrap();
    let newest = (epoch, log.state().truth.newest[&epoch]);
    for client in &mut clients {
        // It may still be connected to a hub that has gone, or its hub may not know yet that the log is back.
        while client.read(&log, RESYNC * 3).await {}
        for _ in 0..3 {
            if client.reader.is_none() {
                sleep(RESYNC).await;
                client.connect(&hubs[1], &topic, Resume::Live).await;
                while client.read(&log, RESYNC * 3).await {}
            }
        }
        assert_eq!(client.at, Some(newest), "a reader is stuck");
    }
    drop(hubs);
    for client in &mut clients {
        let mut reader = client.reader.take().unwrap();
        assert!(timeout(RESYNC, reader.next()).await.unwrap().is_none());
    }
    (clients.iter().map(|client| client.events).sum(), clients.iter().map(|client| client.gaps).sum())
}

#[test]
fn each_client_gets_each_event_once_or_is_told() {
    let first = std::env::var("SEED").ok().map(|seed| seed.parse().unwrap());
    let runs = std::env::var("RUNS").map_or(RUNS, |runs| runs.parse().unwrap());
    let (mut events, mut gaps) = (0, 0);
    for seed in first.map_or(0..runs, |first| first..first + 1) {
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let got = runtime.block_on(run(seed));
        (events, gaps) = (events + got.0, gaps + got.1);
    }
    println!("{events} events, {gaps} gap events");
    assert!(first.is_some() || events > 10_000 && gaps > 500, "{events} events, {gaps} gap events");
}
