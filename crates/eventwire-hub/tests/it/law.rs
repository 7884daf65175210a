//! The guarantee, checked without positions: every event has a serial number as its data, and readers lose their
//! connections between any two items. What a reader gets must be the serial numbers in order, or a gap event where some
//! are missing.

use crate::reader::Reader;
use eventwire::Event;
use eventwire_hub::{Channel, History, Lag, Merged, Resume, StreamPosition};
use futures_util::{Stream, StreamExt};
use proptest::{prelude::*, sample::select};
use std::{pin::Pin, task::Poll};

const TOPICS: [&str; 2] = ["a", "b"];

#[derive(Clone, Debug)]
enum Step {
    Send(usize),
    SendTransient(usize),
    /// In another epoch, or after the newest event.
    Restart(usize, bool),
    Read {
        client: usize,
        items: usize,
    },
    Cut(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        30 => (0_usize..2).prop_map(Step::Send),
        5 => (0_usize..2).prop_map(Step::SendTransient),
        1 => (0_usize..2, any::<bool>()).prop_map(|(topic, is_other)| Step::Restart(topic, is_other)),
        30 => (0_usize..4, 1_usize..8).prop_map(|(client, items)| Step::Read { client, items }),
        10 => (0_usize..4).prop_map(Step::Cut),
    ]
}

struct Topic {
    channel: Channel,
    /// How many events were sent, and how many of them before the last restart in another epoch.
    sent: u64,
    before_epoch: u64,
    restarts: u64,
}

impl Topic {
    fn new(history: History) -> Topic {
        Topic { channel: Channel::new(history), sent: 0, before_epoch: 0, restarts: 0 }
    }

    fn send(&mut self, name: &str) {
        self.channel.send(&Event::new(self.sent.to_string()).with_event_type(name).unwrap()).unwrap();
        self.sent += 1;
    }
}

/// What a reader knows of a topic.
#[derive(Default)]
struct Known {
    /// The serial number of the next event.
    next: u64,
    /// How many events are missing, as the gap events say since which no event has come.
    gap: Option<Option<u64>>,
    /// How many restarts there were when a gap was told last.
    restarts: u64,
}

struct Client {
    is_merged: bool,
    lag: Lag,
    last_event_id: Option<String>,
    stream: Option<Reader<Pin<Box<dyn Stream<Item = eventwire::Outgoing>>>>>,
    known: [Known; 2],
}

impl Client {
    /// Returns false if the reader has everything of streams that have ended.
    fn connect(&mut self, topics: &[Topic; 2]) -> bool {
        let resume = match &self.last_event_id {
            Some(id) => Resume::After(id.as_bytes().into()),
            None => {
                for (known, topic) in self.known.iter_mut().zip(topics) {
                    *known = Known { next: topic.before_epoch, restarts: topic.restarts, gap: None };
                }
                Resume::Earliest
            }
        };
        let channels = topics.iter().map(|topic| &topic.channel);
        self.stream = if self.is_merged {
            let merged = Merged::subscribe(TOPICS.into_iter().zip(channels), resume);
            merged.ok().map(|merged| Reader::new(merged.with_lag(self.lag).boxed_local()))
        } else {
            let subscription = topics[0].channel.subscribe(resume);
            let outgoing = subscription.ok().map(|subscription| subscription.with_lag(self.lag).map(Into::into));
            outgoing.map(|outgoing| Reader::new(outgoing.boxed_local()))
        };
        self.stream.is_some()
    }

    /// Returns whether there was an item.
    fn read(&mut self, topics: &[Topic; 2]) -> bool {
        if self.stream.is_none() && !self.connect(topics) {
            return false;
        }
        let item = match self.stream.as_mut().unwrap().poll() {
            Poll::Ready(Some(item)) => item,
            Poll::Ready(None) => {
                // Too slow, or the end.
                self.stream = None;
                return true;
            }
            Poll::Pending => return false,
        };
        let field = |name: &str| item.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        if let Some(id) = field("id") {
            self.last_event_id = Some(id.to_owned());
        }
        match (field("event"), field("data")) {
            (Some("gap"), Some(data)) => {
                let topic = usize::from(data.contains("\"topic\":\"b\""));
                let missed = data.split_once("\"missed\":").map(|(_, missed)| missed.trim_end_matches('}').parse());
                let known = &mut self.known[topic];
                let missed: Option<u64> = missed.transpose().unwrap();
                assert_ne!(missed, Some(0));
                assert!(missed.is_some() || known.restarts != topics[topic].restarts, "a gap without a reason");
                // More may be lost between a gap event and the next event. It is told in a second gap event.
                known.gap = Some(match known.gap {
                    None => missed,
                    Some(earlier) => earlier.zip(missed).map(|(earlier, missed)| earlier + missed),
                });
                known.restarts = topics[topic].restarts;
            }
            (Some(topic), Some(serial)) => {
                let known = &mut self.known[usize::from(topic == TOPICS[1])];
                let serial: u64 = serial.parse().unwrap();
                match known.gap.take() {
                    None => assert_eq!(serial, known.next, "a hole or a double"),
                    Some(Some(missed)) => assert_eq!(serial, known.next + missed),
                    Some(None) => assert!(serial >= known.next, "a double"),
                }
                known.next = serial + 1;
            }
            _ => {}
        }
        true
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    #[cfg_attr(miri, ignore = "takes minutes")]
    fn no_silent_hole_and_no_double_however_often_connections_are_lost(
        max_events in select(vec![1_usize, 3, 8, 1000]),
        steps in prop::collection::vec(step(), 300),
    ) {
        let mut topics = [(); 2].map(|()| Topic::new(History::new().with_max_events(max_events)));
        let mut clients = [(false, Lag::Gap), (false, Lag::End), (true, Lag::Gap), (true, Lag::End)].map(
            |(is_merged, lag)| {
                let known = Default::default();
                Client { is_merged, lag, last_event_id: None, stream: None, known }
            },
        );
        for step in steps {
            match step {
                Step::Send(topic) => topics[topic].send(TOPICS[topic]),
                Step::SendTransient(topic) => topics[topic].channel.send_transient(Event::new("now")).unwrap(),
                Step::Restart(topic, is_other) => {
                    let topic = &mut topics[topic];
                    let newest = topic.channel.position();
                    let after = if is_other { StreamPosition::new(newest.epoch() + 1, 0) } else { newest };
                    topic.channel.restart(after).unwrap();
                    if is_other {
                        topic.before_epoch = topic.sent;
                    }
                    topic.restarts += 1;
                }
                Step::Read { client, items } => {
                    let _ = (0..items).all(|_| clients[client].read(&topics));
                }
                Step::Cut(client) => clients[client].stream = None,
            }
        }
        topics.iter().for_each(|topic| topic.channel.finish());
        for client in &mut clients {
            while client.read(&topics) {}
            for (known, topic) in client.known.iter().zip(&topics).take(if client.is_merged { 2 } else { 1 }) {
                let missed = known.gap.unwrap_or(Some(0));
                prop_assert!(missed.is_none_or(|missed| known.next + missed == topic.sent));
            }
        }
    }
}
