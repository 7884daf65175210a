//! One run: a server, hubs, readers and writers, and one fault after the other.

use crate::{
    PATIENCE,
    client::{Client, Shared, write},
    engine::Engine,
    fault::{Fault, Profile},
    hubs::{Hubs, topic},
    item::event,
    ledger::{Gaps, Ledger},
    proxy::{Buffers, Cut, Gate, Proxy},
    random::Random,
    report::Report,
    violation::Violation,
};
use eventwire_hub::{Hub, Position};
use eventwire_redis::RedisLog;
use std::{
    sync::{Arc, atomic::Ordering::SeqCst},
    thread,
    time::{Duration, Instant},
};
use tokio::{
    runtime::{Builder, Runtime},
    sync::Notify,
    task::JoinHandle,
};

const HUBS: usize = 3;
const READERS: usize = 48;
const WRITERS: usize = 4;
/// How long readers may need until they have caught up. A hub finds out within 5 seconds that a connection is dead, and
/// a busy machine is slow.
const LIMIT: Duration = Duration::from_secs(20);

/// What has to be mended after a fault.
#[derive(Debug)]
enum Mend {
    Nothing,
    Proxies(Vec<usize>),
    Server,
    Replica,
    Memory {
        evicted: u64,
    },
    /// Proxies that are stalled, and how many connections they had.
    Overflow {
        proxies: Vec<usize>,
        accepted: usize,
    },
    Hub(usize),
}

pub(crate) struct Run {
    profile: &'static Profile,
    runtime: Runtime,
    engine: Engine,
    shared: Arc<Shared>,
    clients: Vec<Arc<Client>>,
    writers: Vec<JoinHandle<()>>,
    /// Without a proxy, for the newest events that readers have to reach.
    direct: Hub<RedisLog>,
    has_advanced: Arc<Notify>,
    random: Random,
    report: Report,
}

impl Run {
    /// `None` if no server is installed.
    pub(crate) fn start(profile: &'static Profile, seed: u64) -> Option<Run> {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let engine = Engine::start(profile.options, profile.has_replica, runtime.handle())?;
        let buffers = if profile.faults.contains(&Fault::Overflow) { Buffers::Small } else { Buffers::Usual };
        let proxies = (0..HUBS).map(|_| runtime.block_on(Proxy::start(engine.master().port(), buffers))).collect();
        let hubs = Hubs::start(proxies, profile.max_events);
        let ledger = Ledger::new(profile.topics, profile.rules);
        let mut run = Run {
            profile,
            direct: direct(&engine, profile),
            engine,
            shared: Arc::new(Shared::new(ledger, hubs, profile.padding)),
            clients: Vec::new(),
            writers: Vec::new(),
            has_advanced: Arc::default(),
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
            let topics = if index % 6 == 5 { vec![topic, (topic + 1) % profile.topics] } else { vec![topic] };
            let client = Arc::new(Client::new(index, topics, Arc::clone(&run.has_advanced)));
            let running = Arc::clone(&client).run(Arc::clone(&run.shared), run.random.another());
            run.runtime.spawn(running);
            run.clients.push(client);
        }
        for _ in 0..WRITERS {
            let writing = write(Arc::clone(&run.shared), profile.topics, run.random.another());
            run.writers.push(run.runtime.spawn(writing));
        }
        thread::sleep(Duration::from_millis(100));
        Some(run)
    }

    /// Lets so many faults happen, one or two at a time. The first ones are all that there are.
    pub(crate) fn faults(&mut self, count: usize) {
        let mut done = 0;
        while done < count && self.report.stuck == 0 {
            let kinds = self.profile.faults;
            let fault = if done < kinds.len() { kinds[done] } else { self.random.pick(kinds) };
            let mend = self.begin(fault);
            self.rest(10..250);
            let brief: Vec<_> = kinds.iter().copied().filter(|kind| kind.is_brief() && *kind != fault).collect();
            if done + 1 < count && done >= kinds.len() && !brief.is_empty() && self.random.in_100(25) {
                let second = self.random.pick(&brief);
                let mend = self.begin(second);
                self.rest(5..100);
                self.mend(mend);
                done += 1;
            }
            self.mend(mend);
            done += 1;
            self.catch_up(fault);
            self.rest(1..100);
        }
    }

    fn rest(&mut self, millis: std::ops::Range<usize>) {
        thread::sleep(self.random.millis(millis));
    }

    /// One proxy, or all of them.
    fn some_proxies(&mut self) -> Vec<usize> {
        if self.random.in_100(50) { (0..HUBS).collect() } else { vec![self.random.below(HUBS)] }
    }

