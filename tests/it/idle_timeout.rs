//! Idle timeouts: what it passes on, when it times out, and what follows.

use crate::{
    counting_allocator::measure,
    law,
    manual_clock::{Clock, Manual, Timeline, millis, seconds},
    scripted_source::{
        Answer::{Chunk, Failure, Pending},
        Script,
    },
    stream_generator::cut,
};
use bytes::Bytes;
use eventwire::{Decoder, Eof, Error, Events, EventsExt, Position, Tap, Timeout, Timer};
use futures_util::{FutureExt, Stream, StreamExt, stream, stream::FusedStream};
use std::{collections::VecDeque, convert::Infallible, future, task::Poll, time::Duration};

type Item = Result<Bytes, Error<Infallible>>;
type Chunks = Manual<Bytes>;

/// Returns all items of a stream, polled to its end.
fn all<S: Stream + Unpin>(mut stream: S) -> Vec<S::Item> {
    let (mut items, mut polls) = (Vec::new(), 0);
    loop {
        match stream.next().now_or_never() {
            Some(Some(item)) => items.push(item),
            Some(None) => return items,
            None => polls += 1,
        }
        assert!(polls < 100_000, "it never ends");
    }
}

/// Returns chunks, with a pending poll before each chunk for which `pauses` is true.
fn source(chunks: &[&[u8]], pauses: &[bool]) -> impl Stream<Item = Result<Bytes, Infallible>> + Unpin + use<> {
    let answers = chunks.iter().zip(pauses.iter().cycle()).flat_map(|(chunk, pause)| {
        [pause.then_some(None), Some(Some(Bytes::copy_from_slice(chunk)))].into_iter().flatten()
    });
    let mut answers: VecDeque<Option<Bytes>> = answers.collect();
    stream::poll_fn(move |context| match answers.pop_front() {
        Some(Some(chunk)) => Poll::Ready(Some(Ok(chunk))),
        Some(None) => {
            context.waker().wake_by_ref();
            Poll::Pending
        }
        None => Poll::Ready(None),
    })
}

/// If time passes between all polls, but never enough for a timeout, the events are the same as without the adapter.
#[test]
fn items_are_unchanged() {
    law::check(2_000, |random| {
        let (stream, sizes, is_told) = (random.stream(), random.cut(), random.coin());
        let pauses = [random.coin(), random.coin(), random.coin(), random.coin(), random.coin()];
        let chunks = cut(&stream, &sizes);
        let eof = random.one_of(&[Eof::Discard, Eof::Dispatch, Eof::Error]);
        let decoder = Decoder::new().with_eof(eof).with_max_event_size(100);
        let alone = all(Events::new(source(&chunks, &pauses)).with_decoder(decoder.clone()));
        let clock = Clock { is_told, ..Clock::default() };
        let events = Events::new(source(&chunks, &pauses)).with_decoder(decoder);
        let mut events = events.with_idle_timeout(seconds(8), clock.clone());
        let passing = all(stream::poll_fn(|context| {
            // A pause takes two polls, so two of these make at most half of the timeout.
            clock.pass(seconds(3));
            events.poll_next_unpin(context)
        }));
        assert_eq!(passing, alone);
    });
}

/// No item before the silence is lost, at any place where the silence begins. An unfinished event is handled as
/// after any other failure of a source.
#[test]
fn a_timeout_is_a_failure_as_the_last_word() {
    law::check(2_000, |random| {
        let (stream, sizes) = (random.stream(), random.cut());
        let chunks = cut(&stream, &sizes);
        let decoder = Decoder::new().with_eof(random.one_of(&[Eof::Discard, Eof::Dispatch, Eof::Error]));
        let failing = source(&chunks, &[false]).map(|chunk| chunk.map_err(|never| match never {}));
        let failing = failing.chain(stream::iter([Err(())]));
        let mut expected = all(Events::new(failing).with_decoder(decoder.clone()));
        assert_eq!(expected.pop(), Some(Err(Error::Transport(()))));
        let silent = source(&chunks, &[false]).chain(stream::pending());
        let mut events = Events::new(silent).with_decoder(decoder).with_idle_timeout(seconds(1), no_time);
        let mut found = all(&mut events);
        assert_eq!(found.pop(), Some(Err(Error::IdleTimeout(seconds(1)))));
        let found = found.into_iter().map(|item| item.map_err(|error| error.map_transport(|never| match never {})));
        assert_eq!(found.collect::<Vec<_>>(), expected);
        assert!(events.decoder().position() == Position::BetweenBlocks && events.is_terminated());
    });
}

