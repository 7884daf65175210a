//! One run: servers, hubs, readers and writers, and one fault after the other.

use crate::{
    PATIENCE,
    checker::Checker,
    client::{Client, Kind, Progress, Shared, Stage, write},
    engine::Engine,
    fault::{Fault, Profile},
    hubs::{Hubs, Log, topic},
    ledger::{Gaps, Ledger, Outcome},
    random::Random,
    report::Report,
    violation::Violation,
};
use eventwire_hub::StreamPosition;
use eventwire_log_tests::proxy::{Cut, Gate, Proxy};
use std::{
    collections::HashMap,
    mem,
    ops::Range,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};
use tokio::{
    runtime::{Builder, Runtime},
    task::JoinHandle,
};

/// For readers and writers.
pub(crate) const HUBS: usize = 3;
const READERS: usize = 48;
const WRITERS: usize = 4;
/// How many readers wait for a topic that nobody has written to.
const NEWCOMERS: usize = 9;
/// How long readers may need until they have caught up. A hub finds out within 5 seconds that a connection is dead, and
/// a busy machine is slow.
const LIMIT: Duration = Duration::from_secs(20);

pub(crate) struct Run<E> {
    pub(crate) profile: &'static Profile,
    pub(crate) runtime: Runtime,
    pub(crate) engine: E,
    /// One for each hub, if there is a server. The last process has none, for the newest events that readers have to
    /// reach.
    pub(crate) proxies: Vec<Proxy>,
    pub(crate) shared: Arc<Shared>,
    clients: Vec<Arc<Client>>,
    /// Those of one fault, which wait for the newest topic.
    newcomers: Vec<(Arc<Client>, JoinHandle<()>)>,
    /// How many topics there are, with those that only newcomers have read.
    pub(crate) topics: usize,
    writers: Vec<JoinHandle<()>>,
    pub(crate) random: Random,
    report: Report,
}

impl<E: Engine> Run<E> {
    /// For so many faults. `None` if something is not installed.
    pub(crate) fn start(profile: &'static Profile, seed: u64, count: usize) -> Option<Run<E>> {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let engine = E::start(profile, runtime.handle())?;
        let start_proxy = |port| (0..HUBS).map(|_| runtime.block_on(Proxy::start(port))).collect();
        let proxies: Vec<Proxy> = engine.port().map_or_else(Vec::new, start_proxy);
        let ports = (0..HUBS).map(|index| proxies.get(index).map(Proxy::port)).chain([engine.port()]);
        let log = |port| Log { address: engine.address(port), max_events: profile.max_events };
        let hubs = Hubs::start(ports.map(log).collect());
        let ledger = Ledger::new(profile.topics + count, profile.rules);
        let mut run = Run {
            profile,
            engine,
            proxies,
            shared: Arc::new(Shared::new(ledger, hubs, profile.padding)),
            clients: Vec::new(),
            newcomers: Vec::new(),
            topics: profile.topics,
            writers: Vec::new(),
            random: Random::new(seed),
            report: Report::default(),
            runtime,
        };
        if profile.rules.gaps != Gaps::Anywhere {
            // If there is no topic yet, and a reader's connection breaks before there is, the reader gets a gap.
            for number in 0..profile.topics {
                run.append(number);
            }
        }
        for index in 0..READERS {
            let topic = index / 4 % profile.topics;
            let count = if index % 6 == 5 { (2 + index / 6 % 3).min(profile.topics) } else { 1 };
            let checkers = (topic..topic + count).map(|topic| Checker::new(topic % profile.topics)).collect();
            let kind = [Kind::Faithful, Kind::Fickle, Kind::Fickle, Kind::Slow][index % 4];
            let (client, _) = run.read(&format!("reader {index}"), kind, checkers);
            run.clients.push(client);
        }
        for _ in 0..WRITERS {
            let writing = write(Arc::clone(&run.shared), profile.topics, run.random.another());
            run.writers.push(run.runtime.spawn(writing));
        }
        thread::sleep(Duration::from_millis(100));
        Some(run)
    }

