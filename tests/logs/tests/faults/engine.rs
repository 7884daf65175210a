//! The servers of Redis of a run.

use crate::PATIENCE;
use eventwire_log_tests::{
    RedisServer,
    proxy::{Gate, Proxy},
};
use std::{
    mem, thread,
    time::{Duration, Instant},
};
use tokio::runtime::Handle;

/// A server, and a replica of it if the run needs one.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) master: RedisServer,
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
        let options = [&["--repl-diskless-sync-delay", "0"], options].concat();
        let mut engine = Engine { master: RedisServer::start(&options)?, replica: None };
        if has_replica {
            let server = RedisServer::start(&options)?;
            let link = runtime.block_on(Proxy::start(engine.master.port()));
            engine.replica = Some(Replica { server, link });
            engine.replicate();
        }
        Some(engine)
    }

    fn replica(&mut self) -> &mut Replica {
        self.replica.as_mut().unwrap()
    }

    /// From now on, the replica gets nothing.
    pub(crate) fn stall_replica(&mut self) {
        self.replica().link.set(Gate::Stalled);
    }

    /// Makes the replica the master, and returns when it is one. The old master does not know, and remains one.
    pub(crate) fn divide(&mut self) {
        let replica = self.replica.as_mut().unwrap();
        replica.server.command::<()>(&["REPLICAOF", "NO", "ONE"]);
        mem::swap(&mut self.master, &mut replica.server);
    }

    /// Kills the master, and makes its replica the master.
    pub(crate) fn promote(&mut self) {
        self.master.kill();
        self.divide();
    }

    pub(crate) fn start_replica_again(&mut self) {
        self.replica().server.start_again();
        self.replicate();
    }

    /// Makes the other server the replica, without its data, and waits until it has everything.
    pub(crate) fn replicate(&mut self) {
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
