//! What a reader of a hub costs beside one of a channel.

use crate::{
    counting_allocator::{live, measure},
    topic,
};
use eventwire::Event;
use eventwire_hub::{History, Hub, Memory, Reader, Resume};
use futures_util::{FutureExt, StreamExt};
use std::time::Duration;
use tokio::time::sleep;

/// Reads everything that is ready.
fn read(readers: &mut [Reader<Memory>]) -> usize {
    readers.iter_mut().map(|reader| std::iter::from_fn(|| reader.next().now_or_never().flatten()).count()).sum()
}

#[tokio::test(start_paused = true)]
async fn reading_a_live_event_allocates_nothing() {
    let hub = Hub::new(Memory::new(History::new()));
    let mut readers = Vec::with_capacity(100);
    for _ in 0..100 {
        readers.push(hub.subscribe(&topic(), Resume::Live).await.unwrap());
    }
    assert_eq!(read(&mut readers), 100);
    for round in 0..20 {
        hub.send(&topic(), &Event::new("x".repeat(1000))).await.unwrap();
        sleep(Duration::from_millis(1)).await;
        let (items, reading) = measure(|| read(&mut readers));
        assert_eq!(items, 100);
        // In the first rounds, the wakers need memory, which is kept.
        assert!(round < 3 || reading.allocations == 0, "{reading:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_waiting_reader_is_small() {
    const READERS: usize = 1000;
    let hub = Hub::new(Memory::new(History::new()));
    let mut readers = Vec::with_capacity(READERS);
    hub.send(&topic(), &Event::new("a")).await.unwrap();
    let _first = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    let before = live();
    for _ in 0..READERS {
        readers.push(hub.subscribe(&topic(), Resume::Live).await.unwrap());
    }
    assert_eq!(read(&mut readers), READERS);
    let beside = (live() - before) / READERS;
    let size = size_of::<Reader<Memory>>();
    println!("a reader has {size} bytes, and needs {beside} beside them");
    assert!(size <= 320 && beside <= 64, "{size} and {beside} bytes");
}

/// Nothing is left of readers that come and go, whether they wait or read pages.
#[tokio::test(start_paused = true)]
async fn readers_that_come_and_go_leave_nothing() {
    let hub = Hub::new(Memory::new(History::new()));
    for _ in 0..100 {
        hub.send(&topic(), &Event::new("a")).await.unwrap();
    }
    let _stays = hub.subscribe(&topic(), Resume::Live).await.unwrap();
    let mut before = 0;
    for round in 0..20 {
        for resume in [Resume::Live, Resume::Earliest, Resume::After(b"x".into())] {
            let mut reader = hub.subscribe(&topic(), resume).await.unwrap();
            drop(reader.next().await);
            drop(reader.next().now_or_never());
        }
        sleep(Duration::from_millis(1)).await;
        if round < 5 {
            before = live();
        }
        assert!(live() <= before, "{} bytes more", live() - before);
    }
}