    /// Starts a reader.
    fn read(&mut self, name: &str, kind: Kind, checkers: Vec<Checker>) -> (Arc<Client>, JoinHandle<()>) {
        let client = Arc::new(Client::new(name, kind, checkers));
        let running = Arc::clone(&client).run(Arc::clone(&self.shared), self.random.another());
        (client, self.runtime.spawn(running))
    }

    /// Lets so many faults happen, one or two at a time, at first of these kinds.
    pub(crate) fn faults(&mut self, count: usize, kinds: &[Fault]) {
        let mut done = 0;
        while done < count && self.report.stuck == 0 {
            let fault = if done < kinds.len() { kinds[done] } else { self.random.pick(self.profile.faults) };
            let brief: Vec<_> = kinds.iter().copied().filter(|kind| kind.is_brief() && *kind != fault).collect();
            let has_second = done + 1 < count && done >= kinds.len() && !brief.is_empty() && self.random.in_100(25);
            let second = has_second.then(|| self.random.pick(&brief));
            self.happen(fault, second);
            done += 1 + usize::from(has_second);
            self.shared.go_on_to(Stage::CatchingUp);
            self.catch_up(fault);
            self.shared.go_on_to(Stage::AtWill);
            self.rest(1..100);
        }
    }

    pub(crate) fn rest(&mut self, millis: Range<usize>) {
        thread::sleep(self.random.millis(millis));
    }

    /// Lets a fault happen, perhaps with a second one during it, and mends what it has broken.
    fn happen(&mut self, fault: Fault, second: Option<Fault>) {
        match fault {
            Fault::Reset => self.cut(|_| Cut::Reset, second),
            Fault::HalfClose => self.cut(|_| Cut::HalfClose, second),
            Fault::CutInsideReply => self.cut(|random| Cut::InsideReply(1 + random.below(400)), second),
            Fault::Silence => self.cut(|_| Cut::Silence, second),
            Fault::Stall => self.gate(Gate::Stalled, |run| run.meanwhile(second)),
            Fault::StallWakes => self.gate(Gate::WakesStalled, |run| {
                if run.random.in_100(30) {
                    // Until the hubs read without a wake-up.
                    run.rest(800..1400);
                }
                run.meanwhile(second);
            }),
            Fault::RefuseConnections => self.gate(Gate::Refusing, |run| run.meanwhile(second)),
            Fault::Delay => {
                let time = self.random.millis(5..60);
                self.gate(Gate::Delayed(time), |run| run.meanwhile(second));
            }
            Fault::ComeAndGo => self.come_and_go(second),
            Fault::GoOn => self.go_on(second),
            Fault::RemoveTopic => {
                let number = self.random.below(self.profile.topics);
                E::remove_topics(self, &[number]);
                self.meanwhile(second);
            }
            Fault::Trim => {
                let number = self.random.below(self.profile.topics);
                self.burst(number, 150, self.profile.padding);
                self.meanwhile(second);
            }
            Fault::KillHub => {
                let hub = self.shared.hubs.get(self.random.below(HUBS));
                if self.random.in_100(80) {
                    hub.kill();
                } else {
                    hub.end();
                }
                self.meanwhile(second);
                self.shared.hubs.start_again();
            }
            Fault::KillAll => {
                self.shared.hubs.kill_all();
                self.meanwhile(second);
                self.shared.hubs.start_again();
            }
            fault if !E::happen(self, fault, second) => return,
            _ => {}
        }
        *self.report.faults.entry(fault).or_default() += 1;
    }

    /// Topics may lose what they have so far.
    pub(crate) fn lose(&self, numbers: impl IntoIterator<Item = usize>) {
        numbers.into_iter().for_each(|number| self.shared.ledger.lose(number));
    }

    pub(crate) fn lose_all(&self) {
        self.lose(0..self.topics);
    }

    /// What happens while something is broken.
    pub(crate) fn meanwhile(&mut self, second: Option<Fault>) {
        self.rest(10..250);
        if let Some(second) = second {
            self.happen(second, None);
        }
    }

    /// One proxy, or all of them. None if there is no server.
    fn some_proxies(&mut self) -> Range<usize> {
        if self.proxies.is_empty() || self.random.in_100(50) {
            return 0..self.proxies.len();
        }
        let one = self.random.below(HUBS);
        one..one + 1
    }

