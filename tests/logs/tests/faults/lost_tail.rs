//! A log that has lost its newest events, as a replica has that becomes the master.

use crate::{
    PATIENCE,
    checker::Checker,
    hubs::topic,
    item::{Item, event},
    ledger::{Back, Gaps, Keys, Ledger, Rules},
};
use eventwire_hub::{Hub, Reader, Resume};
use eventwire_log_tests::RedisServer;
use eventwire_redis::RedisLog;
use futures_util::StreamExt;
use std::time::Duration;
use tokio::time::timeout;

/// How long to listen for an item that must not come.
const MOMENT: Duration = Duration::from_millis(300);

struct Loser {
    server: RedisServer,
    ledger: Ledger,
    checker: Checker,
}

impl Loser {
    fn start() -> Option<Loser> {
        let ledger = Ledger::new(1, Rules { gaps: Gaps::Anywhere, keys: Keys::Kept, back: Back::Never });
        Some(Loser { server: RedisServer::start(&[])?, ledger, checker: Checker::new(0) })
    }

    fn hub(&self, resync: Duration) -> Hub<RedisLog> {
        Hub::new(RedisLog::open(&self.server.url()).unwrap()).with_resync(resync)
    }

    async fn send(&self, hub: &Hub<RedisLog>) {
        let number = self.ledger.begin(0, false);
        self.ledger.accepted(0, number, hub.send(&topic(0), &event(number, 0)).await.unwrap()).unwrap();
    }

    /// Stores the fourth event, of which hubs are not told.
    fn send_silently(&self) {
        let event = event(self.ledger.begin(0, false), 0).encoded();
        let event = str::from_utf8(event.as_ref()).unwrap();
        self.server.command::<()>(&["XADD", "eventwire:stream:{t0}", &self.id(4), "e", event]);
        self.server.command::<()>(&["HSET", "eventwire:topic:{t0}", "number", "4"]);
    }

    /// Goes back to the second event.
    fn lose(&self) {
        self.server.command::<()>(&["XDEL", "eventwire:stream:{t0}", &self.id(3), &self.id(4)]);
        self.server.command::<()>(&["HSET", "eventwire:topic:{t0}", "number", "2"]);
    }

    fn id(&self, number: u64) -> String {
        format!("{}-{number}", self.checker.told().unwrap().epoch())
    }

    async fn read(&mut self, reader: &mut Reader<RedisLog>, items: usize) {
        for _ in 0..items {
            let item = timeout(PATIENCE, reader.next()).await.unwrap().unwrap();
            self.checker.hear(Item::read(item.as_ref()).unwrap(), &self.ledger).unwrap();
        }
    }

    /// The reader returns to a hub, and listens for a while.
    async fn visit(&mut self, hub: &Hub<RedisLog>) -> Reader<RedisLog> {
        let told = self.checker.told().unwrap().to_string().into_bytes();
        let mut reader = hub.subscribe(&topic(0), Resume::After(told.into())).await.unwrap();
        self.listen(&mut reader).await;
        reader
    }

    async fn listen(&mut self, reader: &mut Reader<RedisLog>) {
        while let Ok(item) = timeout(MOMENT, reader.next()).await {
            self.checker.hear(Item::read(item.unwrap().as_ref()).unwrap(), &self.ledger).unwrap();
        }
    }
}

#[tokio::test]
async fn a_reader_that_changes_between_hubs_gets_no_double() {
    let Some(mut this) = Loser::start() else { return };
    let (hub, other) = (this.hub(Duration::from_millis(50)), this.hub(PATIENCE));
    let mut faithful = hub.subscribe(&topic(0), Resume::Live).await.unwrap();
    for _ in 0..3 {
        this.send(&hub).await;
    }
    this.read(&mut faithful, 4).await;
    this.lose();
    drop(this.visit(&other).await);
    drop(this.visit(&hub).await);
}

#[tokio::test]
async fn a_reader_that_finds_out_before_its_hub_gets_no_double() {
    let Some(mut this) = Loser::start() else { return };
    let (hub, other) = (this.hub(PATIENCE), this.hub(PATIENCE));
    let mut faithful = hub.subscribe(&topic(0), Resume::Live).await.unwrap();
    for _ in 0..3 {
        this.send(&hub).await;
    }
    this.read(&mut faithful, 4).await;
    this.send_silently();
    drop(this.visit(&other).await);
    assert_eq!(this.checker.events, 4);
    this.lose();
    let mut reader = this.visit(&hub).await;
    // It goes on where the log does.
    this.server.command::<()>(&["HSET", "eventwire:topic:{t0}", "run", "another"]);
    this.send(&hub).await;
    this.listen(&mut reader).await;
    assert_eq!(this.checker.events, 5);
}
