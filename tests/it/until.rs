//! What `Until` passes on, and when it ends.

use bytes::Bytes;
use eventwire::{Block, Comment, Decoder, Event, KeepAlive, Outgoing, Until};
use futures_util::{FutureExt, Stream, StreamExt, stream, stream::FusedStream};
use proptest::prelude::*;
use std::{
    cell::Cell,
    collections::BTreeSet,
    convert::Infallible,
    future,
    ops::RangeInclusive,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
    time::Duration,
};

/// A signal that resolves when the test resolves it. It must not be polled after that.
#[derive(Clone, Default)]
struct Signal {
    is_given: Rc<Cell<bool>>,
    is_over: bool,
}

impl Future for Signal {
    type Output = &'static str;

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<&'static str> {
        assert!(!self.is_over, "polled after it resolved");
        self.is_over = self.is_given.get();
        if self.is_over { Poll::Ready("the output is ignored") } else { Poll::Pending }
    }
}

/// A stream that follows a script, in which `None` is a pending poll.
struct Script {
    steps: Vec<Option<u32>>,
    at: usize,
    has_ended: bool,
    alive: Rc<()>,
}

impl Script {
    fn new(steps: &[Option<u32>], alive: &Rc<()>) -> Script {
        Script { steps: steps.into(), at: 0, has_ended: false, alive: Rc::clone(alive) }
    }
}

impl Stream for Script {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Event>> {
        assert!(!self.has_ended && Rc::strong_count(&self.alive) > 1);
        let step = self.steps.get(self.at).copied();
        self.at += 1;
        self.has_ended = step.is_none();
        match step {
            Some(Some(number)) => Poll::Ready(Some(Event::new(number.to_string()))),
            Some(None) => Poll::Pending,
            None => Poll::Ready(None),
        }
    }
}

type Polled = Poll<Option<Result<Bytes, Infallible>>>;

fn poll(items: &mut (impl Stream<Item = Result<Outgoing, Infallible>> + Unpin)) -> Polled {
    let polled = items.poll_next_unpin(&mut Context::from_waker(futures_util::task::noop_waker_ref()));
    polled.map_ok(Outgoing::into_bytes)
}

const FIVE: Duration = Duration::from_secs(5);

/// The last block of a stream with this reconnection time.
fn retry(time: Duration) -> Polled {
    Poll::Ready(Some(Ok(Block::default().with_retry(time).to_bytes())))
}

proptest! {
    /// Up to the signal, the blocks are those of the stream, poll by poll. After the signal, there is the
    /// reconnection time and nothing else.
    #[test]
    fn the_stream_until_the_signal(
        steps in prop::collection::vec(prop::option::of(any::<u32>()), 0..12),
        signal_at in 0_usize..16,
        says_retry: bool,
    ) {
        let alive = Rc::new(());
        let signal = Signal::default();
        let mut blocks = Until::new(Script::new(&steps, &alive), signal.clone());
        if says_retry {
            blocks = blocks.with_final_retry(FIVE..=FIVE);
        }
        let mut expected: Vec<Polled> = steps
            .iter()
            .map(|step| step.map_or(Poll::Pending, |number| Poll::Ready(Some(Ok(Event::new(number.to_string()).to_bytes())))))
            .take(signal_at)
            .collect();
        if says_retry && signal_at <= steps.len() {
            expected.push(retry(FIVE));
        }
        for (count, expected) in expected.iter().enumerate() {
            signal.is_given.set(count >= signal_at);
            prop_assert!(!blocks.is_terminated());
            prop_assert_eq!(&poll(&mut blocks), expected);
        }
        signal.is_given.set(expected.len() >= signal_at);
        for _ in 0..3 {
            prop_assert_eq!(&poll(&mut blocks), &Poll::Ready(None));
            prop_assert!(blocks.is_terminated());
            prop_assert_eq!(Rc::strong_count(&alive), 1, "the stream is dropped");
        }
    }

    #[test]
    fn a_time_of_the_range(least: u32, more: u32) {
        // The range contains a whole millisecond.
        let least = Duration::from_nanos(u64::from(least) * 7919);
        let times = least..=least + Duration::from_millis(1) + Duration::from_nanos(u64::from(more) * 7919);
        let time = chosen(times.clone());
        prop_assert!(times.contains(&time), "{time:?}");
    }
}

#[test]
fn the_stream_is_dropped_when_the_signal_resolves() {
    let (alive, signal) = (Rc::new(()), Signal::default());
    let mut blocks = Until::new(Script::new(&[None], &alive), signal.clone()).with_final_retry(FIVE..=FIVE);
    assert_eq!((poll(&mut blocks), Rc::strong_count(&alive)), (Poll::Pending, 2));
    signal.is_given.set(true);
    assert_eq!(poll(&mut blocks), retry(FIVE));
    assert_eq!(Rc::strong_count(&alive), 1, "before the end was polled");
}

#[test]
fn errors_are_passed_on() {
    let items = stream::iter([Err("broken"), Ok(Event::new("1"))]);
    let until = Until::new(items, future::pending::<()>()).map(|item| item.map(Outgoing::into_bytes));
    let items: Vec<_> = until.collect().now_or_never().unwrap();
    assert_eq!(items, [Err("broken"), Ok(Event::new("1").to_bytes())]);
}

/// Returns the time that `Until` chooses.
fn chosen(times: RangeInclusive<Duration>) -> Duration {
    let mut blocks = Until::new(stream::pending::<Comment>(), future::ready(())).with_final_retry(times);
    last_retry(&mut blocks)
}

/// Returns the time of a block with nothing else.
fn last_retry(items: &mut (impl Stream<Item = Result<Outgoing, Infallible>> + Unpin)) -> Duration {
    let Poll::Ready(Some(Ok(bytes))) = poll(items) else { panic!("no block") };
    let mut decoder = Decoder::new();
    let item = decoder.decode_block(&mut &bytes[..]).unwrap();
    let time = item.and_then(|item| item.block()?.retry()).expect("a reconnection time");
    assert_eq!(bytes, Block::default().with_retry(time).to_bytes());
    time
}

#[test]
fn each_stream_has_a_different_time() {
    let times = Duration::ZERO..=Duration::from_millis(u64::MAX);
    let chosen: BTreeSet<Duration> = (0..100).map(|_| chosen(times.clone())).collect();
    assert_eq!(chosen.len(), 100);
}

#[test]
fn inside_a_keep_alive_and_around_one() {
    let no_time = |_: Duration| future::ready(());
    let signal = Signal::default();
    let silent = Until::new(stream::pending::<Event>(), signal.clone());
    let mut inside = KeepAlive::new(silent, FIVE, no_time);
    let kept = KeepAlive::new(stream::pending::<Event>(), FIVE, no_time);
    let mut around = Until::new(kept, signal.clone());
    for comment in [Comment::default(), Comment::new("keep-alive")] {
        assert_eq!(poll(&mut inside), Poll::Ready(Some(Ok(comment.to_bytes()))));
        assert_eq!(poll(&mut around), Poll::Ready(Some(Ok(comment.to_bytes()))));
    }
    signal.is_given.set(true);
    assert_eq!(poll(&mut inside), Poll::Ready(None));
    assert_eq!(poll(&mut around), Poll::Ready(None));
}
