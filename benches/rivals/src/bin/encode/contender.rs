//! The ways to write events.

use crate::message::Message;
use bytes::Bytes;
use eventwire::{Event, EventBody, EventRef, EventType};
use futures_util::stream::{self, Stream};
use http_body::Body;
use std::{
    convert::Infallible,
    pin::pin,
    task::{Context, Poll, Waker},
};

#[derive(Clone, Copy)]
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    /// Returns everything that one pass writes.
    pub(crate) written: fn(Messages) -> Vec<u8>,
    /// Builds the input before the clock starts. Returns a pass, which returns the number of bytes that it has
    /// written.
    pub(crate) prepare: fn(Messages) -> Box<dyn Fn() -> usize>,
}

/// Borrowed for `'static`, because axum's stream requires it.
pub(crate) type Messages = &'static [Message];

/// The entries that are compared with the rivals: `EventRef` from borrowed texts to `Bytes`, and `EventBody` from
/// owned events to the frames of a body. axum's builder is its encoder, and a body is the only way to get its bytes.
pub(crate) const OURS: [&str; 3] = ["EventRef", "EventBody", "EventBody, EventType"];
pub(crate) const RIVALS: [&str; 2] = ["axum Sse", "sse-stream SseBody"];

pub(crate) const CONTENDERS: [Contender; 7] = [
    Contender {
        name: "encode",
        written: |messages| {
            let mut out = Vec::new();
            owned(messages).for_each(|event| event.encode(&mut out));
            out
        },
        prepare: |messages| {
            let events: Vec<Event> = owned(messages).collect();
            Box::new(move || {
                let (mut written, mut out) = (0, Vec::with_capacity(4096));
                for event in &events {
                    out.clear();
                    event.encode(&mut out);
                    written += out.len();
                }
                written
            })
        },
    },
    Contender {
        name: "to_bytes",
        written: |messages| owned(messages).flat_map(|event| event.to_bytes()).collect(),
        prepare: |messages| {
            let events: Vec<Event> = owned(messages).collect();
            Box::new(move || events.iter().map(|event| event.to_bytes().len()).sum())
        },
    },
    Contender {
        name: "EventRef",
        written: |messages| borrowed(messages).flat_map(|event| event.to_bytes()).collect(),
        prepare: |messages| Box::new(move || borrowed(messages).map(|event| event.to_bytes().len()).sum()),
    },
    Contender {
        name: "EventBody",
        written: |messages| frames(EventBody::new(ok(owned(messages)))).concat(),
        prepare: |messages| Box::new(move || poll(EventBody::new(ok(owned(messages))))),
    },
    Contender {
        name: "EventBody, EventType",
        written: |messages| frames(EventBody::new(ok(typed(&Typed::all(messages))))).concat(),
        prepare: |messages| {
            let messages = Typed::all(messages);
            Box::new(move || poll(EventBody::new(ok(typed(&messages)))))
        },
    },
    Contender {
        name: "axum Sse",
        written: |messages| frames(axum_body(messages)).concat(),
        prepare: |messages| Box::new(move || poll(axum_body(messages))),
    },
    Contender {
        name: "sse-stream SseBody",
        written: |messages| frames(sse_stream::SseBody::new(ok(sse_stream(messages)))).concat(),
        prepare: |messages| Box::new(move || poll(sse_stream::SseBody::new(ok(sse_stream(messages))))),
    },
];

fn owned(messages: Messages) -> impl Iterator<Item = Event> {
    messages.iter().map(|message| {
        let mut event = Event::new(message.data.as_str());
        if let Some(event_type) = &message.event_type {
            event = event.with_event_type(event_type.as_str()).expect("one line");
        }
        match &message.id {
            Some(id) => event.with_id(id.as_str()).expect("one line"),
            None => event,
        }
    })
}

/// A message whose type was checked in advance. In a program, the type is a constant.
struct Typed {
    event_type: Option<EventType>,
    message: &'static Message,
}

impl Typed {
    fn all(messages: Messages) -> Vec<Typed> {
        let typed = messages.iter().map(|message| {
            let event_type = message.event_type.as_deref().map(|text| EventType::new(text).expect("one line"));
            Typed { event_type, message }
        });
        typed.collect()
    }
}

fn typed(messages: &[Typed]) -> impl Iterator<Item = Event> {
    messages.iter().map(|Typed { event_type, message }| {
        let mut event = Event::new(message.data.as_str());
        if let Some(event_type) = event_type {
            event = event.with_checked_type(event_type.clone());
        }
        match &message.id {
            Some(id) => event.with_id(id.as_str()).expect("one line"),
            None => event,
        }
    })
}

fn borrowed(messages: Messages) -> impl Iterator<Item = EventRef<'static>> {
    messages.iter().map(|message| {
        let mut event = EventRef::new(&message.data);
        if let Some(event_type) = &message.event_type {
            event = event.with_event_type(event_type).expect("one line");
        }
        match &message.id {
            Some(id) => event.with_id(id).expect("one line"),
            None => event,
        }
    })
}

fn axum_body(messages: Messages) -> axum::body::Body {
    use axum::response::{IntoResponse, Sse, sse::Event};

    let events = messages.iter().map(|message| {
        let mut event = Event::default();
        if let Some(event_type) = &message.event_type {
            event = event.event(event_type);
        }
        if let Some(id) = &message.id {
            event = event.id(id);
        }
        event.data(&message.data)
    });
    Sse::new(ok(events)).into_response().into_body()
}

fn sse_stream(messages: Messages) -> impl Iterator<Item = sse_stream::Sse> {
    messages.iter().map(|message| {
        let mut event = sse_stream::Sse::default().data(message.data.as_str());
        if let Some(event_type) = &message.event_type {
            event = event.event(event_type.as_str());
        }
        if let Some(id) = &message.id {
            event = event.id(id.as_str());
        }
        event
    })
}

fn ok<T>(items: impl Iterator<Item = T>) -> impl Stream<Item = Result<T, Infallible>> {
    stream::iter(items.map(Ok))
}

fn frames<B: Body<Data = Bytes>>(body: B) -> Vec<Bytes> {
    let mut frames = Vec::new();
    each_frame(body, |frame| frames.push(frame));
    frames
}

fn poll<B: Body<Data = Bytes>>(body: B) -> usize {
    let mut written = 0;
    each_frame(body, |frame| written += frame.len());
    written
}

fn each_frame<B: Body<Data = Bytes>>(body: B, mut each: impl FnMut(Bytes)) {
    let mut body = pin!(body);
    let mut context = Context::from_waker(Waker::noop());
    while let Poll::Ready(Some(Ok(frame))) = body.as_mut().poll_frame(&mut context) {
        each(frame.into_data().unwrap_or_default());
    }
}