fn no_time(_: Duration) -> future::Ready<()> {
    future::ready(())
}

/// A stream that is polled only when its task is woken. Chunks pass at their milliseconds, and the timeout comes
/// exactly when none has arrived for its duration.
#[test]
fn to_the_millisecond() {
    law::check(256, |random| {
        let (timeout, timeline) = (4 * (1 + random.below(19) as u64), Timeline::any(random));
        let source = Chunks::default();
        let mut chunks = Timeout::new(source.clone(), millis(timeout), timeline.clock.clone());
        let (mut ends, mut expected) = (timeout, Vec::new());
        for at in &timeline.comes_at {
            if *at > ends {
                break;
            }
            expected.push((*at, Ok("a".into())));
            ends = at + timeout;
        }
        expected.push((ends, Err(Error::IdleTimeout(millis(timeout)))));
        assert_eq!(timeline.run(&mut chunks, ends + 50, |_| source.send("a")), expected);
    });
}

/// Returns the item that is ready now.
#[track_caller]
fn next(chunks: &mut Timeout<Chunks, Clock>) -> Option<Option<Item>> {
    chunks.next().now_or_never()
}

/// The two clocks, with a source and its timeout.
fn both(timeout: Duration) -> [(Clock, Chunks, Timeout<Chunks, Clock>); 2] {
    Clock::with_both(|source, clock| Timeout::new(source, timeout, clock))
}

#[test]
fn after_the_timeout_the_source_is_not_polled() {
    for (clock, source, mut chunks) in both(seconds(40)) {
        for _ in 0..4 {
            assert_eq!(next(&mut chunks), None);
            clock.pass(seconds(10));
        }
        assert_eq!(next(&mut chunks), Some(Some(Err(Error::IdleTimeout(seconds(40))))));
        let polls = source.polls.get();
        source.send("late");
        assert_eq!((next(&mut chunks), next(&mut chunks)), (Some(None), Some(None)));
        assert_eq!(source.polls.get(), polls);
    }
}

#[test]
fn the_time_begins_when_no_chunk_is_ready() {
    for (clock, source, mut chunks) in both(seconds(4)) {
        // No poll at first, nor after an item.
        clock.pass(seconds(3600));
        source.send("1");
        assert_eq!(next(&mut chunks), Some(Some(Ok("1".into()))));
        clock.pass(seconds(3600));
        assert_eq!(next(&mut chunks), None);
        // A chunk that has arrived takes precedence over a timeout.
        clock.pass(seconds(3600));
        source.send("");
        assert_eq!(next(&mut chunks), Some(Some(Ok("".into()))));
        for _ in 0..4 {
            assert_eq!(next(&mut chunks), None);
            clock.pass(seconds(1));
        }
        assert_eq!(next(&mut chunks), Some(Some(Err(Error::IdleTimeout(seconds(4))))));
    }
}

#[test]
fn an_absence_is_a_quarter_of_the_time_at_most() {
    for (clock, _, mut chunks) in both(seconds(40)) {
        assert_eq!(next(&mut chunks), None);
        clock.pass(seconds(3600));
        for _ in 0..30 {
            assert_eq!(next(&mut chunks), None);
            clock.pass(seconds(1));
        }
        assert_eq!(next(&mut chunks), Some(Some(Err(Error::IdleTimeout(seconds(40))))));
    }
}

#[test]
fn an_error_of_the_source_passes_and_ends_a_silence() {
    for clock in Clock::both() {
        let answers = [Pending, Failure("slow"), Pending, Pending, Chunk("a"), Failure("reset")];
        let mut chunks = Timeout::new(Script::new(&answers), seconds(4), clock.clone());
        let mut found = Vec::new();
        for _ in 0..7 {
            clock.pass(seconds(3));
            found.push(match chunks.next().now_or_never() {
                None => "pending".to_owned(),
                Some(None) => "end".to_owned(),
                Some(Some(Ok(chunk))) => String::from_utf8(chunk.to_vec()).unwrap(),
                Some(Some(Err(error))) => format!("failure: {error}"),
            });
        }
        assert_eq!(found, ["pending", "failure: slow", "pending", "pending", "a", "failure: reset", "end"]);
    }
}

#[test]
fn the_end_is_the_end() {
    for (clock, source, mut chunks) in both(seconds(4)) {
        assert_eq!(next(&mut chunks), None);
        source.end();
        assert_eq!(next(&mut chunks), Some(None));
        assert_eq!(clock.sleeping(), 0, "no sleep is left");
    }
}

