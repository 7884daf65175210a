//! One event is sent to many readers: a `Channel` and an `EventBody` for each reader, against a broadcast channel of
//! tokio and an `Sse` of axum. Both send keep-alives. `Event` is tokio's channel with owned events, which the
//! `EventBody` of each reader encodes.
//!
//! In the first table, one thread sends some events and then polls every body until it is pending. In the second one
//! each body has a task, on two threads. The text of each event is a new `String`, as a program has it that formats or
//! serialises. The channel numbers its events and keeps the last 1,024; the other events have no IDs.

use std::{
    cell::RefCell,
    convert::Infallible,
    future::poll_fn,
    pin::Pin,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    task::{Context, Poll, Wake, Waker},
    time::Duration,
};

use axum::{
    body::Body,
    response::{IntoResponse, Sse, sse},
};
use eventwire::{Event, EventBody, TokioTimer};
use eventwire_hub::{Channel, History, Resume};
use eventwire_rivals::{
    options::{self, Options},
    race::Entry,
    table::{Ratio, Table, at_least},
};
use futures_util::stream::{self, Stream};
use http_body::Body as _;
use tokio::{
    runtime::{Builder, Runtime},
    sync::broadcast,
};

const READERS: [usize; 4] = [1, 10, 1000, 10_000];
/// Bytes of data.
const SIZES: [usize; 3] = [30, 300, 4096];
/// How many events are sent before a reader is polled.
const BURSTS: [usize; 2] = [1, 100];
const INTERVAL: Duration = Duration::from_secs(15);

const ALONE: [Ratio; 2] = [
    Ratio { name: "Channel / axum", of: "Channel", to: &["axum"], goal: at_least(1.3) },
    Ratio { name: "Event / axum", of: "Event", to: &["axum"], goal: at_least(1.0) },
];
const IN_TASKS: [Ratio; 2] = [
    Ratio { name: "Channel / axum", of: "Channel", to: &["axum"], goal: at_least(1.1) },
    Ratio { name: "Event / axum", of: "Event", to: &["axum"], goal: at_least(1.0) },
];

const ABOUT: &str = "Nanoseconds per event and reader, and axum's time divided by eventwire's";

fn main() -> ExitCode {
    options::run(bench)
}

fn bench(options: &Options) -> Result<(), String> {
    // Sleeps need a runtime. The clock of this one never advances, so the only keep-alive is the one at the beginning.
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
    let entered = runtime.enter();
    table(options, ABOUT, &ALONE, &READERS, |send, bodies| {
        let polled = Polled::new(bodies);
        Box::new(move |events, frames| polled.pass(&*send, events, frames))
    })?;
    drop(entered);
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_time().build().expect("a runtime");
    let entered = runtime.enter();
    table(options, &format!("{ABOUT}, in tasks on two threads"), &IN_TASKS, &READERS[2..], |send, bodies| {
        let tasks = Tasks::new(&runtime, bodies);
        Box::new(move |events, frames| tasks.pass(&*send, events, frames))
    })?;
    drop(entered);
    Ok(())
}

/// Sends one event.
type Send = Box<dyn Fn()>;
/// Sends so many events, and waits until so many frames have arrived at each reader since the beginning.
type Pass = Box<dyn Fn(usize, usize) -> Result<(), String>>;

fn table(
    options: &Options,
    about: &str,
    ratios: &[Ratio],
    readers: &[usize],
    open: impl Fn(Send, Vec<Body>) -> Pass,
) -> Result<(), String> {
    if !readers.iter().any(|readers| options.wants(&readers.to_string())) {
        return Ok(());
    }
    let mut table = Table::new(options, about, |per_second| format!("{:.0}", 1e9 / per_second), ratios);
    for (&readers, size, burst) in readers.iter().flat_map(|readers| {
        SIZES.into_iter().flat_map(move |size| BURSTS.into_iter().map(move |burst| (readers, size, burst)))
    }) {
        let name = format!("{readers} readers, {size} bytes");
        if !options.wants(&readers.to_string()) || !options.wants_cut(&burst.to_string()) {
            continue;
        }
        let text: String = "a line of a chat, or a price. ".chars().cycle().take(size).collect();
        let bursts = (4000 / (readers * burst)).max(1);
        let entry = |(send, bodies): (Send, Vec<Body>), opening: usize| {
            let pass = open(send, bodies);
            let frames = RefCell::new(opening);
            move || {
                for _ in 0..bursts {
                    *frames.borrow_mut() += burst;
                    pass(burst, *frames.borrow())?;
                }
                Ok(readers * burst * bursts)
            }
        };
        let entries = [
            Entry::ours("Channel", entry(channel(&text, readers), 1)),
            // Its source is silent at first.
            Entry::ours("Event", entry(cloned(&text, readers), 1)),
            Entry::rival("axum", entry(axum(&text, readers), 0)),
        ];
        let cut = if burst == 1 { "single".to_owned() } else { format!("bursts of {burst}") };
        table.row(&name, &cut, readers * burst * bursts, readers * burst * bursts, &entries);
    }
    table.finish().map(drop)
}