    pub(crate) fn cut(&mut self, how: impl Fn(&mut Random) -> Cut, second: Option<Fault>) {
        let proxies = self.some_proxies();
        for index in proxies.clone() {
            let cut = how(&mut self.random);
            self.proxies[index].cut(cut);
        }
        self.meanwhile(second);
        self.proxies[proxies].iter().for_each(|proxy| proxy.cut(Cut::Spare));
    }

    pub(crate) fn gate(&mut self, gate: Gate, meanwhile: impl FnOnce(&mut Run<E>)) {
        let proxies = self.some_proxies();
        self.proxies[proxies.clone()].iter().for_each(|proxy| proxy.set(gate));
        meanwhile(self);
        self.proxies[proxies].iter().for_each(|proxy| proxy.set(Gate::Open));
    }

    /// With the gate in so many of 100 cases.
    pub(crate) fn gate_in_100(&mut self, percent: usize, gate: Gate, meanwhile: impl FnOnce(&mut Run<E>)) {
        let gate = if self.random.in_100(percent) { gate } else { Gate::Open };
        self.gate(gate, meanwhile);
    }

    pub(crate) fn accepted_connections(&self) -> usize {
        self.proxies.iter().map(Proxy::accepted).sum()
    }

    fn come_and_go(&mut self, second: Option<Fault>) {
        let number = self.topics;
        self.topics += 1;
        self.invite(number);
        self.gate_in_100(80, Gate::WakesStalled, |run| {
            for _ in 0..1 + run.random.below(3) {
                run.append(number);
                run.rest(1..60);
                E::remove_topics(run, &[number]);
                run.rest(1..60);
            }
            run.append(number);
            // Some hubs read the topic meanwhile, without a wake-up.
            run.rest(100..1000);
            run.meanwhile(second);
        });
    }

    /// Has new readers wait for a topic that there is not. One in three has it in one stream with another topic, and
    /// one in three comes with an ID that is not of this log.
    pub(crate) fn invite(&mut self, number: usize) {
        for index in 0..NEWCOMERS {
            let checkers = match index % 3 {
                0 => vec![Checker::new(number)],
                1 => vec![Checker::new(number).with_id(E::STRANGE)],
                _ => vec![Checker::new(self.random.below(self.profile.topics)), Checker::new(number)],
            };
            let newcomer = self.read(&format!("newcomer {index}"), Kind::Faithful, checkers);
            self.newcomers.push(newcomer);
        }
        let have_opened = || self.newcomers.iter().all(|(client, _)| client.progress() >= Progress::Opened);
        assert!(self.wait_for(LIMIT, have_opened), "no stream for a topic that there is not");
    }

    fn go_on(&mut self, second: Option<Fault>) {
        let mut topics: Vec<_> = (0..self.profile.topics).collect();
        topics.swap_remove(self.random.below(topics.len()));
        topics.truncate(1 + self.random.below(topics.len()));
        for number in &topics {
            self.shared.ended.lock().unwrap().insert(*number);
            self.end(*number);
        }
        self.meanwhile(second);
        E::remove_topics(self, &topics);
    }

    pub(crate) fn end(&self, number: usize) {
        let begun = Instant::now();
        while let Err(error) = self.runtime.block_on(self.shared.hubs.direct().finish(number)) {
            assert!(begun.elapsed() < PATIENCE, "the log does not answer: {error}");
        }
    }

    /// Sends many events at once, and returns how many were refused.
    pub(crate) fn burst(&self, number: usize, count: usize, padding: usize) -> usize {
        let (direct, mut refused) = (self.shared.hubs.direct(), 0);
        for _ in 0..count {
            let event_number = self.shared.ledger.begin(number, false);
            let outcome = self.runtime.block_on(direct.send(number, event_number, padding, false));
            refused += usize::from(outcome == Outcome::Refused);
            self.note(number, event_number, outcome);
        }
        refused
    }

    pub(crate) fn note(&self, number: usize, event_number: u64, outcome: Outcome) {
        self.shared.check("the log", self.shared.ledger.answered(number, event_number, outcome));
    }

