//! One run: a server, hubs, readers and writers, and one fault after the other.

use crate::{
    PATIENCE,
    checker::Checker,
    client::{Client, Kind, Shared, write},
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
use eventwire_hub::{Hub, StreamPosition};
use eventwire_redis::RedisLog;
use std::{
    collections::HashMap,
    mem,
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
/// How many readers wait for a topic that nobody has written to.
const NEWCOMERS: usize = 9;
/// How long readers may need until they have caught up. A hub finds out within 5 seconds that a connection is dead, and
/// a busy machine is slow.
const LIMIT: Duration = Duration::from_secs(20);
/// Far above every epoch that begins by the clock during a run.
const FUTURE: u64 = 1 << 44;

/// What has to be mended after a fault.
#[derive(Debug)]
enum Mend {
    Nothing,
    Proxies(Vec<usize>),
    Server,
    Replica,
    /// Two masters.
    Divided,
    /// These topics have ended.
    Ended(Vec<usize>),
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

/// A reader of a topic that nobody has written to.
struct Newcomer {
    client: Arc<Client>,
    running: JoinHandle<()>,
}

pub(crate) struct Run {
    profile: &'static Profile,
    runtime: Runtime,
    engine: Engine,
    shared: Arc<Shared>,
    clients: Vec<Arc<Client>>,
    /// Those of one fault.
    newcomers: Vec<Newcomer>,
    /// How many topics there are, with those that only newcomers have read.
    topics: usize,
    writers: Vec<JoinHandle<()>>,
    /// Without a proxy, for the newest events that readers have to reach.
    direct: Hub<RedisLog>,
    has_advanced: Arc<Notify>,
    random: Random,
    report: Report,
}

impl Run {
    /// For so many faults. `None` if no server is installed.
    pub(crate) fn start(profile: &'static Profile, seed: u64, count: usize) -> Option<Run> {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let engine = Engine::start(profile.options, profile.has_replica, runtime.handle())?;
        let buffers = if profile.faults.contains(&Fault::Overflow) { Buffers::Small } else { Buffers::Usual };
        let proxies = (0..HUBS).map(|_| runtime.block_on(Proxy::start(engine.master().port(), buffers))).collect();
        let hubs = Hubs::start(proxies, profile.max_events);
        let ledger = Ledger::new(profile.topics + count, profile.rules);
        let mut run = Run {
            profile,
            direct: direct(&engine, profile),
            engine,
            shared: Arc::new(Shared::new(ledger, hubs, profile.padding)),
            clients: Vec::new(),
            newcomers: Vec::new(),
            topics: profile.topics,
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
            let count = if index % 6 == 5 { (2 + index / 6 % 3).min(profile.topics) } else { 1 };
            let checkers = (topic..topic + count).map(|topic| Checker::new(topic % profile.topics)).collect();
            let kind = [Kind::Faithful, Kind::Fickle, Kind::Fickle, Kind::Slow][index % 4];
            let name = format!("reader {index}");
            let client = Arc::new(Client::new(&name, kind, checkers, Arc::clone(&run.has_advanced)));
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
        let kinds = self.profile.kinds();
        let mut done = 0;
        while done < count && self.report.stuck == 0 {
            let fault = if done < kinds.len() { kinds[done] } else { self.random.pick(self.profile.faults) };
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
            Fault::StallWakes => {
                let mend = self.gate(Gate::WakesStalled);
                if self.random.in_100(30) {
                    // Until the hubs read without a wake-up.
                    self.rest(800..1400);
                }
                mend
            }
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
            Fault::Divide => self.divide(),
            Fault::SetClockBack => {
                let future = self.begin_epochs_of_the_future();
                self.rest(50..300);
                self.command(&["SAVE"]);
                self.rest(10..100);
                self.engine.kill();
                self.engine.start_again();
                for (number, epoch) in future.into_iter().enumerate() {
                    assert!(self.append(number).epoch() > epoch, "epochs rise");
                }
                self.rest(50..300);
                self.engine.kill();
                Mend::Server
            }
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
            Fault::ComeAndGo => {
                let number = self.topics;
                self.topics += 1;
                self.invite(number);
                let mend = if self.random.in_100(80) { self.gate(Gate::WakesStalled) } else { Mend::Nothing };
                for _ in 0..1 + self.random.below(3) {
                    self.append(number);
                    self.rest(1..60);
                    self.command(&["FLUSHALL"]);
                    self.rest(1..60);
                }
                self.append(number);
                // Some hubs read the topic meanwhile, without a wake-up.
                self.rest(100..1000);
                mend
            }
            Fault::GoOn => {
                let mut topics: Vec<_> = (0..self.profile.topics).collect();
                topics.swap_remove(self.random.below(topics.len()));
                topics.truncate(1 + self.random.below(topics.len()));
                for number in &topics {
                    self.shared.ended().insert(*number);
                    self.end(*number);
                }
                Mend::Ended(topics)
            }
            Fault::UnlinkStream => self.unlink("stream"),
            Fault::UnlinkMeta => self.unlink("topic"),
            Fault::Remove => self.remove(),
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

    /// As if the topics had begun again while the clock was ahead by a long time. Returns their epochs.
    fn begin_epochs_of_the_future(&mut self) -> Vec<u64> {
        let now = self.append(self.topics).epoch();
        self.topics += 1;
        let begin = "redis.call('HSET', KEYS[1], 'epoch', ARGV[1], 'number', 0) redis.call('DEL', KEYS[2])";
        let begin_one = |number| {
            let topic = topic(number);
            let (about, stream) = (format!("eventwire:topic:{{{topic}}}"), format!("eventwire:stream:{{{topic}}}"));
            let epoch: u64 = self.engine.master().command(&["HGET", &about, "epoch"]);
            let epoch = epoch + FUTURE;
            assert!(epoch > now + FUTURE / 2, "they are ahead");
            self.command(&["EVAL", begin, "2", &about, &stream, &epoch.to_string()]);
            epoch
        };
        (0..self.profile.topics).map(begin_one).collect()
    }

    /// Has new readers wait for a topic that there is not. One in three has it in one stream with another topic, and
    /// one in three comes with an ID that is not of this log.
    fn invite(&mut self, number: usize) {
        for index in 0..NEWCOMERS {
            let checkers = match index % 3 {
                0 => vec![Checker::new(number)],
                1 => vec![Checker::with_id(number, StreamPosition::new(u64::MAX, 5))],
                _ => vec![Checker::new(self.random.below(self.profile.topics)), Checker::new(number)],
            };
            let name = format!("newcomer {index}");
            let client = Arc::new(Client::new(&name, Kind::Faithful, checkers, Arc::clone(&self.has_advanced)));
            let running = Arc::clone(&client).run(Arc::clone(&self.shared), self.random.another());
            let running = self.runtime.spawn(running);
            self.newcomers.push(Newcomer { client, running });
        }
        let have_come = self.wait_for(LIMIT, || self.newcomers.iter().all(|newcomer| newcomer.client.has_opened()));
        assert!(have_come, "no stream for a topic that there is not");
    }

    /// Removes events of a topic, perhaps before the hubs have read them.
    fn remove(&mut self) -> Mend {
        let number = self.random.below(self.profile.topics);
        let mend = if self.random.in_100(60) { self.gate(Gate::Stalled) } else { Mend::Nothing };
        self.burst(number, 60, self.profile.padding);
        let stream = format!("eventwire:stream:{{{}}}", topic(number));
        let command = ["XRANGE", &stream, "-", "+"];
        let stored: Vec<(String, Vec<String>)> = self.engine.master().command(&command);
        let mut ids: Vec<_> = stored.into_iter().map(|(id, _)| id).collect();
        let newest = ids.split_off(ids.len().saturating_sub(60));
        let from = self.random.below(newest.len());
        match self.random.below(5) {
            // All that there are.
            0 => ids.extend(newest),
            1 => ids = newest[newest.len() - 1..].to_vec(),
            2 => ids = newest[from..].to_vec(),
            3 => ids = newest[from..=from].to_vec(),
            _ => ids = newest.into_iter().filter(|_| self.random.in_100(20)).collect(),
        }
        for id in &ids {
            let (epoch, sequence) = id.split_once('-').unwrap();
            let at = StreamPosition::new(epoch.parse().unwrap(), sequence.parse().unwrap());
            self.shared.ledger.remove(number, at);
        }
        if !ids.is_empty() {
            let ids = ids.iter().map(String::as_str);
            self.command(&["XDEL", &stream].into_iter().chain(ids).collect::<Vec<_>>());
        }
        mend
    }

    /// From now on, some hubs have another master than the others. Readers and writers go to all of them.
    fn divide(&mut self) -> Mend {
        if self.random.in_100(50) {
            self.engine.stall_replica();
            self.rest(20..200);
        }
        self.engine.divide();
        let stays = self.random.below(HUBS);
        for (_, proxy) in self.shared.hubs.proxies().iter().enumerate().filter(|(index, _)| *index != stays) {
            proxy.connect_to(self.engine.master().port());
            proxy.cut(Cut::Reset);
        }
        self.direct = direct(&self.engine, self.profile);
        // Long enough for readers that go back and forth.
        self.rest(1000..3000);
        Mend::Divided
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
        self.connect_to_master();
        self.direct = direct(&self.engine, self.profile);
        Mend::Replica
    }

    fn connect_to_master(&self) {
        for proxy in self.shared.hubs.proxies() {
            proxy.connect_to(self.engine.master().port());
            proxy.cut(Cut::Reset);
        }
    }

    fn end(&self, number: usize) {
        let begun = Instant::now();
        while let Err(error) = self.runtime.block_on(self.direct.finish(&topic(number))) {
            assert!(begun.elapsed() < PATIENCE, "Redis does not answer: {error:?}");
        }
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

    fn note(&self, number: usize, event_number: u64, at: StreamPosition) {
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
            Mend::Divided => {
                self.connect_to_master();
                self.engine.unite();
            }
            Mend::Ended(_) if self.random.in_100(50) => drop(self.command(&["FLUSHALL"])),
            Mend::Ended(topics) => {
                for topic in topics.into_iter().map(topic) {
                    let keys = ["stream", "topic"].map(|kind| format!("eventwire:{kind}:{{{topic}}}"));
                    self.command(&["UNLINK", &keys[0], &keys[1]]);
                }
            }
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
    fn append(&self, number: usize) -> StreamPosition {
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
        let mut topics: Vec<_> = (0..self.profile.topics).collect();
        if !self.newcomers.is_empty() {
            topics.push(self.topics - 1);
        }
        let newest: HashMap<_, _> = topics.into_iter().map(|number| (number, self.append(number))).collect();
        let begun = Instant::now();
        let clients: Vec<_> =
            self.clients.iter().chain(self.newcomers.iter().map(|newcomer| &newcomer.client)).cloned().collect();
        let is_behind = |client: &&Arc<Client>| !client.has_reached(&newest);
        let is_waiting = self.wait_for(LIMIT, || !clients.iter().any(|client| is_behind(&client)));
        let time = begun.elapsed();
        let longest = self.report.longest.entry(after).or_default();
        *longest = time.max(*longest);
        if !is_waiting {
            for client in clients.iter().filter(is_behind) {
                self.report.stuck += 1;
                let newest: Vec<_> = newest.iter().map(|(number, at)| format!("{}={at}", topic(*number))).collect();
                let stuck = format!("after {after:?}: at {:?}, and not at {newest:?}", client.last_event_id());
                let stuck = Violation::Stuck(stuck);
                self.shared.report(&client.name, &stuck);
            }
        }
        for Newcomer { client, running } in mem::take(&mut self.newcomers) {
            running.abort();
            self.report.hear(&client);
        }
        self.shared.ended().clear();
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
        for writer in mem::take(&mut self.writers) {
            if writer.is_finished() {
                self.runtime.block_on(writer).unwrap();
            }
        }
        self.catch_up(Fault::KillHub);
        self.shared.is_waiting_for_readers.store(true, SeqCst);
        self.shared.is_finished.store(true, SeqCst);
        for number in 0..self.profile.topics {
            self.end(number);
        }
        if !self.wait_for(LIMIT, || self.clients.iter().all(|client| client.has_ended())) {
            for client in self.clients.iter().filter(|client| !client.has_ended()) {
                self.report.stuck += 1;
                self.shared.report(&client.name, &Violation::End("the stream does not end".to_owned()));
            }
        }
        let (violations, accepted, maybe) = self.shared.ledger.check();
        violations.iter().for_each(|violation| self.shared.report("at the end", violation));
        let mut report = mem::take(&mut self.report);
        (report.accepted, report.maybe) = (accepted, maybe);
        self.clients.iter().for_each(|client| report.hear(client));
        report.resumes = self.shared.resumes.load(SeqCst);
        report.violations = mem::take(&mut *self.shared.violations());
        self.runtime.shutdown_background();
        report
    }
}

fn direct(engine: &Engine, profile: &Profile) -> Hub<RedisLog> {
    Hub::new(RedisLog::open(&engine.master().url()).unwrap().with_max_events(profile.max_events))
}
