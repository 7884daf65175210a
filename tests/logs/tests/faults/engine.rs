//! The servers of Redis of a run.

use crate::{
    PATIENCE,
    proxy::{Buffers, Gate, Proxy},
};
use eventwire_log_tests::RedisServer;
use std::{
    thread,
    time::{Duration, Instant},
};
use tokio::runtime::Handle;

/// A server, and a replica of it if the run needs one.
#[derive(Debug)]
pub(crate) struct Engine {
    master: RedisServer,
    replica: Option<Replica>,
}

#[derive(Debug)]
struct Replica {
    server: RedisServer,
    /// Between it and its master.
    link: Proxy,
}

impl Engine {
    /// `None` if no server is installed.
    pub(crate) fn start(options: &[&str], has_replica: bool, runtime: &Handle) -> Option<Engine> {
        let master = RedisServer::start(options)?;
        let mut engine = Engine { master, replica: None };
        if has_replica {
            let server = RedisServer::start(options)?;
            let link = runtime.block_on(Proxy::start(engine.master.port(), Buffers::Usual));
            engine.replica = Some(Replica { server, link });
            engine.replicate();
        }
        Some(engine)
    }

    pub(crate) fn master(&self) -> &RedisServer {
        &self.master
    }

    pub(crate) fn kill(&mut self) {
        self.master.kill();
    }

    pub(crate) fn start_again(&mut self) {
        self.master.start_again();
    }

    /// From now on, the replica gets nothing.
    pub(crate) fn stall_replica(&self) {
        self.replica.as_ref().unwrap().link.set(Gate::Stalled);
    }

    /// Kills the master, and makes its replica the master. The old master returns as the replica, without its data.
    pub(crate) fn promote(&mut self) {
        self.master.kill();
        self.divide();
    }

    /// Makes the replica the master. The old master does not know, and remains one.
    pub(crate) fn divide(&mut self) {
        let replica = self.replica.as_mut().unwrap();
        replica.server.command::<()>(&["REPLICAOF", "NO", "ONE"]);
        std::mem::swap(&mut self.master, &mut replica.server);
    }

    pub(crate) fn start_replica_again(&mut self) {
        self.replica.as_mut().unwrap().server.start_again();
        self.unite();
    }

    /// Makes the old master the replica, without its data.
    pub(crate) fn unite(&mut self) {
        let replica = self.replica.as_mut().unwrap();
        replica.link.connect_to(self.master.port());
        replica.link.set(Gate::Open);
        self.replicate();
    }

    /// Waits until the replica has everything.
    fn replicate(&self) {
        let replica = self.replica.as_ref().unwrap();
        replica.server.command::<()>(&["REPLICAOF", "127.0.0.1", &replica.link.port().to_string()]);
        let started = Instant::now();
        while !replica.server.command::<String>(&["INFO", "replication"]).contains("master_link_status:up") {
            assert!(started.elapsed() < PATIENCE, "the replica does not connect");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Returns a number of `INFO`.
    pub(crate) fn info(&self, section: &str, field: &str) -> u64 {
        let info: String = self.master.command(&["INFO", section]);
        let value = info.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
        value.unwrap().trim().parse().unwrap()
    }
}
