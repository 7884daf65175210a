//! A hundred readers whose connections are killed again and again.
//!
//! `EVENTWIRE_KILLS` sets how many connections are killed until the streams end.

use crate::{channel, http_client, killing_relay::KillingRelay, quick, server::Server};
use eventwire::Event;
use eventwire_client::{Item, StopReason};
use eventwire_hub::StreamPosition;
use eventwire_reqwest::RequestBuilderExt;
use eventwire_test_support::PATIENCE;
use futures_util::future::join_all;
use reqwest::RequestBuilder;
use std::{
    env,
    time::{Duration, Instant},
};
use tokio::{
    task::JoinHandle,
    time::{sleep, timeout},
};

const READERS: usize = 100;
/// With their epochs.
const TOPICS: [(&str, u64); 2] = [("prices", 7), ("chat", 8)];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn if_everything_is_kept_each_reader_gets_each_event_once() {
    let run = Run::new(1 << 20, Duration::from_millis(5)).await;
    assert_eq!(run.gaps, 0);
    assert!(run.resumed >= run.kills / 4, "{run:?}");
}

/// A reader that is away for 100 ms misses some twenty events or more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_a_history_of_8_each_reader_is_told_of_each_loss() {
    let run = Run::new(8, Duration::from_millis(100)).await;
    assert!(run.gaps >= run.kills / 10, "{run:?}");
}

#[derive(Debug)]
struct Run {
    /// How many connections were killed.
    kills: usize,
    /// How many requests had the ID of an event, and were not the last one of their reader.
    resumed: usize,
    gaps: usize,
}

impl Run {
    /// Half of the readers have one topic, and the others have both. Each checks that nothing is missing without a gap
    /// event, and that nothing comes twice.
    async fn new(max_events: usize, retry: Duration) -> Run {
        let enough = env::var("EVENTWIRE_KILLS").map_or(100, |kills| kills.parse().unwrap());
        let bound = PATIENCE + Duration::from_millis(50) * u32::try_from(enough).unwrap();
        let topics = TOPICS.map(|(name, epoch)| (name, channel(epoch, max_events)));
        let server = Server::start(&topics, retry, usize::MAX).await;
        let relay = KillingRelay::start(server.address, 50..850).await;
        let client = http_client();
        let readers: Vec<_> = (0..READERS)
            .map(|index| {
                let (path, topics) = if index % 2 == 0 { ("events", &TOPICS[..1]) } else { ("merged", &TOPICS[..]) };
                let request = client.get(format!("http://{}/{path}?earliest", relay.address()));
                tokio::spawn(timeout(bound, Reader::new(topics).read(request)))
            })
            .collect();

        let begun = Instant::now();
        // A reader that has ended has found an error.
        while relay.kills() < enough && !readers.iter().any(JoinHandle::is_finished) {
            for (count, (name, channel)) in (1..).zip(&topics) {
                for _ in 0..count {
                    let number = channel.position().sequence() + 1;
                    channel.send(&Event::new(number.to_string()).with_event_type(name).unwrap()).unwrap();
                }
            }
            sleep(Duration::from_millis(5)).await;
        }
        topics.iter().for_each(|(_, channel)| channel.finish());

        let readers: Vec<Reader> = join_all(readers).await.into_iter().map(|reader| reader.unwrap().unwrap()).collect();
        for reader in &readers {
            for ((_, position), (name, channel)) in reader.topics.iter().zip(&topics) {
                assert_eq!(*position, channel.position(), "the last event of {name}");
            }
        }
        let has_event_id = |request: &&String| !request.starts_with("-") && !request.contains("-0");
        let requests = server.requests();
        let resumed = requests.iter().filter(has_event_id).filter(|request| !request.ends_with("UpToDate")).count();
        let run = Run { kills: relay.kills(), resumed, gaps: readers.iter().map(|reader| reader.gaps).sum() };
        eprintln!("{run:?} in {:.1} s", begun.elapsed().as_secs_f32());
        run
    }
}

/// A reader, and what it has been told.
struct Reader {
    /// The names, and the positions up to which the reader knows of each event.
    topics: Vec<(&'static str, StreamPosition)>,
    gaps: usize,
}

impl Reader {
    fn new(topics: &[(&'static str, u64)]) -> Reader {
        let topics = topics.iter().map(|&(name, epoch)| (name, StreamPosition::new(epoch, 0))).collect();
        Reader { topics, gaps: 0 }
    }

    /// Reads to the end of the stream.
    async fn read(mut self, request: RequestBuilder) -> Reader {
        let mut source = request.eventsource().unwrap().with_policy(quick());
        while let Some(item) = source.next().await {
            match item {
                Item::Event(event) => self.hear(event.event_type(), event.data(), event.last_event_id()),
                Item::Open(_) | Item::Reconnecting { .. } => {}
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(source.into_stopped().reason(), StopReason::NoContent);
        self
    }

    fn hear(&mut self, event_type: &str, data: &str, id: &str) {
        let (name, count) = if event_type == "gap" {
            self.gaps += 1;
            let gap: serde_json::Value = serde_json::from_str(data).unwrap();
            (gap["topic"].as_str().unwrap_or(TOPICS[0].0).to_owned(), gap["missed"].as_u64().unwrap())
        } else {
            (event_type.to_owned(), 1)
        };
        let (_, position) = self.topics.iter_mut().find(|(topic, _)| *topic == name).unwrap();
        *position = StreamPosition::new(position.epoch(), position.sequence() + count);
        if event_type != "gap" {
            assert_eq!(data, position.sequence().to_string(), "the number of the next event of {name}");
        }
        let positions: Vec<_> = self.topics.iter().map(|(name, position)| format!("{name}={position}")).collect();
        let expected = if positions.len() == 1 { self.topics[0].1.to_string() } else { positions.join(",") };
        assert_eq!(id, expected);
    }
}
