//! The laws of logs, for those of this workspace.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use eventwire_hub::{History, Memory};
use eventwire_log_tests::{
    RedisServer,
    laws::{KEPT, Store},
    log_laws,
};
use eventwire_redis::RedisLog;

log_laws!(memory, || Some(InMemory::new()));
log_laws!(redis, InRedis::start);

struct InMemory {
    log: Memory,
    small: Memory,
}

impl InMemory {
    fn new() -> InMemory {
        InMemory { log: Memory::new(History::new()), small: Memory::new(History::new().with_max_events(KEPT)) }
    }
}

impl Store for InMemory {
    type Log = Memory;

    fn open(&self) -> Memory {
        self.log.clone()
    }

    fn open_small(&self) -> Memory {
        self.small.clone()
    }
}

struct InRedis(RedisServer);

impl InRedis {
    fn start() -> Option<InRedis> {
        // Redis removes whole nodes of a stream.
        RedisServer::start(&["--stream-node-max-entries", "10"]).map(InRedis)
    }
}

impl Store for InRedis {
    type Log = RedisLog;

    fn open(&self) -> RedisLog {
        RedisLog::open(&self.0.url()).unwrap()
    }

    fn open_small(&self) -> RedisLog {
        self.open().with_max_events(KEPT)
    }
}
