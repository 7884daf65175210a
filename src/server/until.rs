//! Streams that can be told to end.

use crate::event::{Block, IntoBlock};
use core::{
    ops::RangeInclusive,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

pin_project! {
    /// Ends a stream of blocks when a future resolves: for a server that shuts down while streams are open.
    ///
    /// A graceful shutdown waits for every response that has begun, and an event stream may never end by itself.
    /// [`EventBody::until`](crate::EventBody::until) wraps the stream of a body in this type.
    ///
    /// The signal is any future; its output is ignored. It is polled before the stream, so it also ends a stream that
    /// always has a block ready. A block that was returned before is sent whole; blocks that are ready when the signal
    /// resolves are not sent. The stream of blocks is dropped at that moment. A stream that ends earlier ends as it
    /// would alone, and drops the signal.
    ///
    /// It is `Unpin` only if the stream and the signal are, and an `async` block is not. To call `next` on it, pin it with
    /// [`pin!`](core::pin::pin) first. `EventBody` needs no pinning: the server pins the body.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::{Event, Until};
    /// use futures_util::{StreamExt, stream};
    /// use std::{convert::Infallible, pin::pin, time::Duration};
    ///
    /// let shutdown = async {}; // in a program: `CancellationToken::cancelled`, or a `watch::Receiver` of tokio
    /// let seconds = Duration::from_secs(5)..=Duration::from_secs(5);
    /// let blocks = Until::new(stream::repeat(Event::new("1")), shutdown).with_last_retry(seconds);
    /// let mut blocks = pin!(blocks); // because of the `async` block
    /// assert_eq!(blocks.next().await.unwrap()?.to_bytes(), "retry: 5000\n\n");
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
    /// These blocks, until `signal` resolves.
    pub fn new(blocks: S, signal: F) -> Until<S, F> {
        Until { state: State::Open { blocks, signal }, last_retry: None }
    }

    /// Sends a reconnection time as the last block if the signal ends the stream.
    ///
    /// The time is chosen at random from `times`, once for each stream, so that the clients of a server that restarts
    /// do not all reconnect at once. It is in whole milliseconds, and never below the range's start, which is rounded up. If
    /// the range is empty, it is that start.
    ///
    /// The randomness is the standard library's. `wasm32-unknown-unknown` has none: use
    /// [`with_seeded_last_retry`](Until::with_seeded_last_retry) there.
    #[cfg(feature = "std")]
    pub fn with_last_retry(self, times: RangeInclusive<Duration>) -> Until<S, F> {
        self.with_seeded_last_retry(times, random_seed())
    }

    /// Does what [`with_last_retry`](Until::with_last_retry) does, without `std`: `seed` chooses the time.
    ///
    /// The same seed chooses the same time. A random number will do, and so will the number of the connection: seeds
    /// that follow each other are spread evenly over the range.
    pub fn with_seeded_last_retry(self, times: RangeInclusive<Duration>, seed: u64) -> Until<S, F> {
        Until { last_retry: Some(spread(&times, seed)), ..self }
    }
}

/// The keys of the standard library's hash maps, which are random so that they cannot be guessed.
#[cfg(feature = "std")]
fn random_seed() -> u64 {
    use core::hash::{BuildHasher, Hasher};
    std::hash::RandomState::new().build_hasher().finish()
}

/// A time of this range.
///
/// Multiplied by 2^64 over the golden ratio, numbers that follow each other are spread evenly over all 64 bits, and
/// random ones stay random.
fn spread(times: &RangeInclusive<Duration>, seed: u64) -> Duration {
    // Rounded up, so that it is not before the start.
    let least = times.start().as_nanos().div_ceil(1_000_000);
    let count = times.end().as_millis().saturating_sub(least) + 1;
    let bits = u128::from(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    // No `Duration` has more milliseconds than fit into 74 bits; what is above 64 bits is cut off when it is written.
    let count = count.min(1 << 64);
    let millis = least.saturating_add((bits * count) >> 64);
    Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX))
}

impl<S, F> Stream for Until<S, F>
where
    S: Stream<Item: IntoBlock>,
    F: Future,
{
    type Item = Result<Block, <S::Item as IntoBlock>::Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        let Projected::Open { blocks, signal } = this.state.as_mut().project() else { return Poll::Ready(None) };
        if signal.poll(context).is_ready() {
            this.state.set(State::Ended);
            return Poll::Ready(this.last_retry.take().map(|time| Ok(Block::Retry(time))));
        }
        let item = blocks.poll_next(context);
        if matches!(item, Poll::Ready(None)) {
            this.state.set(State::Ended);
        }
        item.map(|item| item.map(IntoBlock::into_block))
    }
}

impl<S, F> FusedStream for Until<S, F>
where
    S: Stream<Item: IntoBlock>,
    F: Future,
{
    /// Whether the next item is `None`: the end was returned, or the signal's last block was.
    fn is_terminated(&self) -> bool {
        matches!(self.state, State::Ended)
    }
}
