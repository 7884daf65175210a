//! Faults at a chosen moment, with one reader of one topic.

use crate::{
    PATIENCE,
    checker::Checker,
    hubs::{RESYNC, topic},
    item::{Item, event},
    ledger::{Back, Gaps, Keys, Ledger, Outcome, Rules},
};
use eventwire_hub::{History, Hub, Log, Memory, Reader, Resume, StreamPosition};
use eventwire_log_tests::{
    RedisServer,
    proxy::{Cut, Gate, Proxy},
};
use eventwire_redis::RedisLog;
use futures_util::StreamExt;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// How long to listen for an item that must not come.
const MOMENT: Duration = Duration::from_millis(300);

/// What was sent to two topics, and what the reader of the first one has got.
struct Scene {
    ledger: Ledger,
    checker: Checker,
}

impl Scene {
    fn new(gaps: Gaps) -> Scene {
        let rules = Rules { gaps, keys: Keys::Kept, back: Back::Never };
        Scene { ledger: Ledger::new(2, rules), checker: Checker::new(0) }
    }

    async fn send<L: Log>(&self, hub: &Hub<L>) {
        self.send_to(0, hub, 0).await;
    }

    async fn send_to<L: Log>(&self, number: usize, hub: &Hub<L>, padding: usize) {
        let event_number = self.ledger.begin(number, false);
        let at = hub.send(&topic(number), &event(event_number, padding)).await.unwrap();
        self.ledger.answered(number, event_number, Outcome::Accepted(at)).unwrap();
    }

    /// Connects the reader, or connects it again with its last event ID.
    async fn open<L: Log>(&mut self, hub: &Hub<L>) -> Reader<L> {
        let resume = self.checker.told().map(|told| told.to_string().into_bytes());
        let resume = resume.map_or(Resume::Live, |told| Resume::After(told.into()));
        let mut reader = hub.subscribe(&topic(0), resume).await.unwrap();
        self.read(&mut reader, [self.checker.events, self.checker.gaps]).await;
        reader
    }

    /// Reads an item, and more until there were so many events and gaps.
    async fn read<L: Log>(&mut self, reader: &mut Reader<L>, counts: [usize; 2]) {
        loop {
            let block = timeout(PATIENCE, reader.next()).await.expect("an item").unwrap();
            self.hear(block.as_ref());
            if counts == [self.checker.events, self.checker.gaps] {
                return;
            }
        }
    }

    async fn listen<L: Log>(&mut self, reader: &mut Reader<L>) {
        while let Ok(block) = timeout(MOMENT, reader.next()).await {
            self.hear(block.unwrap().as_ref());
        }
    }

    fn hear(&mut self, block: &[u8]) {
        for (_, item) in Item::read(block, &[0], &[self.checker.told()]).unwrap() {
            self.checker.hear(item, &self.ledger).unwrap();
        }
    }
}

fn redis(url: &str, resync: Duration) -> Hub<RedisLog> {
    Hub::new(RedisLog::open(url).unwrap()).with_resync(resync)
}

/// The first hub forgets a topic when another one is written to, and the second one shares its log.
fn forgetful() -> [Hub<Memory>; 2] {
    let log = Memory::new(History::new()).with_max_topics(1);
    [Hub::new(log.clone()), Hub::new(log)]
}

#[tokio::test]
async fn a_topic_is_created_again_before_the_reader_returns() {
    let (mut this, [hub, other]) = (Scene::new(Gaps::Anywhere), forgetful());
    drop(this.open(&hub).await);
    this.send(&hub).await;
    this.send_to(1, &hub, 0).await;
    let mut waiting = other.subscribe(&topic(0), Resume::Live).await.unwrap();
    waiting.next().await;
    this.send(&hub).await;
    waiting.next().await;
    let mut reader = this.open(&other).await;
    this.read(&mut reader, [1, 1]).await;
}

#[tokio::test]
async fn a_topic_is_created_again_after_the_reader_has_returned() {
    let (mut this, [hub, other]) = (Scene::new(Gaps::Anywhere), forgetful());
    drop(this.open(&hub).await);
    this.send(&hub).await;
    this.send_to(1, &hub, 0).await;
    let mut reader = this.open(&other).await;
    assert_eq!(this.checker.told(), Some(StreamPosition::new(0, 0)));
    this.send(&hub).await;
    this.read(&mut reader, [1, 1]).await;
}

/// More wake-ups than are kept for one who does not keep up. So the reader, which is connected, never sees the topic.
#[tokio::test]
async fn a_topic_comes_and_goes_while_the_reader_waits_for_it() {
    let (mut this, [hub, _]) = (Scene::new(Gaps::Anywhere), forgetful());
    let mut reader = this.open(&hub).await;
    for _ in 0..70 {
        this.send(&hub).await;
    }
    this.send_to(1, &hub, 0).await;
    tokio::task::yield_now().await;
    this.send(&hub).await;
    this.read(&mut reader, [1, 1]).await;
}

