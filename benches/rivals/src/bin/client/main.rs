//! Measures what the client adds to `EventStream` on a connection that is not interrupted, and prints the figures as
//! Markdown.
//!
//! The same chunks are read through `EventStream`, and as the body of a response through `client::EventSource`.

#[expect(dead_code, reason = "the bodies are built here")]
#[path = "../../../../consume.rs"]
mod consume;
#[path = "../../../../corpora.rs"]
mod corpora;
#[path = "../../head.rs"]
mod head;
#[path = "../../rounds.rs"]
mod rounds;
#[path = "../../turns.rs"]
mod turns;

use crate::{
    corpora::{Corpus, Cut},
    turns::per_second,
};
use bytes::Bytes;
use eventwire::{Event, EventStream};
use eventwire_client::{EventSource, Item, connector_fn};
use futures_util::stream::{self, Stream};
use http::Response;
use std::{
    future, io,
    ops::ControlFlow,
    pin::{Pin, pin},
    process::ExitCode,
    task::{Context, Poll, Waker},
    time::Duration,
};

const USAGE: &str = "usage: cargo run --release --bin client -- [--rounds N]";

/// The limit of the client's time, as a multiple of the stream's.
const BAR: f64 = 1.05;

fn main() -> ExitCode {
    let Some(rounds) = rounds::asked() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    println!("{}\n", head::line());
    println!(
        "MB/s of the stream, the best of {rounds} rounds, and the time of the client divided by that of `EventStream` alone.\n"
    );
    println!("| corpus / cut | `EventStream` | `EventSource` | time |\n| --- | --- | --- | --- |");
    let mut times = Vec::new();
    for corpus in corpora::all() {
        times.extend(Cut::ALL.map(|cut| row(&corpus, cut, rounds)));
    }
    let mean = times.iter().map(|time| time.ln()).sum::<f64>() / times.len() as f64;
    println!("\nGeometric mean: {:.3}", mean.exp());
    ExitCode::SUCCESS
}

fn row(corpus: &Corpus, cut: Cut, rounds: usize) -> f64 {
    let chunks = corpora::cut(corpus, cut);
    let stream = || stream(&chunks);
    let source = || source(&chunks);
    for pass in [&stream as &dyn Fn() -> usize, &source] {
        assert_eq!(pass(), corpus.events, "events");
    }
    let best = rounds::race([&stream, &source], rounds);

    let [stream, source] = best.map(|best| per_second(corpus.bytes.len(), best) / 1e6);
    let ratio = best[1].as_secs_f64() / best[0].as_secs_f64();
    let mark = if ratio > BAR { " (over the bar)" } else { "" };
    println!("| {} / {} | {stream:.0} | {source:.0} | {ratio:.2}{mark} |", corpus.name, cut.name());
    ratio
}

/// A boxed body that can fail, like the bodies of HTTP clients, so that the compiler cannot see its type.
fn body(chunks: &[Bytes]) -> Pin<Box<dyn Stream<Item = io::Result<Bytes>> + '_>> {
    Box::pin(stream::iter(chunks.iter().cloned().map(Ok)))
}

fn stream(chunks: &[Bytes]) -> usize {
    let mut count = 0;
    poll_each(EventStream::new(body(chunks)), |event| {
        look(&event.expect("an event"));
        count += 1;
        ControlFlow::Continue(())
    });
    count
}

fn source(chunks: &[Bytes]) -> usize {
    let connector = connector_fn(|_| {
        let response = Response::builder().header("content-type", "text/event-stream");
        future::ready(io::Result::Ok(response.body(body(chunks)).expect("a response")))
    });
    let never = |_: Duration| future::pending();
    let mut count = 0;
    poll_each(EventSource::with_connector(connector, never), |item| match item {
        Item::Open(_) => ControlFlow::Continue(()),
        Item::Event(event) => {
            look(&event);
            count += 1;
            ControlFlow::Continue(())
        }
        // The end of the body. No other connection follows.
        _ => ControlFlow::Break(()),
    });
    count
}

/// Polls without an executor. The client sometimes yields to other tasks although more data is ready.
fn poll_each<S: Stream>(stream: S, mut each: impl FnMut(S::Item) -> ControlFlow<()>) {
    let mut stream = pin!(stream);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        match stream.as_mut().poll_next(&mut context) {
            Poll::Ready(Some(item)) => {
                if each(item).is_break() {
                    return;
                }
            }
            Poll::Ready(None) => return,
            Poll::Pending => {}
        }
    }
}

fn look(event: &Event) {
    consume::look(event.event_type(), event.data(), event.id());
}
