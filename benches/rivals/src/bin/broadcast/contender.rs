//! The ways to send an event to many readers.

use crate::{
    channel::{Channel, Reader},
    readers::Readers,
};
use axum::{
    body::Body,
    response::{IntoResponse, Sse, sse},
};
use eventwire::{Event, EventBody, TokioTimer};
use std::{cell::RefCell, sync::Arc, time::Duration};

#[derive(Clone, Copy)]
pub(crate) struct Broadcast {
    pub(crate) text: &'static str,
    pub(crate) readers: usize,
    /// The number of events in one pass.
    pub(crate) events: usize,
}

#[derive(Clone, Copy)]
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    /// Opens the streams and returns a pass, which returns the number of bytes that all readers together received.
    pub(crate) prepare: fn(Broadcast) -> Box<dyn Fn() -> usize>,
}

pub(crate) const OURS: [&str; 2] = ["Encoded", "Event"];
pub(crate) const RIVAL: &str = "axum Event";

const INTERVAL: Duration = Duration::from_secs(15);

/// All of them send keep-alives, unless the name says otherwise.
pub(crate) const CONTENDERS: [Contender; 7] = [
    Contender {
        name: "Encoded",
        prepare: |broadcast| {
            broadcast.prepare(Event::new(broadcast.text).encoded(), |events| {
                Body::new(EventBody::new(events).with_keep_alive(INTERVAL, TokioTimer))
            })
        },
    },
    Contender {
        name: "Encoded, any timer",
        prepare: |broadcast| {
            broadcast.prepare(Event::new(broadcast.text).encoded(), |events| {
                Body::new(EventBody::new(events).with_keep_alive(INTERVAL, tokio::time::sleep))
            })
        },
    },
    Contender {
        name: "Event",
        prepare: |broadcast| {
            broadcast.prepare(Event::new(broadcast.text), |events| {
                Body::new(EventBody::new(events).with_keep_alive(INTERVAL, TokioTimer))
            })
        },
    },
    Contender {
        name: "Event, any timer",
        prepare: |broadcast| {
            broadcast.prepare(Event::new(broadcast.text), |events| {
                Body::new(EventBody::new(events).with_keep_alive(INTERVAL, tokio::time::sleep))
            })
        },
    },
    Contender {
        name: "Event, no keep-alive",
        prepare: |broadcast| broadcast.prepare(Event::new(broadcast.text), |events| Body::new(EventBody::new(events))),
    },
    Contender {
        name: "axum Event",
        prepare: |broadcast| {
            broadcast.prepare(sse::Event::default().data(broadcast.text), |events| {
                let keep_alive = sse::KeepAlive::new().interval(INTERVAL);
                Sse::new(events).keep_alive(keep_alive).into_response().into_body()
            })
        },
    },
    Contender {
        name: "axum Event, no keep-alive",
        prepare: |broadcast| {
            broadcast.prepare(sse::Event::default().data(broadcast.text), |events| {
                Sse::new(events).into_response().into_body()
            })
        },
    },
];

impl Broadcast {
    fn prepare<T>(self, event: T, body: impl Fn(Reader<T>) -> Body) -> Box<dyn Fn() -> usize>
    where
        T: Clone + 'static,
    {
        let channel = Channel::new(event);
        let mut readers = Readers::new((0..self.readers).map(|_| body(channel.subscribe())));
        self.check(&channel, &mut readers);
        let readers = RefCell::new(readers);
        Box::new(move || {
            let mut received = 0;
            for _ in 0..self.events {
                channel.send();
                readers.borrow_mut().poll(|frame| received += frame.len());
            }
            assert_eq!(received, self.events * self.readers * self.block().len(), "bytes");
            received
        })
    }

    /// Asserts that each reader gets each event in one frame, and no other frames.
    fn check<T>(self, channel: &Arc<Channel<T>>, readers: &mut Readers) {
        let mut frames = 0;
        readers.poll(|frame| panic!("{frame:?} before the first event"));
        for _ in 0..3 {
            channel.send();
            readers.poll(|frame| {
                assert_eq!(frame, self.block());
                frames += 1;
            });
        }
        assert_eq!(frames, 3 * self.readers, "frames");
    }

    fn block(self) -> String {
        format!("data: {}\n\n", self.text)
    }
}
