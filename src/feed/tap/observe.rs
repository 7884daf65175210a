//! What a tap tells its observer.

use crate::{decoder::DecodeError, event::BlockItemRef};

/// An observer of a [`Tap`](crate::Tap) that also learns how the stream ended. Pass it to
/// [`Tap::observed`](crate::Tap::observed).
///
/// A closure that takes the items is an observer, too.
///
/// ```
/// # futures_util::FutureExt::now_or_never(async {
/// use eventwire::{BlockItemRef, DecodeError, End, Observe, Tap};
/// use futures_util::{StreamExt, stream};
/// # use std::convert::Infallible;
///
/// #[derive(Default)]
/// struct Count { events: u64 }
///
/// impl Observe for Count {
///     fn item(&mut self, item: Result<BlockItemRef<'_>, DecodeError>) {
///         self.events += u64::from(item.is_ok_and(|item| item.event().is_some()));
///     }
///
///     fn end(&mut self, end: End) {
///         println!("{end:?} after {} events", self.events);
/// #       assert_eq!((end, self.events), (End::Dropped, 1));
///     }
/// }
///
/// let upstream = stream::iter(["data: 1\n\n", "data: 2\n\n"].map(Ok::<_, Infallible>));
/// let mut tap = Tap::observed(upstream, Count::default());
/// tap.next().await;
/// drop(tap); // the client has left: prints `Dropped after 1 events`
/// # }).unwrap();
/// ```
pub trait Observe {
    /// Called with each block and comment when the chunk that completes it arrives, before that chunk is passed on, or
    /// with an error if one cannot be decoded.
    fn item(&mut self, item: Result<BlockItemRef<'_>, DecodeError>);

    /// Called once, when the stream ends or the tap is dropped, but not after a panic of the observer. Does nothing by
    /// default.
    fn end(&mut self, end: End) {
        let _ = end;
    }
}

impl<F: FnMut(Result<BlockItemRef<'_>, DecodeError>)> Observe for F {
    #[inline]
    fn item(&mut self, item: Result<BlockItemRef<'_>, DecodeError>) {
        self(item);
    }
}

/// How a stream ended that a [`Tap`](crate::Tap) has passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// The source ended, and no block was unfinished. After an error of
    /// [`Utf8Policy::Stop`](crate::Utf8Policy::Stop), what followed it is not known.
    Complete,
    /// The source ended inside a block.
    Truncated,
    /// The last item of the source was an error.
    Failed,
    /// The tap was dropped before the end of its source, even before its first chunk. In a proxy, the client has left.
    Dropped,
}
