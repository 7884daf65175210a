//! What a body with a signal sends, and when it ends.

use crate::{law, manual_clock::Manual, stream_generator::Random};
use bytes::Bytes;
use eventwire::{Block, Comment, Decoder, Event, EventBody};
use futures_util::stream;
use http_body::Body;
use std::{
    cell::Cell,
    collections::BTreeSet,
    convert::Infallible,
    future,
    ops::RangeInclusive,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, Waker},
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

type Polled<E = Infallible> = Poll<Option<Result<Bytes, E>>>;

fn poll<E>(body: &mut (impl Body<Data = Bytes, Error = E> + Unpin)) -> Polled<E> {
    let polled = Pin::new(body).poll_frame(&mut Context::from_waker(Waker::noop()));
    polled.map_ok(|frame| frame.into_data().expect("no trailers"))
}

const FIVE: Duration = Duration::from_secs(5);

/// The last block of a stream with this reconnection time.
fn retry(time: Duration) -> Polled {
    Poll::Ready(Some(Ok(Block::default().with_retry(time).to_bytes())))
}

/// Up to the signal, the blocks are those of the stream, poll by poll. After the signal, there is the reconnection time
/// and nothing else.
#[test]
fn the_stream_until_the_signal() {
    law::check(256, |random| {
        // A `None` is a pending poll.
        let steps = random.list(12, |random| random.maybe(Random::number));
        let (signal_at, says_retry) = (random.below(16), random.coin());
        let (source, signal) = (Manual::<Event>::default(), Signal::default());
        let mut body = EventBody::new(source.clone()).until(signal.clone());
        if says_retry {
            body = body.with_final_retry(FIVE..=FIVE);
        }
        for step in steps.iter().take(signal_at) {
            assert!(!body.is_end_stream() && !source.is_dropped());
            let event = step.map(|number| Event::new(number.to_string()));
            event.iter().for_each(|event| source.send(event.clone()));
            assert_eq!(poll(&mut body), event.map_or(Poll::Pending, |event| Poll::Ready(Some(Ok(event.to_bytes())))));
        }
        if signal_at <= steps.len() {
            signal.is_given.set(true);
            source.send(Event::new("too late"));
            if says_retry {
                assert!(!body.is_end_stream());
                assert_eq!(poll(&mut body), retry(FIVE));
                assert!(source.is_dropped(), "before the end was polled");
            }
        } else {
            source.end();
        }
        for _ in 0..3 {
            assert_eq!(poll(&mut body), Poll::Ready(None));
            assert!(body.is_end_stream() && source.is_dropped());
        }
    });
}

#[test]
fn a_time_of_the_range() {
    law::check(256, |random| {
        // The range contains a whole millisecond.
        let [least, more] = [0, 1].map(|_| Duration::from_nanos(u64::from(random.number()) * 7919));
        let times = least..=least + Duration::from_millis(1) + more;
        let time = chosen(times.clone());
        assert!(times.contains(&time), "{time:?}");
    });
}

#[test]
fn an_error_ends_the_body_without_a_reconnection_time() {
    let signal = Signal::default();
    let items = stream::iter([Ok(Event::new("1")), Err("broken"), Ok(Event::new("2"))]);
    let mut body = EventBody::new(items).until(signal.clone()).with_final_retry(FIVE..=FIVE);
    assert_eq!(poll(&mut body), Poll::Ready(Some(Ok(Event::new("1").to_bytes()))));
    assert_eq!(poll(&mut body), Poll::Ready(Some(Err("broken"))));
    signal.is_given.set(true);
    assert_eq!(poll(&mut body), Poll::Ready(None));
}

/// Returns the time that a body chooses. Its last block has nothing else.
fn chosen(times: RangeInclusive<Duration>) -> Duration {
    let body = EventBody::new(stream::pending::<Comment>()).until(future::ready(()));
    let Poll::Ready(Some(Ok(bytes))) = poll(&mut body.with_final_retry(times)) else { panic!("no block") };
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
fn in_any_order_with_a_keep_alive() {
    let no_time = |_: Duration| future::ready(());
    let new = || EventBody::new(stream::pending::<Event>());
    let signal = Signal::default();
    let first = &mut new().until(signal.clone()).with_final_retry(FIVE..=FIVE).with_keep_alive(FIVE, no_time);
    let last = &mut new().with_final_retry(FIVE..=FIVE).with_keep_alive(FIVE, no_time).until(signal.clone());
    for comment in [Comment::default(), Comment::new("keep-alive")] {
        let comment = Poll::Ready(Some(Ok(comment.to_bytes())));
        assert_eq!([poll(first), poll(last)], [comment.clone(), comment]);
    }
    signal.is_given.set(true);
    assert_eq!([poll(first), poll(last)], [retry(FIVE), retry(FIVE)]);
    assert_eq!([poll(first), poll(last)], [Poll::Ready(None), Poll::Ready(None)]);
}
