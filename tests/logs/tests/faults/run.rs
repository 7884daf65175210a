//! One run: servers, hubs, readers and writers, and one fault after the other.

use crate::{
    PATIENCE,
    checker::Checker,
    client::{Client, Kind, Progress, Shared, Stage, write},
    engine::Engine,
    fault::{Fault, Profile},
    hubs::{Hubs, topic},
    item::event,
    ledger::{Gaps, Ledger, Outcome},
    random::Random,
    report::Report,
    violation::Violation,
};
use eventwire_hub::{Hub, StreamPosition};
use eventwire_log_tests::proxy::{Cut, Gate, Proxy};
use eventwire_redis::RedisLog;
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

pub(crate) struct Run {
    profile: &'static Profile,
    runtime: Runtime,
    engine: Engine,
    shared: Arc<Shared>,
    clients: Vec<Arc<Client>>,
    /// Those of one fault, which wait for the newest topic.
    newcomers: Vec<(Arc<Client>, JoinHandle<()>)>,
    /// How many topics there are, with those that only newcomers have read.
    topics: usize,
    writers: Vec<JoinHandle<()>>,
    /// Without a proxy, for the newest events that readers have to reach.
    direct: Hub<RedisLog>,
    random: Random,
    report: Report,
}

impl Run {
    /// For so many faults. `None` if no server is installed.
    pub(crate) fn start(profile: &'static Profile, seed: u64, count: usize) -> Option<Run> {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let has_replica = profile.has(Fault::Promote) || profile.has(Fault::Divide);
        let engine = Engine::start(profile.options, has_replica, runtime.handle())?;
        let proxies = (0..HUBS).map(|_| runtime.block_on(Proxy::start(engine.master.port()))).collect();
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

    /// Lets so many faults happen, one or two at a time. The first ones are all that there are.
    pub(crate) fn faults(&mut self, count: usize) {
        let kinds = self.profile.kinds();
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

    fn rest(&mut self, millis: Range<usize>) {
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
            Fault::KillServer => {
                self.engine.master.kill();
                self.meanwhile(second);
                self.engine.master.start_again();
            }
            Fault::Promote => self.promote(second),
            Fault::Divide => self.divide(second),
            Fault::SetClockBack => self.set_clock_back(second),
            Fault::KillPubSub => {
                self.command(&["CLIENT", "KILL", "TYPE", "pubsub"]);
                self.meanwhile(second);
            }
            Fault::Pause => {
                let time = self.random.millis(50..400).as_millis().to_string();
                self.command(&["CLIENT", "PAUSE", &time, "ALL"]);
                self.meanwhile(second);
            }
            Fault::FlushAll => {
                // Topics can come and go while a reader is away.
                for _ in 0..1 + self.random.below(4) {
                    self.command(&["FLUSHALL"]);
                    self.rest(1..60);
                }
                self.command(&["FLUSHALL"]);
                self.meanwhile(second);
            }
            Fault::ComeAndGo => self.come_and_go(second),
            Fault::GoOn => self.go_on(second),
            Fault::UnlinkStream => {
                self.unlink("stream");
                self.meanwhile(second);
            }
            Fault::UnlinkMeta => {
                self.unlink("topic");
                self.meanwhile(second);
            }
            // The hubs may not have read what is removed.
            Fault::Remove => self.gate_in_100(60, Gate::Stalled, |run| {
                run.remove();
                run.meanwhile(second);
            }),
            Fault::Overflow => {
                let before = self.accepted_connections();
                self.gate(Gate::Stalled, |run| {
                    let number = run.random.below(run.profile.topics);
                    // More than the buffers of sockets hold.
                    run.burst(number, 120, 40_000);
                    run.meanwhile(second);
                });
                if !self.wait_for(Duration::from_secs(2), || self.accepted_connections() > before) {
                    // It was none.
                    return;
                }
            }
            Fault::Evict => {
                let (used, evicted) = (self.number("used_memory"), self.number("evicted_keys"));
                self.command(&["CONFIG", "SET", "maxmemory", &used.to_string()]);
                let number = self.random.below(self.profile.topics);
                self.burst(number, 200, self.profile.padding);
                self.meanwhile(second);
                let is_none = self.number("evicted_keys") == evicted;
                self.command(&["CONFIG", "SET", "maxmemory", "0"]);
                if is_none {
                    return;
                }
            }
            Fault::Trim => {
                let number = self.random.below(self.profile.topics);
                self.burst(number, 150, self.profile.padding);
                self.meanwhile(second);
            }
            Fault::KillHub => {
                let index = self.random.below(HUBS);
                self.shared.hubs.kill(index);
                self.meanwhile(second);
                self.shared.hubs.start_again(index);
            }
        }
        *self.report.faults.entry(fault).or_default() += 1;
    }

    /// What happens while something is broken.
    fn meanwhile(&mut self, second: Option<Fault>) {
        self.rest(10..250);
        if let Some(second) = second {
            self.happen(second, None);
        }
    }

    /// One proxy, or all of them.
    fn some_proxies(&mut self) -> Range<usize> {
        let one = self.random.below(HUBS);
        if self.random.in_100(50) { 0..HUBS } else { one..one + 1 }
    }

    fn cut(&mut self, how: impl Fn(&mut Random) -> Cut, second: Option<Fault>) {
        let proxies = self.some_proxies();
        for proxy in &self.shared.hubs.proxies[proxies.clone()] {
            proxy.cut(how(&mut self.random));
        }
        self.meanwhile(second);
        self.shared.hubs.proxies[proxies].iter().for_each(|proxy| proxy.cut(Cut::Spare));
    }

    fn gate(&mut self, gate: Gate, meanwhile: impl FnOnce(&mut Run)) {
        let proxies = self.some_proxies();
        self.shared.hubs.proxies[proxies.clone()].iter().for_each(|proxy| proxy.set(gate));
        meanwhile(self);
        self.shared.hubs.proxies[proxies].iter().for_each(|proxy| proxy.set(Gate::Open));
    }

    /// With the gate in so many of 100 cases.
    fn gate_in_100(&mut self, percent: usize, gate: Gate, meanwhile: impl FnOnce(&mut Run)) {
        let gate = if self.random.in_100(percent) { gate } else { Gate::Open };
        self.gate(gate, meanwhile);
    }

    fn accepted_connections(&self) -> usize {
        self.shared.hubs.proxies.iter().map(Proxy::accepted).sum()
    }

    fn command(&self, words: &[&str]) {
        self.engine.master.command::<redis::Value>(words);
    }

    /// Returns a field of `INFO` that is a number.
    fn number(&self, field: &str) -> u64 {
        self.engine.master.info(field).unwrap().parse().unwrap()
    }

    fn unlink(&mut self, kind: &str) {
        let number = self.random.below(self.profile.topics);
        self.command(&["UNLINK", &key(kind, number)]);
    }

    /// The clock is set back twice, so that epochs of the future begin and are lost.
    fn set_clock_back(&mut self, second: Option<Fault>) {
        let future = self.begin_epochs_of_the_future();
        self.rest(50..300);
        self.command(&["SAVE"]);
        self.rest(10..100);
        self.engine.master.kill();
        self.engine.master.start_again();
        for (number, epoch) in future.into_iter().enumerate() {
            assert!(self.append(number).epoch() > epoch, "epochs rise");
        }
        self.rest(50..300);
        self.engine.master.kill();
        self.meanwhile(second);
        self.engine.master.start_again();
    }

    /// As if the topics had begun again while the clock was ahead by a long time. Returns their epochs.
    fn begin_epochs_of_the_future(&mut self) -> Vec<u64> {
        let now = self.append(self.topics).epoch();
        self.topics += 1;
        let begin = "redis.call('HSET', KEYS[1], 'epoch', ARGV[1], 'number', 0) redis.call('DEL', KEYS[2])";
        let begin_one = |number| {
            let (about, stream) = (key("topic", number), key("stream", number));
            let epoch: u64 = self.engine.master.command(&["HGET", &about, "epoch"]);
            let epoch = epoch + FUTURE;
            assert!(epoch > now + FUTURE / 2, "they are ahead");
            self.command(&["EVAL", begin, "2", &about, &stream, &epoch.to_string()]);
            epoch
        };
        (0..self.profile.topics).map(begin_one).collect()
    }

    fn come_and_go(&mut self, second: Option<Fault>) {
        let number = self.topics;
        self.topics += 1;
        self.invite(number);
        self.gate_in_100(80, Gate::WakesStalled, |run| {
            for _ in 0..1 + run.random.below(3) {
                run.append(number);
                run.rest(1..60);
                run.command(&["FLUSHALL"]);
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
    fn invite(&mut self, number: usize) {
        for index in 0..NEWCOMERS {
            let checkers = match index % 3 {
                0 => vec![Checker::new(number)],
                1 => vec![Checker::new(number).with_id(StreamPosition::new(u64::MAX, 5))],
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
        if self.random.in_100(50) {
            self.command(&["FLUSHALL"]);
        } else {
            topics
                .into_iter()
                .for_each(|number| self.command(&["UNLINK", &key("stream", number), &key("topic", number)]));
        }
    }

    /// Removes some of the newest events of a topic.
    fn remove(&mut self) {
        let number = self.random.below(self.profile.topics);
        self.burst(number, 60, self.profile.padding);
        let stream = key("stream", number);
        let stored: Vec<(String, Vec<String>)> = self.engine.master.command(&["XRANGE", &stream, "-", "+"]);
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
    }

    fn promote(&mut self, second: Option<Fault>) {
        self.engine.stall_replica();
        if self.random.in_100(30) {
            // The epoch that begins now is lost.
            self.unlink("topic");
        }
        self.rest(20..200);
        self.engine.promote();
        self.rest(5..100);
        self.connect_to_master(None);
        self.direct = direct(&self.engine, self.profile);
        self.meanwhile(second);
        self.engine.start_replica_again();
    }

    /// For a time, some hubs have another master than the others. Readers and writers go to all of them.
    fn divide(&mut self, second: Option<Fault>) {
        if self.random.in_100(50) {
            self.engine.stall_replica();
            self.rest(20..200);
        }
        self.engine.divide();
        let stays = self.random.below(HUBS);
        self.connect_to_master(Some(stays));
        self.direct = direct(&self.engine, self.profile);
        // Long enough for readers that go back and forth.
        self.rest(1000..3000);
        self.meanwhile(second);
        self.connect_to_master(None);
        self.engine.replicate();
    }

    /// Connects all hubs to the master, except for one that stays where it is.
    fn connect_to_master(&self, stays: Option<usize>) {
        for (_, proxy) in self.shared.hubs.proxies.iter().enumerate().filter(|(index, _)| Some(*index) != stays) {
            proxy.connect_to(self.engine.master.port());
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
        for _ in 0..count {
            let event_number = self.shared.ledger.begin(number, false);
            let answer = self.runtime.block_on(self.direct.send(&topic(number), &event(event_number, padding)));
            self.note(number, event_number, answer.into());
        }
    }

    fn note(&self, number: usize, event_number: u64, outcome: Outcome) {
        self.shared.check("the log", self.shared.ledger.answered(number, event_number, outcome));
    }

    /// Sends an event until it is accepted, and returns its position.
    fn append(&self, number: usize) -> StreamPosition {
        let event_number = self.shared.ledger.begin(number, true);
        let (begun, topic, key) = (Instant::now(), topic(number), event_number.to_string());
        let event = event(event_number, self.profile.padding);
        loop {
            match self.runtime.block_on(self.direct.send_once(&topic, &key, &event)) {
                Ok(at) => {
                    self.note(number, event_number, Outcome::Accepted(at));
                    return at;
                }
                Err(error) => assert!(begun.elapsed() < PATIENCE, "Redis does not answer: {error:?}"),
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
        self.wait_for(LIMIT, || clients().all(|client| client.has_reached(&newest)));
        let slowest = self.report.slowest.get_or_insert((Duration::ZERO, after));
        *slowest = (begun.elapsed(), after).max(*slowest);
        for client in clients().filter(|client| !client.has_reached(&newest)) {
            self.report.stuck += 1;
            let newest: Vec<_> = newest.iter().map(|(number, at)| format!("{}={at}", topic(*number))).collect();
            let stuck = format!("after {after:?}: at {:?}, and not at {newest:?}", client.last_event_id());
            self.shared.report(&client.name, &Violation::Stuck(stuck));
        }
        newcomers.iter().for_each(|(_, running)| running.abort());
        self.shared.ended.lock().unwrap().clear();
    }

    /// Returns whether it became so in time.
    fn wait_for(&self, limit: Duration, is_so: impl Fn() -> bool) -> bool {
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
        self.runtime.shutdown_background();
        report
    }
}

fn key(kind: &str, number: usize) -> String {
    format!("eventwire:{kind}:{{{}}}", topic(number))
}

fn direct(engine: &Engine, profile: &Profile) -> Hub<RedisLog> {
    Hub::new(RedisLog::open(&engine.master.url()).unwrap().with_max_events(profile.max_events))
}