    /// Sends an event until it is accepted, and returns its position.
    pub(crate) fn append(&self, number: usize) -> StreamPosition {
        let event_number = self.shared.ledger.begin(number, true);
        let (begun, direct) = (Instant::now(), self.shared.hubs.direct());
        loop {
            match self.runtime.block_on(direct.send(number, event_number, self.profile.padding, true)) {
                Outcome::Accepted(at) => {
                    self.note(number, event_number, Outcome::Accepted(at));
                    return at;
                }
                outcome => assert!(begun.elapsed() < PATIENCE, "the log does not answer: {outcome:?}"),
            }
        }
    }

    /// Waits until each reader has got an event that is accepted now.
    fn catch_up(&mut self, after: Fault) {
        let newcomers = mem::take(&mut self.newcomers);
        let newest_topic = (!newcomers.is_empty()).then(|| self.topics - 1);
        let topics = (0..self.profile.topics).chain(newest_topic);
        let newest: HashMap<_, _> = topics.map(|number| (number, self.append(number))).collect();
        let begun = Instant::now();
        let clients = || self.clients.iter().chain(newcomers.iter().map(|(client, _)| client));
        // Those who still get something are not stuck: a busy machine takes its time for much.
        let behind = || clients().filter(|client| !client.has_reached(&newest));
        while begun.elapsed() < PATIENCE {
            let waiting: Vec<_> = behind().collect();
            let received = || waiting.iter().map(|client| client.counts()[0]).sum::<usize>();
            let before = received();
            if self.wait_for(LIMIT, || behind().next().is_none()) || received() == before {
                break;
            }
        }
        let slowest = self.report.slowest.get_or_insert((Duration::ZERO, after));
        *slowest = (begun.elapsed(), after).max(*slowest);
        for client in behind() {
            self.report.stuck += 1;
            let newest: Vec<_> = newest.iter().map(|(number, at)| format!("{}={at}", topic(*number))).collect();
            let stuck = format!("after {after:?}: at {:?}, and not at {newest:?}", client.last_event_id());
            self.shared.report(&client.name, &Violation::Stuck(stuck));
        }
        newcomers.iter().for_each(|(_, running)| running.abort());
        self.shared.ended.lock().unwrap().clear();
    }

    /// Returns whether it became so in time.
    pub(crate) fn wait_for(&self, limit: Duration, is_so: impl Fn() -> bool) -> bool {
        let until = Instant::now() + limit;
        while !is_so() {
            if Instant::now() > until {
                return false;
            }
            thread::sleep(Duration::from_millis(5));
        }
        true
    }

    /// Ends the topics, and checks what is known only then.
    pub(crate) fn finish(mut self) -> Report {
        self.shared.go_on_to(Stage::Over);
        for writer in mem::take(&mut self.writers) {
            if self.wait_for(PATIENCE, || writer.is_finished()) {
                self.runtime.block_on(writer).unwrap();
            } else {
                self.shared.report("a writer", &Violation::Stuck("it does not end".to_owned()));
            }
        }
        self.catch_up(Fault::KillHub);
        self.shared.go_on_to(Stage::Finished);
        for number in 0..self.profile.topics {
            self.end(number);
        }
        let has_ended = |client: &Arc<Client>| client.progress() == Progress::Ended;
        self.wait_for(LIMIT, || self.clients.iter().all(has_ended));
        for client in self.clients.iter().filter(|client| !has_ended(client)) {
            self.report.stuck += 1;
            self.shared.report(&client.name, &Violation::End("the stream does not end".to_owned()));
        }
        let (violations, accepted) = self.shared.ledger.check();
        violations.iter().for_each(|violation| self.shared.report("at the end", violation));
        let mut report = self.report;
        report.accepted = accepted;
        for [events, gaps] in self.clients.iter().map(|client| client.counts()) {
            report.delivered += events;
            report.gaps += gaps;
        }
        report.violations = mem::take(&mut self.shared.violations.lock().unwrap());
        // Clients that have not ended share the hubs.
        self.shared.hubs.kill_all();
        self.runtime.shutdown_background();
        report
    }
}
