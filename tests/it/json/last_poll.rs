//! The last poll of the source, after the end marker.

use crate::scripted_source::Failure;
use eventwire::{Dialect, Error, Event, Events, EventsExt, JsonStream, is_last_poll, poll_last};
use futures_util::{
    FutureExt, StreamExt,
    stream::{self, FusedStream},
};
use std::{
    cell::{Cell, RefCell},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

type Item = Result<Event, Error<Failure>>;

fn event(data: &str) -> Poll<Option<Item>> {
    Poll::Ready(Some(Ok(Event::new(data))))
}

/// Reads these answers of a source as numbers. Returns them, and which polls of the source were last ones.
fn read(answers: Vec<Poll<Option<Item>>>) -> (Vec<i64>, Vec<bool>) {
    let (polls, mut answers) = (RefCell::new(Vec::new()), answers.into_iter());
    let source = stream::poll_fn(|_| {
        polls.borrow_mut().push(is_last_poll());
        answers.next().expect("the source was polled once too often")
    });
    let dialect = Dialect::new().with_end_data("[DONE]").with_last_type("last").with_optional_end();
    let mut values = JsonStream::new(source).with_dialect(dialect);
    let mut items = Vec::new();
    while !values.is_terminated() {
        let item = values.next().now_or_never().expect("the end was delayed");
        items.extend(item.map(|value| value.unwrap_or(-1)));
    }
    assert!(matches!(values.next().now_or_never(), Some(None)));
    drop(values);
    (items, polls.into_inner())
}

#[test]
fn the_result_is_ignored() {
    let error = || Poll::Ready(Some(Err(Error::Transport(Failure("reset")))));
    for last in [Poll::Pending, Poll::Ready(None), event("2"), error()] {
        assert_eq!(read(vec![event("1"), event("[DONE]"), last]), (vec![1], vec![false, false, true]));
    }
    assert!(!is_last_poll());
}

#[test]
fn after_each_kind_of_end() {
    let last = |data| Poll::Ready(Some(Ok(Event::new(data).with_event_type("last").expect("a valid type"))));
    assert_eq!(read(vec![last("1"), Poll::Pending]), (vec![1], vec![false, true]));
    assert_eq!(read(vec![last(""), Poll::Pending]), (vec![], vec![false, true]));
    assert_eq!(read(vec![event("{\"type\":\"last\"}"), Poll::Pending]), (vec![-1], vec![false, true]));
}

#[test]
fn not_after_the_end_of_the_source() {
    let error = Poll::Ready(Some(Err(Error::Transport(Failure("reset")))));
    assert_eq!(read(vec![event("1"), Poll::Ready(None)]), (vec![1], vec![false; 2]));
    assert_eq!(read(vec![error, Poll::Ready(None)]), (vec![-1], vec![false; 2]));
}

/// A reader would wait for more bytes.
#[test]
fn an_iterator_is_not_called_again() {
    let mut items = vec![Ok::<_, Failure>("data: 1\n\ndata: [DONE]\n\n")].into_iter();
    let chunks = std::iter::from_fn(|| Some(items.next().expect("it was called again")));
    assert_eq!(Events::new(chunks).json_with::<i64>(Dialect::OPENAI).map(Result::unwrap).collect::<Vec<_>>(), [1]);
}

#[test]
fn the_body_below_all_adapters_is_told() {
    let (mut chunks, told) = (vec!["data: 1\n\ndata: [DONE]\r\n\r\n: bye\n\n"].into_iter(), Cell::new(0));
    let body = stream::poll_fn(|_| {
        told.set(told.get() + usize::from(is_last_poll()));
        chunks.next().map_or(Poll::Pending, |chunk| Poll::Ready(Some(Ok::<_, Failure>(chunk))))
    });
    let events = body.map(|chunk| chunk).events().filter(|_| std::future::ready(true));
    let mut values = JsonStream::<_, i64>::new(Box::pin(events)).with_dialect(Dialect::OPENAI);
    assert_eq!(values.next().now_or_never().flatten().expect("a value").expect("a number"), 1);
    assert_eq!(told.get(), 0);
    assert!(values.next().now_or_never().expect("the end was delayed").is_none());
    assert_eq!(told.get(), 1);
}

#[test]
fn it_wakes_nobody() {
    struct Count(AtomicUsize);
    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let (wakers, mut chunks) =
        (RefCell::<Vec<Waker>>::default(), vec![Ok::<_, Failure>("data: [DONE]\n\n")].into_iter());
    let body = stream::poll_fn(|context| {
        wakers.borrow_mut().push(context.waker().clone());
        chunks.next().map_or(Poll::Pending, |chunk| Poll::Ready(Some(chunk)))
    });
    let task = Arc::new(Count(AtomicUsize::new(0)));
    let waker = Waker::from(Arc::clone(&task));
    let mut values = Events::new(body).json_with::<i64>(Dialect::OPENAI);
    assert!(values.poll_next_unpin(&mut Context::from_waker(&waker)).is_ready());
    assert_eq!(wakers.borrow().len(), 2);
    wakers.borrow()[1].wake_by_ref();
    assert_eq!(task.0.load(Ordering::Relaxed), 0);
    wakers.borrow()[0].wake_by_ref();
    assert_eq!(task.0.load(Ordering::Relaxed), 1);
}

#[test]
fn a_body_that_panics_ends_it() {
    let body = stream::poll_fn(|_| -> Poll<Option<()>> { panic!("the body") });
    assert!(catch_unwind(AssertUnwindSafe(|| poll_last(pin!(body)))).is_err());
    assert!(!is_last_poll());
}

/// A body can itself read another stream to its end.
#[test]
fn a_last_poll_within_a_last_poll() {
    let mut seen = Vec::new();
    let body = stream::poll_fn(|_| {
        poll_last(Pin::new(&mut stream::pending::<()>()));
        seen.push(is_last_poll());
        Poll::<Option<()>>::Pending
    });
    poll_last(pin!(body));
    assert_eq!(seen, [true]);
    assert!(!is_last_poll());
}
