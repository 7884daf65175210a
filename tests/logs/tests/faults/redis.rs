//! Redis, and what goes wrong with it.

use crate::{
    PATIENCE,
    engine::Engine,
    fault::{ALL_KEPT, Fault, Profile, USUAL},
    hubs::{Log, topic},
    ledger::{Back, Gaps, Keys, Rules},
    run::{HUBS, Run},
};
use eventwire_hub::StreamPosition;
use eventwire_log_tests::{
    RedisServer,
    proxy::{Cut, Gate, Proxy},
};
use std::{
    mem, thread,
    time::{Duration, Instant},
};
use tokio::runtime::Handle;

/// Far above every epoch that begins by the clock during a run.
const FUTURE: u64 = 1 << 44;

/// A server, and a replica of it if the run needs one.
#[derive(Debug)]
pub(crate) struct Redis {
    master: RedisServer,
    replica: Option<Replica>,
}

#[derive(Debug)]
struct Replica {
    server: RedisServer,
    /// Between it and its master.
    link: Proxy,
}

impl Redis {
    fn command(&self, words: &[&str]) {
        self.master.command::<redis::Value>(words);
    }

    /// Returns a field of `INFO` that is a number.
    fn number(&self, field: &str) -> u64 {
        self.master.info(field).unwrap().parse().unwrap()
    }

    fn replica(&mut self) -> &mut Replica {
        self.replica.as_mut().unwrap()
    }

    /// From now on, the replica gets nothing.
    fn stall_replica(&mut self) {
        self.replica().link.set(Gate::Stalled);
    }

    /// Makes the replica the master, and returns when it is one. The old master does not know, and remains one.
    fn divide(&mut self) {
        let replica = self.replica.as_mut().unwrap();
        replica.server.command::<()>(&["REPLICAOF", "NO", "ONE"]);
        mem::swap(&mut self.master, &mut replica.server);
    }

    /// Kills the master, and makes its replica the master.
    fn promote(&mut self) {
        self.master.kill();
        self.divide();
    }

    fn start_replica_again(&mut self) {
        self.replica().server.start_again();
        self.replicate();
    }

