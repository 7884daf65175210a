//! Streams that end on a signal.

use crate::event::{Block, IntoOutgoing, Outgoing};
#[cfg(any(feature = "std", test))]
use core::ops::RangeInclusive;
use core::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

pin_project! {
    /// Ends a stream of blocks when a future resolves. Use it to shut a server down while streams are open.
    ///
    /// A graceful shutdown waits for every response that has begun, and an event stream may never end.
    /// [`EventBody::until`](crate::EventBody::until) wraps the stream of a body in this type. A client that has stopped
    /// reading cannot be sent the end of its response, so also limit how long the shutdown may take.
    ///
    /// The signal can be any future; its output is ignored. It is polled before the stream, so it also ends a stream
    /// that always has a block ready. A block that was returned before the signal is sent completely. Blocks that
    /// are ready when the signal resolves are not sent. The stream of blocks is dropped at that moment. If the
    /// stream ends before the signal, it ends as usual, and the signal is dropped.
    ///
    /// `Until` is `Unpin` only if the stream and the signal are, and an `async` block is not. To call `next` on it,
    /// pin it with [`pin!`](core::pin::pin) first. An `EventBody` needs no pinning, because the server pins the
    /// body.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::{Event, Until};
    /// use futures_util::{StreamExt, stream};
    /// use std::{convert::Infallible, pin::pin, time::Duration};
    ///
    /// let shutdown = async {}; // in a program: `CancellationToken::cancelled` of tokio-util
    /// let seconds = Duration::from_secs(5)..=Duration::from_secs(5);
    /// let blocks =
    ///     Until::new(stream::repeat(Event::new("1")), shutdown).with_final_retry(seconds);
    /// let mut blocks = pin!(blocks); // because of the `async` block
    /// assert_eq!(blocks.next().await.unwrap()?.into_bytes(), "retry: 5000\n\n");
    /// assert!(blocks.next().await.is_none());
    /// # Ok::<(), Infallible>(())
    /// # }).unwrap().unwrap();
    /// ```
    #[derive(Debug)]
    #[must_use = "a stream does nothing unless it is polled"]
    pub struct Until<S, F> {
        #[pin]
        state: State<S, F>,
        last_retry: Option<Duration>,
    }
}

pin_project! {
    #[derive(Debug)]
    #[project = Projected]
    enum State<S, F> {
        Open {
            #[pin]
            blocks: S,
            #[pin]
            signal: F,
        },
        Ended,
    }
}

impl<S, F> Until<S, F> {
    /// Creates a stream of these blocks that ends when `signal` resolves.
    pub fn new(blocks: S, signal: F) -> Until<S, F> {
        Until { state: State::Open { blocks, signal }, last_retry: None }
    }

    /// Sends a reconnection time as the last block if the signal ends the stream.
    ///
    /// The time is chosen at random from `times`, once for each stream, so that the clients of a server that restarts
    /// do not all reconnect at once. It is a whole number of milliseconds, and never less than the start of the range,
    /// which is rounded up. If the range is empty, the time is its start. A client may wait longer: that of this crate
    /// [adds jitter][the-delays]. It uses the time for all later reconnections too,
    /// until it receives another one.
    ///
    /// The random number comes from the standard library. On `wasm32-unknown-unknown` that has no source of random
    /// numbers: the times may be the same in each run of the program.
    ///
    /// [the-delays]: https://docs.rs/eventwire-client/latest/eventwire_client/#the-delays
    #[cfg(feature = "std")]
    pub fn with_final_retry(self, times: RangeInclusive<Duration>) -> Until<S, F> {
        Until { last_retry: Some(spread(&times, random_seed())), ..self }
    }
}

/// Returns a random number, from the random keys of the standard library's hash maps.
#[cfg(feature = "std")]
fn random_seed() -> u64 {
    use core::hash::{BuildHasher, Hasher};
    std::hash::RandomState::new().build_hasher().finish()
}

