//! An engine that cannot return many entries at once in the time of an answer.

use crate::{
    after,
    items::{ready, within},
    script::Script,
    topic,
};
use eventwire_hub::{Entry, History, Hub, Limit, Log, Page, Resume, StreamPosition, Topic, Wake};
use std::{io, time::Duration};

/// Fails if it is asked for more than three entries.
struct Slow(Script);

impl Log for Slow {
    type Error = io::Error;
    type Wakes = <Script as Log>::Wakes;

    async fn append(&self, topic: &Topic, entry: Entry<'_>, key: Option<&str>) -> io::Result<Option<StreamPosition>> {
        self.0.append(topic, entry, key).await.map_err(io::Error::other)
    }

    async fn read(&self, topic: &Topic, after: Option<StreamPosition>, limit: Limit) -> io::Result<Page> {
        if limit.entries > 3 {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.0.read(topic, after, limit).await.map_err(io::Error::other)
    }

    async fn watch(&self, topic: &Topic) -> io::Result<Self::Wakes> {
        self.0.watch(topic).await.map_err(io::Error::other)
    }
}

/// Smaller pages are read, by readers and by the follower.
#[tokio::test(start_paused = true)]
async fn are_read_in_smaller_ones() {
    let log = Script::new();
    log.begin(&topic(), 7);
    (1..=9).for_each(|_| _ = log.push(&topic()));
    let hub = Hub::new(Slow(log.clone())).with_history(History::new().with_max_events(1));
    let mut live = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    assert_eq!(ready(&mut live).await, ["@7-9"]);
    let mut returns = hub.subscribe(&topic(), after(5)).await.unwrap();
    let minute = Duration::from_secs(60);
    assert_eq!(within(&mut returns, minute).await, ["@7-5", "7-6 6", "7-7 7", "7-8 8", "7-9 9"]);
    log.push(&topic());
    log.wake(&topic(), Wake::Changed);
    for reader in [&mut live, &mut returns] {
        assert_eq!(within(reader, minute).await, ["7-10 10"]);
    }
}
