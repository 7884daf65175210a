//! The channel and its naive twin do the same at each of many random steps.

use crate::{
    naive::{self, Part, text},
    reader::Reader,
};
use eventwire::{Event, Outgoing};
use eventwire_hub::{Channel, History, Lag, Merged, Resume, StreamPosition};
use futures_util::{Stream, StreamExt};
use proptest::{prelude::*, sample::select};
use std::{mem, pin::Pin, task::Poll, time::Duration};

const TOPICS: [&str; 2] = ["a", "b"];

#[derive(Clone, Debug)]
enum Step {
    Send(usize, usize),
    SendTransient(usize, usize),
    Subscribe { slot: usize, to: To, from: From, lag: Lag, retries: bool },
    Poll { slot: usize, times: usize },
    Drop(usize),
    Finish(usize),
    Restart(usize, From),
}

#[derive(Clone, Copy, Debug)]
enum To {
    One(usize),
    Both,
}

/// Which position or ID.
#[derive(Clone, Debug)]
enum From {
    Live,
    Earliest,
    /// So many events before the newest one, or after it.
    Newest(i64),
    /// The same number in another epoch.
    OtherEpoch(u64),
    /// An ID that a reader was sent, counted from the latest one.
    Sent(usize),
    Text(&'static [u8]),
}

fn from() -> impl Strategy<Value = From> {
    let texts: &[&[u8]] = &[
        b"",
        b"x",
        b"-",
        b"\xFF",
        b"a=,b=",
        b"a=-",
        b"a=0000000000000001-0,a=0000000000000001-0",
        b"a=0000000000000001-0,c=x",
        b"a=0000000000000001-0, =0000000000000001-0",
        b"c=0000000000000001-0",
        b"0000000000000001-01",
    ];
    prop_oneof![
        2 => Just(From::Live),
        2 => Just(From::Earliest),
        3 => (-12_i64..3).prop_map(From::Newest),
        1 => (0_u64..3).prop_map(From::OtherEpoch),
        4 => (0_usize..20).prop_map(From::Sent),
        1 => select(texts).prop_map(From::Text),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let slot = || 0_usize..4;
    let topic = || 0_usize..2;
    let to = prop_oneof![topic().prop_map(To::One), Just(To::Both)];
    let lag = select(vec![Lag::Gap, Lag::Gap, Lag::End]);
    prop_oneof![
        30 => (topic(), 0_usize..40).prop_map(|(topic, len)| Step::Send(topic, len)),
        8 => (topic(), 0_usize..40).prop_map(|(topic, len)| Step::SendTransient(topic, len)),
        12 => (slot(), to, from(), lag, any::<bool>())
            .prop_map(|(slot, to, from, lag, retries)| Step::Subscribe { slot, to, from, lag, retries }),
        40 => (slot(), 1_usize..6).prop_map(|(slot, times)| Step::Poll { slot, times }),
        4 => slot().prop_map(Step::Drop),
        1 => topic().prop_map(Step::Finish),
        2 => (topic(), from()).prop_map(|(topic, from)| Step::Restart(topic, from)),
    ]
}

type Items = Pin<Box<dyn Stream<Item = Outgoing>>>;

/// A reader and its twin.
struct Both {
    real: Reader<Items>,
    twin: Twin,
    to: To,
    retries: bool,
    has_opened: bool,
    is_pending: bool,
    /// Whether it no longer counts: a merged reader leaves its topics at its end.
    has_left: bool,
}

enum Twin {
    One(naive::Reader),
    Merged(naive::Merged),
}

struct World {
    real: [Channel; 2],
    twin: [naive::Channel; 2],
    readers: [Option<Both>; 4],
    ids_sent: Vec<String>,
}

impl World {
    fn id(&self, topic: usize, from: &From) -> Option<(u64, u64)> {
        let (epoch, number) = self.twin[topic].newest;
        match from {
            From::Newest(offset) => Some((epoch, number.saturating_add_signed(*offset))),
            From::OtherEpoch(other) => Some((*other, number)),
            _ => None,
        }
    }

    fn resume(&self, to: To, from: &From) -> naive::Resume {
        let id = match (from, to) {
            (From::Live, _) => return naive::Resume::Live,
            (From::Earliest, _) => return naive::Resume::Earliest,
            (From::Sent(back), _) => {
                self.ids_sent.iter().rev().nth(*back).map_or(b"none".to_vec(), |id| id.clone().into_bytes())
            }
            (From::Text(text), _) => text.to_vec(),
            (_, To::One(topic)) => text(self.id(topic, from).unwrap()).into_bytes(),
            (_, To::Both) => {
                let id = |topic: usize| format!("{}={}", TOPICS[topic], text(self.id(topic, from).unwrap()));
                format!("{},{}", id(0), id(1)).into_bytes()
            }
        };
        naive::Resume::After(id)
    }

    fn subscribe(&mut self, to: To, from: &From, lag: Lag, retries: bool) -> Option<Both> {
        let resume = self.resume(to, from);
        let real_resume = match &resume {
            naive::Resume::Live => Resume::Live,
            naive::Resume::Earliest => Resume::Earliest,
            naive::Resume::After(id) => Resume::After(id.into()),
        };
        let ends_when_slow = lag == Lag::End;
        let (real, twin): (Option<Items>, _) = match to {
            To::One(topic) => {
                let (twin, is_up_to_date) = self.twin[topic].subscribe(&resume, ends_when_slow);
                let real = self.real[topic].subscribe(real_resume);
                assert_eq!(real.is_err(), is_up_to_date);
                let real = real.ok().map(|real| {
                    let real = real.with_lag(lag);
                    if retries { real.with_retry(Duration::from_millis(7)) } else { real }
                });
                (real.map(|real| real.map(Outgoing::from).boxed_local()), Twin::One(twin))
            }
            To::Both => {
                let resumes = match &resume {
                    naive::Resume::After(id) => naive::resumes(id, &TOPICS),
                    resume => vec![resume.clone(); 2],
                };
                let topics = resumes.iter().zip(&mut self.twin);
                let (readers, up_to_date): (Vec<_>, Vec<_>) =
                    topics.map(|(resume, twin)| twin.subscribe(resume, ends_when_slow)).unzip();
                let real = Merged::subscribe(TOPICS.into_iter().zip(&self.real), real_resume);
                assert_eq!(real.is_err(), up_to_date == [true, true]);
                let real = real.ok().map(|real| {
                    let real = real.with_lag(lag);
                    if retries { real.with_retry(Duration::from_millis(7)) } else { real }
                });
                (real.map(StreamExt::boxed_local), Twin::Merged(naive::Merged::new(readers)))
            }
        };
        let real = real.map(Reader::new);
        if real.is_none() {
            self.leave(to);
        }
        real.map(|real| Both { real, twin, to, retries, has_opened: false, is_pending: false, has_left: false })
    }

    fn leave(&mut self, to: To) {
        match to {
            To::One(topic) => self.twin[topic].readers -= 1,
            To::Both => self.twin.iter_mut().for_each(|twin| twin.readers -= 1),
        }
    }

    fn drop_reader(&mut self, slot: usize) {
        if let Some(reader) = self.readers[slot].take().filter(|reader| !reader.has_left) {
            self.leave(reader.to);
        }
    }

    /// Returns what the twin expects, as it is sent.
    fn expected(&mut self, slot: usize) -> Poll<Option<String>> {
        let both = self.readers[slot].as_mut().unwrap();
        let id = |twin: &Twin| match twin {
            Twin::One(reader) => reader.id.map(text),
            Twin::Merged(merged) => {
                let position = |reader: &naive::Reader| reader.id.map_or("-".to_owned(), text);
                Some(format!("a={},b={}", position(&merged.readers[0]), position(&merged.readers[1])))
            }
        };
        if !both.has_opened {
            both.has_opened = true;
            let id = id(&both.twin).map_or(String::new(), |id| format!("id: {id}\n"));
            let opening = format!("{id}{}\n", if both.retries { "retry: 7\n" } else { "" });
            if opening != "\n" {
                return Poll::Ready(Some(opening));
            }
        }
        let (topic, part) = match (&mut both.twin, both.to) {
            (Twin::One(reader), To::One(topic)) => {
                let part = self.twin[topic].next(reader);
                // Only a merged reader goes on.
                reader.has_ended |= part == Part::End;
                (None, part)
            }
            (Twin::Merged(merged), _) => {
                let (topic, part) = merged.next(&mut self.twin);
                (Some(TOPICS[topic]), part)
            }
            _ => unreachable!(),
        };
        let id = id(&both.twin).unwrap_or_default();
        Poll::Ready(Some(match part {
            Part::Event(event) => format!("id: {id}\n{event}"),
            Part::Transient(item) => item,
            Part::Gap(missed) => {
                let topic = topic.map(|topic| format!("\"topic\":\"{topic}\""));
                let missed = missed.map(|missed| format!("\"missed\":{missed}"));
                let data: Vec<String> = topic.into_iter().chain(missed).collect();
                format!("event: gap\nid: {id}\ndata: {{{}}}\n\n", data.join(","))
            }
            Part::TooSlow | Part::End => return Poll::Ready(None),
            Part::Nothing => return Poll::Pending,
        }))
    }

    fn poll(&mut self, slot: usize) {
        if self.readers[slot].is_none() {
            return;
        }
        let expected = self.expected(slot);
        let both = self.readers[slot].as_mut().unwrap();
        let polled = both.real.poll();
        assert_eq!(polled, expected);
        both.is_pending = polled.is_pending();
        let leaves = polled == Poll::Ready(None) && matches!(both.to, To::Both) && !both.has_left;
        both.has_left |= leaves;
        if leaves {
            self.leave(To::Both);
        }
        if let Poll::Ready(Some(item)) = polled {
            let id = item.lines().find_map(|line| line.strip_prefix("id: "));
            self.ids_sent.extend(id.map(str::to_owned));
        }
    }

    /// Every reader that waited for a change of this topic was woken, and no other.
    fn check_wakes(&mut self, changed: Option<usize>) {
        for both in self.readers.iter_mut().flatten() {
            let has_changed = changed.is_some_and(|changed| match both.to {
                To::Both => true,
                To::One(topic) => topic == changed,
            });
            let wakes = both.real.wakes();
            if both.is_pending {
                assert_eq!(wakes, usize::from(has_changed));
                both.is_pending = !has_changed;
            }
        }
    }

    fn check_stats(&self) {
        for (real, twin) in self.real.iter().zip(&self.twin) {
            let stats = real.stats();
            let position = |position: StreamPosition| (position.epoch(), position.sequence());
            assert_eq!((stats.readers, stats.events, stats.bytes), (twin.readers, twin.events(), twin.bytes()));
            assert_eq!((stats.gaps, stats.ended), (twin.gaps, twin.ended));
            assert_eq!(position(stats.newest), twin.newest);
            assert_eq!(stats.oldest.map(position), twin.oldest());
            assert_eq!(real.position(), stats.newest);
        }
    }

    /// Takes a step, and returns the topic that has changed.
    fn take(&mut self, step: Step, number: usize) -> Option<usize> {
        let data = |len: usize| format!("{number:len$}");
        match step {
            Step::Send(topic, len) => {
                let sent = self.real[topic].send(&Event::new(data(len)));
                let expected = self.twin[topic].send(&data(len));
                assert_eq!(sent.map(|position| (position.epoch(), position.sequence())).map_err(drop), expected);
                expected.is_ok().then_some(topic)
            }
            Step::SendTransient(topic, len) => {
                let sent = self.real[topic].send_transient(Event::new(data(len)));
                let expected = self.twin[topic].send_transient(&data(len));
                assert_eq!(sent.map_err(drop), expected);
                expected.is_ok().then_some(topic)
            }
            Step::Subscribe { slot, to, from, lag, retries } => {
                self.drop_reader(slot);
                self.readers[slot] = self.subscribe(to, &from, lag, retries);
                None
            }
            Step::Poll { slot, times } => {
                (0..times).for_each(|_| self.poll(slot));
                None
            }
            Step::Drop(slot) => {
                self.drop_reader(slot);
                None
            }
            Step::Finish(topic) => {
                self.real[topic].finish();
                let was_finished = mem::replace(&mut self.twin[topic].is_finished, true);
                (!was_finished).then_some(topic)
            }
            Step::Restart(topic, from) => {
                let after = self.id(topic, &from).unwrap_or(self.twin[topic].newest);
                let expected = self.twin[topic].restart(after);
                assert_eq!(self.real[topic].restart(StreamPosition::new(after.0, after.1)).map_err(drop), expected);
                expected.is_ok().then_some(topic)
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    #[cfg_attr(miri, ignore = "takes minutes")]
    fn every_item_is_that_of_the_naive_twin(
        max_events in select(vec![0_usize, 1, 2, 5, 12, 1000]),
        max_bytes in select(vec![0_usize, 60, 150, 400, 100_000]),
        steps in prop::collection::vec(step(), 200),
    ) {
        let history = History::new().with_max_events(max_events).with_max_bytes(max_bytes);
        let real = [1, 2].map(|epoch| {
            let channel = Channel::new(history);
            channel.restart(StreamPosition::new(epoch, 0)).unwrap();
            channel
        });
        let twin = [1, 2].map(|epoch| naive::Channel::new(max_events, max_bytes, epoch));
        let mut world = World { real, twin, readers: [None, None, None, None], ids_sent: Vec::new() };
        for (number, step) in steps.into_iter().enumerate() {
            let changed = world.take(step, number);
            world.check_wakes(changed);
            world.check_stats();
        }
    }
}
