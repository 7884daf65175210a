//! Writing: eventwire and other crates encode the same texts.

mod message;

use std::{
    convert::Infallible,
    pin::pin,
    process::ExitCode,
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use eventwire::{Event, EventBody, EventRef};
use futures_util::stream::{self, Stream};
use http_body::Body;

use crate::message::Message;
use eventwire_rivals::{
    corpora,
    options::{self, Options},
    race::Entry,
    table::{Ratio, Table, at_least, megabytes},
};

const CORPORA: [&str; 7] = ["openai", "anthropic", "ticks", "tiny", "lines24", "cjk-emoji", "mib"];

/// axum's builder is its encoder, and a body is the only way to get its bytes.
const RATIOS: [Ratio; 4] = [
    Ratio { name: "EventRef / axum", of: "EventRef", to: &["axum"], goal: at_least(2.0) },
    Ratio { name: "EventBody / axum", of: "EventBody", to: &["axum"], goal: at_least(1.0) },
    Ratio { name: "EventRef / sse-stream", of: "EventRef", to: &["sse-stream"], goal: at_least(2.0) },
    Ratio { name: "EventBody / sse-stream", of: "EventBody", to: &["sse-stream"], goal: at_least(1.0) },
];

fn main() -> ExitCode {
    options::run(bench)
}

fn bench(options: &Options) -> Result<(), String> {
    let mut table = Table::new(options, "MB/s of type, ID and data", megabytes, &RATIOS);
    for name in CORPORA.into_iter().filter(|name| options.wants(name)) {
        // axum's stream requires `'static`.
        let texts: &'static Texts = Box::leak(Box::new(Texts::of(name)));
        let bytes = texts.messages.iter().map(Message::len).sum();
        let ours = OURS.map(|contender| Entry::ours(contender.0, texts.pass(contender)));
        let rivals = RIVALS.map(|contender| Entry::rival(contender.0, texts.pass(contender)));
        let entries: Vec<Entry<'_>> = ours.into_iter().chain(rivals).collect();
        table.row(name, "", bytes, texts.messages.len(), &entries);
    }
    table.finish().map(drop)
}

/// The events of a corpus, as texts and as values.
struct Texts {
    messages: Vec<Message>,
    events: Vec<Event>,
}

/// Where a contender passes each block or frame. It counts the bytes, and keeps them if they are to be compared.
#[derive(Default)]
struct Written {
    len: usize,
    kept: Option<Vec<u8>>,
}

type Contender = (&'static str, fn(&'static Texts, &mut Written));

/// `encode` and `to_bytes` write events that exist; all others start from borrowed texts.
const OURS: [Contender; 4] = [
    ("encode", |texts, written| {
        let mut out = Vec::with_capacity(4096);
        for event in &texts.events {
            out.clear();
            event.encode(&mut out);
            written.add(&out);
        }
    }),
    ("to_bytes", |texts, written| texts.events.iter().for_each(|event| written.add(&event.to_bytes()))),
    ("EventRef", |texts, written| borrowed(&texts.messages).for_each(|event| written.add(&event.to_bytes()))),
    ("EventBody", |texts, written| poll(EventBody::new(ok(owned(&texts.messages))), written)),
];

const RIVALS: [Contender; 2] = [
    ("axum", |texts, written| poll(axum_body(&texts.messages), written)),
    ("sse-stream", |texts, written| poll(sse_stream::SseBody::new(ok(sse_stream(&texts.messages))), written)),
];

impl Texts {
    fn of(corpus: &str) -> Texts {
        let messages = message::all(&corpora::named(corpus).expect("a corpus that is built"));
        let events = owned(&messages).collect();
        Texts { messages, events }
    }

    /// Decodes what the contender writes and compares it with the messages. Each later pass must write as much.
    fn pass(&'static self, (name, write): Contender) -> impl Fn() -> Result<usize, String> {
        let mut first = Written { len: 0, kept: Some(Vec::new()) };
        write(self, &mut first);
        message::check(name, &self.messages, &first.kept.unwrap_or_default());
        move || {
            let mut written = Written::default();
            write(self, &mut written);
            if written.len == first.len { Ok(self.messages.len()) } else { Err(format!("{} bytes", written.len)) }
        }
    }
}

impl Written {
    fn add(&mut self, bytes: &[u8]) {
        self.len += bytes.len();
        if let Some(kept) = &mut self.kept {
            kept.extend_from_slice(bytes);
        }
    }
}

fn owned(messages: &[Message]) -> impl Iterator<Item = Event> {
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

fn borrowed(messages: &'static [Message]) -> impl Iterator<Item = EventRef<'static>> {
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

fn axum_body(messages: &'static [Message]) -> axum::body::Body {
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

fn sse_stream(messages: &'static [Message]) -> impl Iterator<Item = sse_stream::Sse> {
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

fn poll<B: Body<Data = Bytes>>(body: B, written: &mut Written) {
    let mut body = pin!(body);
    let mut context = Context::from_waker(Waker::noop());
    while let Poll::Ready(Some(Ok(frame))) = body.as_mut().poll_frame(&mut context) {
        written.add(&frame.into_data().unwrap_or_default());
    }
}