fn channel(text: &str, readers: usize) -> (Send, Vec<Body>) {
    let channel = Channel::new(History::new());
    let body = |_| {
        let events = channel.subscribe(Resume::Live).expect("a channel that is not finished");
        Body::new(EventBody::new(events).with_keep_alive(INTERVAL, TokioTimer))
    };
    let bodies = (0..readers).map(body).collect();
    let text = text.to_owned();
    (Box::new(move || assert!(channel.send(&Event::new(text.clone())).is_ok())), bodies)
}

/// An owned event, which each reader clones and encodes.
fn cloned(text: &str, readers: usize) -> (Send, Vec<Body>) {
    let sender = broadcast::Sender::new(1024);
    let body = |_| Body::new(EventBody::new(received(sender.subscribe())).with_keep_alive(INTERVAL, TokioTimer));
    let bodies = (0..readers).map(body).collect();
    let text = text.to_owned();
    (Box::new(move || drop(sender.send(Event::new(text.clone())))), bodies)
}

fn axum(text: &str, readers: usize) -> (Send, Vec<Body>) {
    let sender = broadcast::Sender::new(1024);
    let body = |_| {
        let keep_alive = sse::KeepAlive::new().interval(INTERVAL);
        Sse::new(received(sender.subscribe())).keep_alive(keep_alive).into_response().into_body()
    };
    let bodies = (0..readers).map(body).collect();
    let text = text.to_owned();
    (Box::new(move || drop(sender.send(sse::Event::default().data(text.clone())))), bodies)
}

fn received<T: Clone>(receiver: broadcast::Receiver<T>) -> impl Stream<Item = Result<T, Infallible>> {
    stream::unfold(receiver, |mut events| async {
        let event = events.recv().await.ok()?;
        Some((Ok(event), events))
    })
}

/// Bodies that are polled here.
struct Polled(RefCell<Vec<(Body, Waker, usize)>>);

impl Polled {
    fn new(bodies: Vec<Body>) -> Polled {
        // Each has its own task, as in a server.
        Polled(RefCell::new(bodies.into_iter().map(|body| (body, Waker::from(Arc::new(Task)), 0)).collect()))
    }

    fn pass(&self, send: &dyn Fn(), events: usize, frames: usize) -> Result<(), String> {
        let mut bodies = self.0.borrow_mut();
        if bodies[0].2 == 0 {
            // The first pass. A reader that has never been polled is not waiting.
            bodies.iter_mut().for_each(poll);
        }
        (0..events).for_each(|_| send());
        for body in &mut *bodies {
            poll(body);
            if body.2 != frames {
                return Err(format!("{} frames instead of {frames}", body.2));
            }
        }
        Ok(())
    }
}

/// Polls a body until it is pending.
fn poll((body, waker, received): &mut (Body, Waker, usize)) {
    let mut context = Context::from_waker(waker);
    while let Poll::Ready(frame) = Pin::new(&mut *body).poll_frame(&mut context) {
        let frame = frame.expect("no end").expect("no error").into_data().expect("data");
        assert!(frame.ends_with(b"\n\n"));
        *received += 1;
    }
}

struct Task;

impl Wake for Task {
    fn wake(self: Arc<Task>) {}
}

/// Bodies that are polled by tasks.
struct Tasks {
    readers: usize,
    /// The number of frames that each reader waits for.
    frames: Arc<AtomicUsize>,
    /// How many readers have that many.
    done: Arc<AtomicUsize>,
    all_done: mpsc::Receiver<()>,
}

impl Tasks {
    fn new(runtime: &Runtime, bodies: Vec<Body>) -> Tasks {
        let (readers, frames, done) = (bodies.len(), Arc::new(AtomicUsize::new(1)), Arc::new(AtomicUsize::new(0)));
        let (last, all_done) = mpsc::channel();
        for body in bodies {
            let (frames, done, last) = (Arc::clone(&frames), Arc::clone(&done), last.clone());
            // Before anything is sent: whether there is a comment first depends on that.
            let mut reader = (body, Waker::noop().clone(), 0);
            poll(&mut reader);
            let (mut body, _, mut received) = reader;
            runtime.spawn(async move {
                while let Some(Ok(_)) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
                    received += 1;
                    if received == frames.load(Ordering::Acquire) && done.fetch_add(1, Ordering::AcqRel) + 1 == readers
                    {
                        let _ = last.send(());
                    }
                }
            });
        }
        Tasks { readers, frames, done, all_done }
    }

    fn pass(&self, send: &dyn Fn(), events: usize, frames: usize) -> Result<(), String> {
        self.done.store(0, Ordering::Release);
        self.frames.store(frames, Ordering::Release);
        (0..events).for_each(|_| send());
        self.all_done.recv_timeout(Duration::from_secs(20)).map_err(|_| {
            format!("{} of {} readers have {frames} frames", self.done.load(Ordering::Acquire), self.readers)
        })
    }
}