/// The hub reads the topic without a wake-up, and finds the first event of its second life.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_topic_comes_and_goes_while_there_are_no_wakes() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let proxy = Proxy::start(server.port()).await;
    let (hub, other) = (redis(&proxy.url(), RESYNC), redis(&server.url(), RESYNC));
    let mut this = Scene::new(Gaps::BetweenEpochs);
    let mut reader = this.open(&hub).await;
    proxy.set(Gate::WakesStalled);
    for _ in 0..2 {
        server.command::<()>(&["FLUSHALL"]);
        this.send(&other).await;
    }
    // The first event was missed.
    this.read(&mut reader, [0, 1]).await;
    this.read(&mut reader, [1, 1]).await;
    assert_eq!(this.ledger.check().0, []);
}

/// Otherwise, each event would come as late as the next resync.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_dead_connection_for_wakes_is_replaced() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let proxy = Proxy::start(server.port()).await;
    let hub = redis(&proxy.url(), RESYNC);
    let _reader = Scene::new(Gaps::Nowhere).open(&hub).await;
    let connections = proxy.accepted();
    proxy.cut(Cut::SilenceWakes);
    let replaced = async {
        while proxy.accepted() == connections {
            sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(PATIENCE, replaced).await.expect("there is another connection");
}

/// All events together are larger than 32 MB, where Redis closes the connection of a subscriber.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_catches_up_with_large_events() {
    const EVENTS: usize = 200;
    let Some(server) = RedisServer::start(&[]) else { return };
    let proxy = Proxy::start(server.port()).await;
    let (hub, other) = (redis(&proxy.url(), RESYNC), redis(&server.url(), RESYNC));
    let mut this = Scene::new(Gaps::Nowhere);
    this.send(&other).await;
    let mut reader = this.open(&hub).await;
    proxy.set(Gate::Refusing);
    for _ in 0..EVENTS {
        this.send_to(0, &other, 200 << 10).await;
    }
    proxy.set(Gate::Open);
    this.read(&mut reader, [EVENTS, 0]).await;
}

/// Makes the log go back to the second event, as a replica does that becomes the master.
fn lose_the_end(server: &RedisServer, this: &Scene) {
    let id = |number: u64| format!("{}-{number}", this.checker.told().unwrap().epoch());
    server.command::<()>(&["XDEL", "eventwire:stream:{t0}", &id(3), &id(4)]);
    server.command::<()>(&["HSET", "eventwire:topic:{t0}", "number", "2"]);
}

#[tokio::test]
async fn after_a_lost_end_a_reader_that_changes_between_hubs_gets_no_double() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let (hub, other) = (redis(&server.url(), Duration::from_millis(50)), redis(&server.url(), PATIENCE));
    let mut this = Scene::new(Gaps::Anywhere);
    let mut faithful = this.open(&hub).await;
    for _ in 0..3 {
        this.send(&hub).await;
    }
    this.read(&mut faithful, [3, 0]).await;
    lose_the_end(&server, &this);
    for hub in [&other, &hub] {
        let mut reader = this.open(hub).await;
        this.listen(&mut reader).await;
    }
}

#[tokio::test]
async fn after_a_lost_end_a_reader_that_finds_out_before_its_hub_gets_no_double() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let (hub, other) = (redis(&server.url(), PATIENCE), redis(&server.url(), PATIENCE));
    let mut this = Scene::new(Gaps::Anywhere);
    let mut faithful = this.open(&hub).await;
    for _ in 0..3 {
        this.send(&hub).await;
    }
    this.read(&mut faithful, [3, 0]).await;
    // The hubs are not told of the fourth event.
    let fourth = event(this.ledger.begin(0, false), 0).to_bytes();
    let id = format!("{}-4", this.checker.told().unwrap().epoch());
    server.command::<()>(&["XADD", "eventwire:stream:{t0}", &id, "e", str::from_utf8(&fourth).unwrap()]);
    server.command::<()>(&["HSET", "eventwire:topic:{t0}", "number", "4"]);
    let mut visiting = this.open(&other).await;
    this.read(&mut visiting, [4, 0]).await;
    drop(visiting);
    lose_the_end(&server, &this);
    let mut reader = this.open(&hub).await;
    this.listen(&mut reader).await;
    // It goes on where the log does.
    server.command::<()>(&["HSET", "eventwire:topic:{t0}", "run", "another"]);
    this.send(&hub).await;
    this.listen(&mut reader).await;
    assert_eq!(this.checker.events, 5);
}
