//! What the client adds to `Events` on a connection that is not interrupted.
//!
//! The same chunks are read through `Events`, and as the body of a response through `EventSource`.

use std::{
    future, io,
    ops::ControlFlow,
    pin::{Pin, pin},
    process::ExitCode,
    task::{Context, Poll, Waker},
    time::Duration,
};

use bytes::Bytes;
use eventwire::{Event, Events};
use eventwire_client::{EventSource, Item, connector_fn};
use eventwire_rivals::{
    consume, corpora,
    options::{self, Options},
    race::Entry,
    table::{Ratio, Table, at_most, megabytes},
};
use futures_util::stream::{self, Stream};
use http::Response;

const RATIOS: [Ratio; 1] = [Ratio { name: "time", of: "Events", to: &["EventSource"], goal: at_most(1.05) }];

const ABOUT: &str = "MB/s, and the time of the client divided by that of `Events` alone";

fn main() -> ExitCode {
    options::run(bench)
}

fn bench(options: &Options) -> Result<(), String> {
    let mut table = Table::new(options, ABOUT, megabytes, &RATIOS);
    for corpus in options.corpora() {
        for cut in options.cuts() {
            let chunks = &*corpora::cut(&corpus, cut);
            let entries = [
                Entry::ours("Events", || Ok(event_stream(chunks))),
                Entry::ours("EventSource", || Ok(event_source(chunks))),
            ];
            table.row(&corpus.name, &cut.name(), corpus.bytes.len(), corpus.events, &entries);
        }
    }
    table.finish().map(drop)
}

/// A boxed body that can fail, like the bodies of HTTP clients, so that the compiler cannot see its type.
fn body(chunks: &[Bytes]) -> Pin<Box<dyn Stream<Item = io::Result<Bytes>> + '_>> {
    Box::pin(stream::iter(chunks.iter().cloned().map(Ok)))
}

fn event_stream(chunks: &[Bytes]) -> usize {
    let mut count = 0;
    poll_each(Events::new(body(chunks)), |event| {
        look(&event.expect("an event"));
        count += 1;
        ControlFlow::Continue(())
    });
    count
}

fn event_source(chunks: &[Bytes]) -> usize {
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
    consume::look(event.event_type(), event.data(), event.last_event_id());
}
