//! A topic that is created and lost while a reader is away.

use crate::{
    checker::Checker,
    hubs::topic,
    item::{Item, event},
    ledger::{Back, Gaps, Keys, Ledger, Rules},
};
use eventwire_hub::{History, Hub, Memory, Reader, Resume, StreamPosition};
use futures_util::StreamExt;

/// A log that forgets a topic when another one is written to, and what was sent.
struct Forgetful {
    log: Memory,
    ledger: Ledger,
    checker: Checker,
}

impl Forgetful {
    fn new() -> Forgetful {
        let ledger = Ledger::new(2, Rules { gaps: Gaps::Anywhere, keys: Keys::Kept, back: Back::Never });
        Forgetful { log: Memory::new(History::new()).with_max_topics(1), ledger, checker: Checker::new(0) }
    }

    fn hub(&self) -> Hub<Memory> {
        Hub::new(self.log.clone())
    }

    async fn send(&self, number: usize) {
        let event_number = self.ledger.begin(number, false);
        let at = self.hub().send(&topic(number), &event(event_number, 0)).await.unwrap();
        self.ledger.accepted(number, event_number, at).unwrap();
    }

    /// Reads until there is an event.
    async fn read(&mut self, mut reader: Reader<Memory>) {
        let events = self.checker.events;
        while self.checker.events == events {
            let item = Item::read(reader.next().await.unwrap().as_ref()).unwrap();
            self.checker.hear(item, &self.ledger).unwrap();
        }
    }

    async fn open(&mut self, hub: &Hub<Memory>) -> Reader<Memory> {
        let resume = match self.checker.told() {
            Some(told) => Resume::After(told.to_string().into_bytes().into()),
            None => Resume::Live,
        };
        let mut reader = hub.subscribe(&topic(0), resume).await.unwrap();
        let opening = Item::read(reader.next().await.unwrap().as_ref()).unwrap();
        self.checker.hear(opening, &self.ledger).unwrap();
        assert_eq!(self.checker.told(), Some(StreamPosition::new(0, 0)));
        reader
    }
}

#[tokio::test]
async fn and_created_again_before_the_reader_returns() {
    let mut this = Forgetful::new();
    let (hub, other) = (this.hub(), this.hub());
    drop(this.open(&hub).await);
    this.send(0).await;
    this.send(1).await;
    let mut waiting = other.subscribe(&topic(0), Resume::Live).await.unwrap();
    waiting.next().await;
    this.send(0).await;
    waiting.next().await;

    let told = this.checker.told().unwrap();
    let reader = other.subscribe(&topic(0), Resume::After(told.to_string().into_bytes().into())).await.unwrap();
    this.read(reader).await;
    assert_eq!(this.checker.gaps, 1);
}

#[tokio::test]
async fn and_created_again_after_the_reader_has_returned() {
    let mut this = Forgetful::new();
    let (hub, other) = (this.hub(), this.hub());
    drop(this.open(&hub).await);
    this.send(0).await;
    this.send(1).await;
    let reader = this.open(&other).await;
    this.send(0).await;
    this.read(reader).await;
    assert_eq!(this.checker.gaps, 1);
}

/// More wake-ups than are kept for one who does not keep up. So the reader, which is connected, never sees the topic.
#[tokio::test]
async fn while_a_reader_waits_for_it() {
    let mut this = Forgetful::new();
    let hub = this.hub();
    let reader = this.open(&hub).await;
    for _ in 0..70 {
        this.send(0).await;
    }
    this.send(1).await;
    tokio::task::yield_now().await;
    this.send(0).await;
    this.read(reader).await;
    assert_eq!(this.checker.gaps, 1);
}
