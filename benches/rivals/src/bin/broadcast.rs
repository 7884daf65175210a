//! One event is sent to a thousand readers, each with a body that sends keep-alives.
//!
//! The channel between the event and the readers is minimal: the number of events sent, and the event, which each
//! reader clones. After each event, every body is polled until it is pending, as in a server.

use std::{
    cell::RefCell,
    convert::Infallible,
    pin::Pin,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    time::Duration,
};

use axum::{
    body::Body,
    response::{IntoResponse, Sse, sse},
};
use eventwire::{Event, EventBody, TokioTimer};
use eventwire_rivals::{
    options::{self, Options},
    race::Entry,
    table::{Ratio, Table, at_least},
};
use futures_util::stream::Stream;
use http_body::Body as _;

const READERS: usize = 1000;
/// The number of events in one pass.
const EVENTS: usize = 4;
/// Bytes of data.
const SIZES: [usize; 3] = [30, 300, 4096];
const INTERVAL: Duration = Duration::from_secs(15);

const RATIOS: [Ratio; 2] = [
    Ratio { name: "Encoded / axum", of: "Encoded", to: &["axum"], goal: at_least(1.3) },
    Ratio { name: "Event / axum", of: "Event", to: &["axum"], goal: at_least(1.0) },
];

const ABOUT: &str = "Nanoseconds per event and reader, with 1,000 readers, and axum's time divided by eventwire's";

fn main() -> ExitCode {
    options::run(bench)
}

fn bench(options: &Options) -> Result<(), String> {
    // Sleeps need a runtime. The clock of this one never advances, so no keep-alive is ever sent.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let _entered = runtime.enter();
    let mut table = Table::new(options, ABOUT, |per_second| format!("{:.0}", 1e9 / per_second), &RATIOS);
    for size in SIZES.into_iter().filter(|size| options.wants(&size.to_string())) {
        let text: String = "a line of a chat, or a price. ".chars().cycle().take(size).collect();
        let block = &*format!("data: {text}\n\n");
        let keep_alive = || sse::KeepAlive::new().interval(INTERVAL);
        let entries = [
            Entry::ours(
                "Encoded",
                pass(block, Event::new(&*text).encoded(), |events| {
                    Body::new(EventBody::new(events).with_keep_alive(INTERVAL, TokioTimer))
                }),
            ),
            Entry::ours(
                "Event",
                pass(block, Event::new(&*text), |events| {
                    Body::new(EventBody::new(events).with_keep_alive(INTERVAL, TokioTimer))
                }),
            ),
            Entry::rival(
                "axum",
                pass(block, sse::Event::default().data(&*text), |events| {
                    Sse::new(events).keep_alive(keep_alive()).into_response().into_body()
                }),
            ),
        ];
        table.row(&size.to_string(), "", READERS * EVENTS, READERS * EVENTS, &entries);
    }
    table.finish().map(drop)
}

/// Opens the bodies. A pass sends some events, and returns the number of frames that all readers together received.
fn pass<T: Clone>(block: &str, event: T, body: impl Fn(Reader<T>) -> Body) -> impl Fn() -> Result<usize, String> {
    let channel = Arc::new(Channel { event, sent: AtomicUsize::new(0) });
    // Each reader has its own task, as in a server.
    let open = |_| (body(Reader { channel: Arc::clone(&channel), received: 0 }), Waker::from(Arc::new(Task)));
    let readers: RefCell<Vec<(Body, Waker)>> = RefCell::new((0..READERS).map(open).collect());
    let send = move |each: &mut dyn FnMut(&[u8])| {
        channel.sent.fetch_add(1, Ordering::Relaxed);
        for (body, waker) in &mut *readers.borrow_mut() {
            let mut context = Context::from_waker(waker);
            while let Poll::Ready(frame) = Pin::new(&mut *body).poll_frame(&mut context) {
                each(&frame.expect("no end").expect("no error").into_data().expect("data"));
            }
        }
    };
    send(&mut |frame| assert_eq!(str::from_utf8(frame), Ok(block)));
    let len = block.len();
    move || {
        let (mut frames, mut bytes) = (0, 0);
        for _ in 0..EVENTS {
            send(&mut |frame| {
                frames += 1;
                bytes += frame.len();
            });
        }
        if bytes == frames * len { Ok(frames) } else { Err(format!("{bytes} bytes in {frames} frames")) }
    }
}

struct Task;

impl Wake for Task {
    fn wake(self: Arc<Task>) {}
}

struct Channel<T> {
    /// Every event is a clone of this one.
    event: T,
    sent: AtomicUsize,
}

/// It wakes no task: the sender polls the readers.
struct Reader<T> {
    channel: Arc<Channel<T>>,
    received: usize,
}

impl<T: Clone> Stream for Reader<T> {
    type Item = Result<T, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.received == self.channel.sent.load(Ordering::Relaxed) {
            return Poll::Pending;
        }
        self.received += 1;
        Poll::Ready(Some(Ok(self.channel.event.clone())))
    }
}