    fn begin(&mut self, fault: Fault) -> Mend {
        *self.report.faults.entry(fault).or_default() += 1;
        match fault {
            Fault::Reset => self.cut(|_| Cut::Reset),
            Fault::HalfClose => self.cut(|_| Cut::HalfClose),
            Fault::CutInsideReply => self.cut(Cut::inside_reply),
            Fault::Swallow => self.cut(|_| Cut::Swallow),
            Fault::Stall => self.gate(Gate::Stalled),
            Fault::RefuseConnections => {
                let mend = self.gate(Gate::Refusing);
                let Mend::Proxies(proxies) = &mend else { return mend };
                proxies.iter().for_each(|index| self.shared.hubs.proxies()[*index].cut(Cut::Reset));
                mend
            }
            Fault::Delay => {
                let time = self.random.millis(5..60);
                self.gate(Gate::Delayed(time))
            }
            Fault::KillServer => {
                self.engine.kill();
                Mend::Server
            }
            Fault::Promote => self.promote(),
            Fault::KillPubSub => self.command(&["CLIENT", "KILL", "TYPE", "pubsub"]),
            Fault::Pause => {
                let time = self.random.millis(50..400).as_millis().to_string();
                self.command(&["CLIENT", "PAUSE", &time, "ALL"])
            }
            Fault::FlushAll => {
                // Topics can come and go while a reader is away.
                for _ in 0..1 + self.random.below(4) {
                    self.command(&["FLUSHALL"]);
                    self.rest(1..60);
                }
                self.command(&["FLUSHALL"])
            }
            Fault::UnlinkStream => self.unlink("stream"),
            Fault::UnlinkMeta => self.unlink("topic"),
            Fault::Overflow => {
                let Mend::Proxies(proxies) = self.gate(Gate::Stalled) else { return Mend::Nothing };
                let accepted = self.accepted_connections(&proxies);
                let number = self.random.below(self.profile.topics);
                // More than the buffers of sockets hold.
                self.burst(number, 120, 40_000);
                Mend::Overflow { proxies, accepted }
            }
            Fault::Evict => {
                let used = self.engine.info("memory", "used_memory");
                let evicted = self.engine.info("stats", "evicted_keys");
                self.command(&["CONFIG", "SET", "maxmemory", &used.to_string()]);
                let number = self.random.below(self.profile.topics);
                self.burst(number, 200, self.profile.padding);
                Mend::Memory { evicted }
            }
            Fault::Trim => {
                let number = self.random.below(self.profile.topics);
                self.burst(number, 150, self.profile.padding);
                Mend::Nothing
            }
            Fault::KillHub => {
                let index = self.random.below(HUBS);
                self.shared.hubs.kill(index);
                Mend::Hub(index)
            }
        }
    }

    fn cut(&mut self, how: impl Fn(&mut Random) -> Cut) -> Mend {
        let proxies = self.some_proxies();
        for index in &proxies {
            self.shared.hubs.proxies()[*index].cut(how(&mut self.random));
        }
        Mend::Proxies(proxies)
    }

    fn gate(&mut self, gate: Gate) -> Mend {
        let proxies = self.some_proxies();
        proxies.iter().for_each(|index| self.shared.hubs.proxies()[*index].set(gate));
        Mend::Proxies(proxies)
    }

    fn command(&self, words: &[&str]) -> Mend {
        self.engine.master().command::<redis::Value>(words);
        Mend::Nothing
    }

    fn unlink(&mut self, kind: &str) -> Mend {
        let number = self.random.below(self.profile.topics);
        self.command(&["UNLINK", &format!("eventwire:{kind}:{{{}}}", topic(number))])
    }

    fn promote(&mut self) -> Mend {
        self.engine.stall_replica();
        if self.random.in_100(30) {
            // The epoch that begins now is lost.
            self.unlink("topic");
        }
        self.rest(20..200);
        self.engine.promote();
        self.rest(5..100);
        for proxy in self.shared.hubs.proxies() {
            proxy.connect_to(self.engine.master().port());
            proxy.cut(Cut::Reset);
        }
        self.direct = direct(&self.engine, self.profile);
        Mend::Replica
    }

    /// Sends many events at once. What is refused is not sent.
    fn burst(&self, number: usize, count: usize, padding: usize) {
        let sending = async {
            for _ in 0..count {
                let event_number = self.shared.ledger.begin(number, false);
                match self.direct.send(&topic(number), &event(event_number, padding)).await {
                    Ok(at) => self.note(number, event_number, at),
                    Err(eventwire_hub::HubError::Log(error)) if !error.may_be_stored() => {
                        self.shared.ledger.refused(number, event_number);
                    }
                    Err(_) => {}
                }
            }
        };
        self.runtime.block_on(sending);
    }

    fn note(&self, number: usize, event_number: u64, at: Position) {
        if let Err(violation) = self.shared.ledger.accepted(number, event_number, at) {
            self.shared.report("the log", &violation);
        }
    }

    fn mend(&mut self, mend: Mend) {
        match mend {
            Mend::Nothing => {}
            Mend::Proxies(proxies) => self.open(&proxies),
            Mend::Overflow { proxies, accepted } => {
                self.open(&proxies);
                let is_reconnected = || self.accepted_connections(&proxies) > accepted;
                if !self.wait_for(Duration::from_secs(2), is_reconnected) {
                    // It was none.
                    *self.report.faults.entry(Fault::Overflow).or_default() -= 1;
                }
            }
            Mend::Server => self.engine.start_again(),
            Mend::Replica => self.engine.start_replica_again(),
            Mend::Memory { evicted } => {
                let evicted = self.engine.info("stats", "evicted_keys") - evicted;
                self.command(&["CONFIG", "SET", "maxmemory", "0"]);
                if evicted == 0 {
                    // It was none.
                    *self.report.faults.entry(Fault::Evict).or_default() -= 1;
                }
            }
            Mend::Hub(index) => self.shared.hubs.start_again(index),
        }
    }