/// Returns a time in this range.
///
/// Multiplication by 2^64 divided by the golden ratio spreads consecutive numbers evenly over all 64 bits. Random
/// numbers stay random.
#[cfg(any(feature = "std", test))]
fn spread(times: &RangeInclusive<Duration>, seed: u64) -> Duration {
    // Rounded up, so that it is not below the start.
    let least = times.start().as_nanos().div_ceil(1_000_000);
    let count = times.end().as_millis().saturating_sub(least) + 1;
    let bits = u128::from(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    // The milliseconds of a `Duration` fit into 74 bits. An encoded time is limited to 64 bits.
    let count = count.min(1 << 64);
    let millis = least.saturating_add((bits * count) >> 64);
    Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX))
}

impl<S, F> Stream for Until<S, F>
where
    S: Stream<Item: IntoOutgoing>,
    F: Future,
{
    type Item = Result<Outgoing, <S::Item as IntoOutgoing>::Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        let Projected::Open { blocks, signal } = this.state.as_mut().project() else { return Poll::Ready(None) };
        if signal.poll(context).is_ready() {
            this.state.set(State::Ended);
            return Poll::Ready(this.last_retry.take().map(|time| Ok(Block::default().with_retry(time).into())));
        }
        let item = blocks.poll_next(context);
        if matches!(item, Poll::Ready(None)) {
            this.state.set(State::Ended);
        }
        item.map(|item| item.map(IntoOutgoing::into_outgoing))
    }
}

impl<S, F> FusedStream for Until<S, F>
where
    S: Stream<Item: IntoOutgoing>,
    F: Future,
{
    /// Returns whether the next item is `None`: the end has been returned, or the last block after the signal.
    fn is_terminated(&self) -> bool {
        matches!(self.state, State::Ended)
    }
}

#[cfg(test)]
mod tests {
    use super::spread;
    use alloc::collections::BTreeSet;
    use core::time::Duration;
    use proptest::prelude::*;

    const FIVE: Duration = Duration::from_secs(5);

    proptest! {
        // Miri has no file system for recorded failures.
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_time_of_the_range(least: u32, more: u32, seed: u64) {
            // The range contains a whole millisecond.
            let least = Duration::from_nanos(u64::from(least) * 7919);
            let times = least..=least + Duration::from_millis(1) + Duration::from_nanos(u64::from(more) * 7919);
            let time = spread(&times, seed);
            prop_assert!(times.contains(&time), "{time:?}");
            prop_assert_eq!(spread(&times, seed), time);
        }
    }

    #[test]
    fn consecutive_seeds_are_spread_evenly() {
        let times = Duration::from_secs(1)..=Duration::from_millis(10_999);
        for first in [0, 1_000_000, u64::MAX - 500] {
            let mut seconds = [0; 10];
            for count in 0..1000 {
                let time = spread(&times, first.wrapping_add(count));
                seconds[usize::try_from(time.as_secs()).unwrap_or_default() - 1] += 1;
            }
            assert!(seconds.iter().all(|count| (90..=110).contains(count)), "{seconds:?}");
        }
    }

    #[test]
    fn a_range_includes_both_ends() {
        let times = Duration::from_millis(7)..=Duration::from_millis(9);
        let chosen: BTreeSet<Duration> = (0..20).map(|seed| spread(&times, seed)).collect();
        assert_eq!(chosen, [7, 8, 9].map(Duration::from_millis).into());
    }

    #[test]
    fn ranges_at_the_limits() {
        assert_eq!(spread(&(FIVE..=FIVE), 7), FIVE);
        assert_eq!(spread(&(Duration::ZERO..=Duration::ZERO), 7), Duration::ZERO);
        // A range without a whole millisecond.
        let (least, most) = (Duration::from_micros(1900), Duration::from_micros(1950));
        assert_eq!(spread(&(least..=most), 7), Duration::from_millis(2));
        let nanosecond = Duration::from_nanos(1);
        assert_eq!(spread(&(nanosecond..=nanosecond), u64::MAX), Duration::from_millis(1));
        // Empty ranges.
        assert_eq!(spread(&(FIVE..=Duration::ZERO), 7), FIVE);
        assert_eq!(spread(&(FIVE..=FIVE / 2), u64::MAX), FIVE);
        assert_eq!(spread(&(Duration::MAX..=Duration::MAX), 7), Duration::from_millis(u64::MAX));
        for seed in 0..100 {
            let time = spread(&(Duration::ZERO..=Duration::MAX), seed);
            assert!(time <= Duration::from_millis(u64::MAX), "{time:?}");
        }
    }
}
