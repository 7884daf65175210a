//! Writes JSON into a stream: directly into the buffer, and through an event.

use crate::{corpora, payload::OpenAiChunk, payloads, rounds, turns::per_second};
use bytes::BytesMut;
use eventwire::Event;
use std::{cell::RefCell, hint::black_box};

/// The goal for writing directly into the buffer, as a multiple of the other throughput.
const BAR: f64 = 1.2;

pub(crate) fn run(rounds: usize) {
    println!("MB/s of the stream, the best of {rounds} rounds, and how many times as fast `encode_json` is.\n");
    println!("| corpus | head | buffer | `with_json`, `encode` | `encode_json` | times |");
    println!("| --- | --- | --- | --- | --- | --- |");
    let corpus = corpora::named("openai").expect("a corpus that is built");
    let payloads = payloads(&corpus);
    let chunks = payloads.iter().map(|payload| serde_json::from_slice(payload).expect("JSON of this type"));
    let chunks: Vec<OpenAiChunk> = chunks.collect();
    let head = Event::default().with_event_type("chunk").and_then(|event| event.with_id("1234")).expect("one line");
    for (name, head) in [("none", Event::default()), ("type, ID", head)] {
        row(name, &head, "Vec", &chunks, Vec::with_capacity(4096), rounds);
        row(name, &head, "BytesMut", &chunks, BytesMut::with_capacity(4096), rounds);
    }
}

fn row<B>(name: &str, head: &Event, into: &str, chunks: &[OpenAiChunk], buffer: B, rounds: usize)
where
    B: eventwire::TruncateBuf + Clear,
{
    let buffer = &RefCell::new(buffer);
    let pass = |write: fn(&Event, &OpenAiChunk, &mut B)| {
        move || {
            let buffer = &mut *buffer.borrow_mut();
            let written = chunks.iter().map(|chunk| {
                buffer.clear();
                write(head, chunk, buffer);
                black_box(&*buffer).as_ref().len()
            });
            written.sum()
        }
    };
    let event = pass(|head, chunk, buffer| {
        head.clone().with_json(chunk).expect("a value that JSON can express").encode(buffer);
    });
    let straight = pass(|head, chunk, buffer| head.encode_json(chunk, buffer).expect("a value that JSON can express"));
    let passes = [&event as &dyn Fn() -> usize, &straight];
    let [bytes, same] = passes.map(|pass| pass());
    assert_eq!(bytes, same, "bytes");
    let best = rounds::race(passes, rounds);

    let [event, straight] = best.map(|best| per_second(bytes, best) / 1e6);
    let times = straight / event;
    let mark = if times < BAR { " (below the bar)" } else { "" };
    println!("| openai | {name} | {into} | {event:.0} | {straight:.0} | {times:.2}{mark} |");
}

/// The method `clear`, which both buffers have but no trait has.
trait Clear {
    fn clear(&mut self);
}

impl Clear for Vec<u8> {
    fn clear(&mut self) {
        self.clear();
    }
}

impl Clear for BytesMut {
    fn clear(&mut self) {
        self.clear();
    }
}