    fn open(&self, proxies: &[usize]) {
        for index in proxies {
            self.shared.hubs.proxies()[*index].set(Gate::Open);
            self.shared.hubs.proxies()[*index].cut(Cut::Spare);
        }
    }

    fn accepted_connections(&self, proxies: &[usize]) -> usize {
        proxies.iter().map(|index| self.shared.hubs.proxies()[*index].accepted()).sum()
    }

    /// Sends an event until it is accepted, and returns its position.
    fn append(&self, number: usize) -> Position {
        let event_number = self.shared.ledger.begin(number, true);
        let (begun, topic) = (Instant::now(), topic(number));
        loop {
            let event = event(event_number, self.profile.padding);
            match self.runtime.block_on(self.direct.send_once(&topic, &event_number.to_string(), &event)) {
                Ok(at) => {
                    self.note(number, event_number, at);
                    return at;
                }
                Err(error) => assert!(begun.elapsed() < PATIENCE, "Redis does not answer: {error:?}"),
            }
        }
    }

    /// Waits until each reader has got an event that is accepted now.
    fn catch_up(&mut self, after: Fault) {
        self.shared.is_waiting_for_readers.store(true, SeqCst);
        let newest: Vec<_> = (0..self.profile.topics).map(|number| self.append(number)).collect();
        let begun = Instant::now();
        let is_behind = |client: &&Arc<Client>| !client.has_reached(&newest);
        let is_waiting = self.wait_for(LIMIT, || !self.clients.iter().any(|client| is_behind(&client)));
        let time = begun.elapsed();
        let longest = self.report.longest.entry(after).or_default();
        *longest = time.max(*longest);
        if !is_waiting {
            for client in self.clients.iter().filter(is_behind) {
                self.report.stuck += 1;
                let newest: Vec<_> = newest.iter().map(Position::to_string).collect();
                let stuck = format!("after {after:?}: at {:?}, and not at {newest:?}", client.last_event_id());
                let stuck = Violation::Stuck(stuck);
                self.shared.report(&client.name, &stuck);
            }
        }
        self.shared.is_waiting_for_readers.store(false, SeqCst);
    }

    fn wait_for(&self, limit: Duration, condition: impl Fn() -> bool) -> bool {
        let until = Instant::now() + limit;
        while !condition() {
            if Instant::now() > until {
                return false;
            }
            self.runtime.block_on(async {
                let _ = tokio::time::timeout(Duration::from_millis(20), self.has_advanced.notified()).await;
            });
        }
        true
    }

    /// Ends the topics, and checks what is known only then.
    pub(crate) fn finish(mut self) -> Report {
        self.shared.is_over.store(true, SeqCst);
        if !self.wait_for(PATIENCE, || self.writers.iter().all(JoinHandle::is_finished)) {
            self.shared.report("a writer", &Violation::Stuck("it does not end".to_owned()));
        }
        for writer in std::mem::take(&mut self.writers) {
            if writer.is_finished() {
                self.runtime.block_on(writer).unwrap();
            }
        }
        self.catch_up(Fault::KillHub);
        self.shared.is_waiting_for_readers.store(true, SeqCst);
        self.shared.is_finished.store(true, SeqCst);
        for number in 0..self.profile.topics {
            let begun = Instant::now();
            while let Err(error) = self.runtime.block_on(self.direct.finish(&topic(number))) {
                assert!(begun.elapsed() < PATIENCE, "Redis does not answer: {error:?}");
            }
        }
        if !self.wait_for(LIMIT, || self.clients.iter().all(|client| client.has_ended())) {
            for client in self.clients.iter().filter(|client| !client.has_ended()) {
                self.report.stuck += 1;
                self.shared.report(&client.name, &Violation::End("the stream does not end".to_owned()));
            }
        }
        let (violations, accepted, maybe) = self.shared.ledger.check();
        violations.iter().for_each(|violation| self.shared.report("at the end", violation));
        let mut report = std::mem::take(&mut self.report);
        (report.accepted, report.maybe) = (accepted, maybe);
        for client in &self.clients {
            report.delivered += client.checkers().iter().map(|checker| checker.events).sum::<usize>();
            report.gaps += client.checkers().iter().map(|checker| checker.gaps).sum::<usize>();
        }
        report.resumes = self.shared.resumes.load(SeqCst);
        report.violations = std::mem::take(&mut *self.shared.violations());
        self.runtime.shutdown_background();
        report
    }
}

fn direct(engine: &Engine, profile: &Profile) -> Hub<RedisLog> {
    Hub::new(RedisLog::open(&engine.master().url()).unwrap().with_max_events(profile.max_events))
}