#[test]
fn no_duration_and_the_shortest_and_the_longest_one() {
    for (clock, source, mut chunks) in both(Duration::ZERO) {
        for _ in 0..9 {
            assert_eq!(next(&mut chunks), None);
            clock.pass(seconds(3600));
        }
        source.send("1");
        assert_eq!(next(&mut chunks), Some(Some(Ok("1".into()))));
        assert_eq!(clock.sleeps.get(), 0, "it is no timeout");
    }
    for (_, _, mut chunks) in both(Duration::from_nanos(1)) {
        assert_eq!(next(&mut chunks), Some(Some(Err(Error::IdleTimeout(Duration::from_nanos(1))))));
    }
    for (clock, _, mut chunks) in both(Duration::MAX) {
        for _ in 0..3 {
            assert_eq!(next(&mut chunks), None);
            clock.pass(seconds(1 << 40));
        }
    }
}

#[test]
fn a_busy_stream_needs_few_sleeps_and_no_allocations_but_for_those() {
    for (clock, few) in Clock::both().into_iter().zip([800..=800, 15..=21]) {
        let source = Chunks::default();
        source.queue.borrow_mut().reserve(1);
        let (mut chunks, usage) = measure(|| Timeout::new(source.clone(), seconds(32), clock.clone()));
        assert_eq!(usage.allocations, 1);
        clock.wakers.borrow_mut().reserve(1);
        for _ in 0..800 {
            source.send("1");
            let sleeps = clock.sleeps.get();
            let (item, usage) = measure(|| (next(&mut chunks), next(&mut chunks)));
            assert_eq!(item, (Some(Some(Ok("1".into()))), None));
            // Without a clock, not even a sleep allocates.
            let most = if clock.now().is_some() { clock.sleeps.get() - sleeps } else { 0 } as u64;
            assert!(usage.allocations <= most, "{usage:?}");
            clock.pass(seconds(1) / 10);
        }
        assert!(few.contains(&clock.sleeps.get()), "{:?}", clock.sleeps);
    }
}

#[test]
fn it_can_be_set_on_a_stream_in_use() {
    let answers = [Chunk("id: 7\ndata: 1\n\ndata: 2\n\nda"), Chunk("ta: 3\n"), Chunk("\ndata: 4")];
    let mut events = Script::new(&answers).chain(stream::pending()).events();
    assert_eq!(events.next().now_or_never().unwrap().unwrap().unwrap().data(), "1");
    let mut events = events.with_idle_timeout(seconds(1), no_time);
    assert_eq!((events.decoder().last_event_id(), &events.remaining()[..]), ("7", &b"data: 2\n\nda"[..]));
    let mut found = Vec::new();
    while let Some(item) = events.next().now_or_never().expect("always ready") {
        found.push(item.map_or_else(|error| error.to_string(), |event| event.data().to_owned()));
    }
    assert_eq!(found, ["2", "3", "no data received for 1s"]);
    assert_eq!(events.decoder().last_event_id(), "7");

    // A stream that has ended stays ended.
    let mut ended = Script::new(&[]).events();
    assert!(all(&mut ended).is_empty());
    assert!(all(ended.with_idle_timeout(seconds(1), no_time)).is_empty());
}

#[test]
fn over_any_of_the_adapters() {
    let silent = || StreamExt::chain(Script::new(&[Chunk(": c\n\ndata: 1\n\n")]), stream::pending());
    let blocks = all(silent().events().with_idle_timeout(seconds(1), no_time).blocks());
    assert_eq!(blocks.len(), 3);
    assert!(matches!(blocks.last(), Some(Err(Error::IdleTimeout(_)))));

    let mut seen = 0;
    let tap = Tap::new(Timeout::new(silent(), seconds(1), no_time), |block| seen += usize::from(block.is_ok()));
    assert_eq!(all(tap).last(), Some(&Err(Error::IdleTimeout(seconds(1)))));
    assert_eq!(seen, 2);
}

/// Fractions of a millisecond are not printed, because nobody sets them.
#[test]
fn durations_are_printed_rounded() {
    for (nanos, words) in [
        (1_234_567_890, "1.235s"),
        (1_999_999_999, "2s"),
        (30_000_000_000, "30s"),
        (250_000_000, "250ms"),
        (1_500_000_000, "1.500s"),
        (900_000, "1ms"),
    ] {
        let error = Error::<Infallible>::IdleTimeout(Duration::from_nanos(nanos));
        assert_eq!(error.to_string(), format!("no data received for {words}"));
    }
    assert!(Error::<Infallible>::IdleTimeout(Duration::MAX).to_string().starts_with("no data received for "));
}