    /// Makes the other server the replica, without its data, and waits until it has everything.
    fn replicate(&mut self) {
        let port = self.master.port();
        let replica = self.replica();
        replica.link.connect_to(port);
        replica.link.set(Gate::Open);
        replica.server.command::<()>(&["REPLICAOF", "127.0.0.1", &replica.link.port().to_string()]);
        let started = Instant::now();
        while replica.server.info("master_link_status").is_none_or(|status| status != "up") {
            assert!(started.elapsed() < PATIENCE, "the replica does not connect");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Engine for Redis {
    const PROFILES: &'static [Profile] = PROFILES;

    const STRANGE: StreamPosition = StreamPosition::new(u64::MAX, 5);

    fn start(profile: &Profile, runtime: &Handle) -> Option<Redis> {
        let options = [&["--repl-diskless-sync-delay", "0"], profile.options].concat();
        let mut engine = Redis { master: RedisServer::start(&options)?, replica: None };
        if profile.has(Fault::Promote) || profile.has(Fault::Divide) {
            let server = RedisServer::start(&options)?;
            let link = runtime.block_on(Proxy::start(engine.master.port()));
            engine.replica = Some(Replica { server, link });
            engine.replicate();
        }
        Some(engine)
    }

    fn port(&self) -> Option<u16> {
        Some(self.master.port())
    }

    fn address(&self, port: Option<u16>) -> String {
        format!("redis://127.0.0.1:{}", port.unwrap())
    }

    fn remove_topics(run: &mut Run<Redis>, numbers: &[usize]) {
        if run.random.in_100(50) {
            return run.flush_all();
        }
        run.lose(numbers.iter().copied());
        for number in numbers {
            run.engine.command(&["UNLINK", &key("stream", *number), &key("topic", *number)]);
        }
    }

    fn happen(run: &mut Run<Redis>, fault: Fault, second: Option<Fault>) -> bool {
        match fault {
            Fault::KillServer => {
                run.engine.master.kill();
                run.meanwhile(second);
                run.engine.master.start_again();
            }
            Fault::Promote => run.promote(second),
            Fault::Divide => run.divide(second),
            Fault::SetClockBack => run.set_clock_back(second),
            Fault::KillPubSub => {
                run.engine.command(&["CLIENT", "KILL", "TYPE", "pubsub"]);
                run.meanwhile(second);
            }
            Fault::Pause => {
                let time = run.random.millis(50..400).as_millis().to_string();
                run.engine.command(&["CLIENT", "PAUSE", &time, "ALL"]);
                run.meanwhile(second);
            }
            Fault::FlushAll => {
                // Topics can come and go while a reader is away.
                for _ in 0..1 + run.random.below(4) {
                    run.flush_all();
                    run.rest(1..60);
                }
                run.flush_all();
                run.meanwhile(second);
            }
            Fault::UnlinkStream => {
                run.unlink("stream");
                run.meanwhile(second);
            }
            Fault::UnlinkMeta => {
                run.unlink("topic");
                run.meanwhile(second);
            }
            // The hubs may not have read what is removed.
            Fault::Remove => run.gate_in_100(60, Gate::Stalled, |run| {
                run.remove();
                run.meanwhile(second);
            }),
            Fault::Overflow => {
                let before = run.accepted_connections();
                run.gate(Gate::Stalled, |run| {
                    let number = run.random.below(run.profile.topics);
                    // More than the buffers of sockets hold.
                    run.burst(number, 120, 40_000);
                    run.meanwhile(second);
                });
                return run.wait_for(Duration::from_secs(2), || run.accepted_connections() > before);
            }
            Fault::Evict => {
                let (used, evicted) = (run.engine.number("used_memory"), run.engine.number("evicted_keys"));
                run.engine.command(&["CONFIG", "SET", "maxmemory", &used.to_string()]);
                let number = run.random.below(run.profile.topics);
                run.burst(number, 200, run.profile.padding);
                run.meanwhile(second);
                let has_evicted = run.engine.number("evicted_keys") > evicted;
                run.engine.command(&["CONFIG", "SET", "maxmemory", "0"]);
                return has_evicted;
            }
            _ => unreachable!("{fault:?} is not one of Redis"),
        }
        true
    }
}

impl Run<Redis> {
    fn log(&self) -> Log {
        Log { address: self.engine.address(self.engine.port()), max_events: self.profile.max_events }
    }

    fn flush_all(&mut self) {
        self.lose_all();
        self.engine.command(&["FLUSHALL"]);
    }

    fn unlink(&mut self, kind: &str) {
        let number = self.random.below(self.profile.topics);
        self.engine.command(&["UNLINK", &key(kind, number)]);
    }

    /// The clock is set back twice, so that epochs of the future begin and are lost.
    fn set_clock_back(&mut self, second: Option<Fault>) {
        let future = self.begin_epochs_of_the_future();
        self.rest(50..300);
        self.engine.command(&["SAVE"]);
        self.rest(10..100);
        self.lose_all();
        self.engine.master.kill();
        self.engine.master.start_again();
        for (number, epoch) in future.into_iter().enumerate() {
            assert!(self.append(number).epoch() > epoch, "epochs rise");
        }
        self.rest(50..300);
        self.lose_all();
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
            self.engine.command(&["EVAL", begin, "2", &about, &stream, &epoch.to_string()]);
            epoch
        };
        (0..self.profile.topics).map(begin_one).collect()
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
            self.engine.command(&["XDEL", &stream].into_iter().chain(ids).collect::<Vec<_>>());
        }
    }

    fn promote(&mut self, second: Option<Fault>) {
        self.engine.stall_replica();
        if self.random.in_100(30) {
            // The epoch that begins now is lost.
            self.unlink("topic");
        }
        self.rest(20..200);
        self.lose_all();
        self.engine.promote();
        self.rest(5..100);
        self.connect_to_master(None);
        self.shared.hubs.direct_to(self.log());
        self.meanwhile(second);
        self.engine.start_replica_again();
    }

    /// For a time, some hubs have another master than the others. Readers and writers go to all of them.
    fn divide(&mut self, second: Option<Fault>) {
        if self.random.in_100(50) {
            self.engine.stall_replica();
            self.rest(20..200);
        }
        self.lose_all();
        self.engine.divide();
        let stays = self.random.below(HUBS);
        self.connect_to_master(Some(stays));
        self.shared.hubs.direct_to(self.log());
        // Long enough for readers that go back and forth.
        self.rest(1000..3000);
        self.meanwhile(second);
        self.connect_to_master(None);
        self.engine.replicate();
    }

    /// Connects all hubs to the master, except for one that stays where it is.
    fn connect_to_master(&self, stays: Option<usize>) {
        for (_, proxy) in self.proxies.iter().enumerate().filter(|(index, _)| Some(*index) != stays) {
            proxy.connect_to(self.engine.master.port());
            proxy.cut(Cut::Reset);
        }
    }
}

fn key(kind: &str, number: usize) -> String {
    format!("eventwire:{kind}:{{{}}}", topic(number))
}

const PROFILES: &[Profile] = &[
    Profile {
        name: "connections",
        faults: &[
            Fault::Reset,
            Fault::HalfClose,
            Fault::Stall,
            Fault::StallWakes,
            Fault::Delay,
            Fault::CutInsideReply,
            Fault::RefuseConnections,
            Fault::KillPubSub,
            Fault::Pause,
            Fault::KillHub,
            Fault::Silence,
        ],
        ..USUAL
    },
    Profile {
        name: "nothing on disk",
        faults: &[
            Fault::KillServer,
            Fault::FlushAll,
            Fault::UnlinkStream,
            Fault::UnlinkMeta,
            Fault::KillServer,
            Fault::FlushAll,
            Fault::CutInsideReply,
            Fault::Stall,
            Fault::KillHub,
        ],
        rules: Rules { gaps: Gaps::Anywhere, keys: Keys::LostWithEpoch, ..ALL_KEPT },
        ..USUAL
    },
    Profile {
        name: "appendfsync everysec",
        options: &["--appendonly", "yes", "--appendfsync", "everysec"],
        faults: &[Fault::KillServer, Fault::CutInsideReply, Fault::KillHub],
        rules: Rules { gaps: Gaps::BetweenEpochs, keys: Keys::LostWithEpoch, ..ALL_KEPT },
        ..USUAL
    },
    Profile {
        name: "appendfsync always",
        options: &["--appendonly", "yes", "--appendfsync", "always"],
        faults: &[Fault::KillServer, Fault::Reset, Fault::KillPubSub],
        rules: Rules { gaps: Gaps::BetweenEpochs, ..ALL_KEPT },
        ..USUAL
    },
    Profile {
        name: "a replica",
        faults: &[Fault::Promote, Fault::UnlinkMeta, Fault::Promote, Fault::CutInsideReply],
        rules: Rules { gaps: Gaps::BetweenEpochs, keys: Keys::LostWithEpoch, ..ALL_KEPT },
        ..USUAL
    },
    Profile {
        name: "small output buffers",
        options: &["--client-output-buffer-limit", "pubsub 64kb 32kb 1"],
        faults: &[Fault::Overflow, Fault::Overflow, Fault::KillPubSub, Fault::KillHub],
        padding: 4000,
        topics: 2,
        ..USUAL
    },
    Profile {
        name: "little memory",
        options: &["--maxmemory-policy", "allkeys-lru"],
        faults: &[Fault::Evict, Fault::Evict, Fault::Reset, Fault::KillHub],
        rules: Rules { gaps: Gaps::Anywhere, keys: Keys::Lost, ..ALL_KEPT },
        padding: 500,
        topics: 8,
        ..USUAL
    },
    Profile {
        name: "16 events",
        options: &["--stream-node-max-entries", "10"],
        faults: &[Fault::Trim, Fault::Trim, Fault::Stall, Fault::Pause, Fault::KillHub],
        rules: Rules { gaps: Gaps::Anywhere, ..ALL_KEPT },
        max_events: 16,
        ..USUAL
    },
    Profile {
        name: "topics that come and go",
        faults: &[Fault::ComeAndGo, Fault::GoOn, Fault::FlushAll, Fault::CutInsideReply],
        rules: Rules { gaps: Gaps::BetweenEpochs, keys: Keys::LostWithEpoch, ..ALL_KEPT },
        ..USUAL
    },
    Profile {
        name: "events that are removed",
        faults: &[Fault::Remove, Fault::Remove, Fault::KillHub],
        rules: Rules { gaps: Gaps::AtRemoved, ..ALL_KEPT },
        ..USUAL
    },
    Profile {
        name: "a clock that is set back",
        faults: &[Fault::SetClockBack, Fault::KillServer, Fault::KillHub],
        rules: Rules { gaps: Gaps::BetweenEpochs, keys: Keys::LostWithEpoch, back: Back::ToUnread },
        ..USUAL
    },
    Profile {
        name: "two masters",
        faults: &[Fault::Divide, Fault::CutInsideReply, Fault::KillHub],
        rules: Rules { gaps: Gaps::BetweenEpochs, keys: Keys::LostWithEpoch, back: Back::ToRead },
        ..USUAL
    },
];
