//! Which traits the public types implement (`Send`, `Sync`, `Unpin`, `Clone` and so on), and that an event is small.

use eventwire::{
    Block, Comment, DecodeError, Decoder, Encoded, End, Eof, Error, Event, EventRef, Events, InvalidField, KeepAlive,
    Outgoing, Position, ReadChunks, Tap, Timeout, Utf8Policy,
    adapters::Blocks,
    line::{Field, LineTooLong, Lines},
};
use std::{
    cell::Cell,
    fmt::Debug,
    hash::Hash,
    io,
    marker::PhantomPinned,
    pin::Pin,
    sync::MutexGuard,
    task::{Context, Poll},
    time::Duration,
};

fn sendable<T: Send + Sync + Unpin + 'static>() {}
fn plain<T: Copy + Debug + Eq>() {}
fn value<T: Clone + Debug + Eq + Hash>() {}
fn error<T: std::error::Error + Clone + Eq + Send + Sync + 'static>() {}

#[test]
fn every_type_has_its_traits() {
    sendable::<Decoder>();
    sendable::<Event>();
    sendable::<Eof>();
    sendable::<Lines>();
    error::<LineTooLong>();
    sendable::<Events<std::vec::IntoIter<Result<Vec<u8>, io::Error>>>>();
    sendable::<ReadChunks<io::Empty>>();
    sendable::<Tap<Vec<u8>, fn()>>();
    sendable::<EventRef<'static>>();
    sendable::<Block>();
    sendable::<Comment>();
    sendable::<KeepAlive<Vec<u8>, fn(Duration) -> std::future::Ready<()>>>();
    sendable::<Timeout<Vec<u8>, fn(Duration) -> std::future::Ready<()>, fn()>>();
    sendable::<Blocks<Vec<u8>>>();
    sendable::<Outgoing>();
    sendable::<Encoded>();
    #[cfg(feature = "http-body")]
    sendable::<eventwire::EventBody<Vec<u8>>>();
    #[cfg(feature = "http-body")]
    sendable::<eventwire::EventBody<Vec<u8>, std::future::Ready<()>>>();
    #[cfg(feature = "http-body")]
    sendable::<eventwire::BodyChunks<Vec<u8>>>();

    plain::<EventRef<'_>>();
    plain::<DecodeError>();
    plain::<Eof>();
    plain::<End>();
    plain::<Utf8Policy>();
    plain::<Position>();
    plain::<Field>();
    value::<EventRef<'_>>();
    value::<Event>();
    value::<Block>();
    value::<Comment>();
    value::<DecodeError>();
    value::<Eof>();
    value::<Field>();

    error::<DecodeError>();
    error::<InvalidField>();
    error::<Error<std::fmt::Error>>();

    #[cfg(feature = "json")]
    {
        use eventwire::{Dialect, JsonError, JsonStream, WithEvent};
        fn dialect<T: Clone + Debug + Send + Sync + Unpin>() {}
        dialect::<Dialect>();
        dialect::<WithEvent<u8>>();
        sendable::<JsonStream<Vec<u8>, Cell<u8>>>();
        sendable::<eventwire::adapters::LineEvents<Vec<u8>>>();
        fn debug_error<T: std::error::Error + Send + Sync + 'static>() {}
        debug_error::<JsonError<io::Error>>();
    }

    fn decoder<T: Clone + Debug + Default>() {}
    decoder::<Decoder>();
    decoder::<Lines>();
}

/// Like tokio's sleeps: `Send` and `Sync`, but not `Unpin`.
struct PinnedSleep(PhantomPinned);

impl Future for PinnedSleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
}

/// They are `Send`, `Sync` and `Unpin` if their source is, and with any sleep. That they are not otherwise, the
/// compiler checks.
#[test]
fn the_adapters_have_the_traits_of_their_sources() {
    fn check<S: Send>() {
        fn is<T: Send>() {}
        is::<Events<S>>();
        is::<Tap<S, ()>>();
        is::<Timeout<S, fn(Duration) -> PinnedSleep>>();
    }
    fn check_sync<S: Sync>() {
        fn is<T: Sync>() {}
        is::<Events<S>>();
        is::<Tap<S, ()>>();
        is::<Timeout<S, fn(Duration) -> PinnedSleep>>();
    }
    fn check_unpin<S: Unpin>() {
        fn is<T: Unpin>() {}
        is::<Events<S>>();
        is::<Tap<S, ()>>();
        is::<Timeout<S, fn(Duration) -> PinnedSleep>>();
    }
    check::<Cell<u8>>();
    check_sync::<MutexGuard<'static, u8>>();
    check_unpin::<std::rc::Rc<u8>>();
}

#[cfg(feature = "json")]
#[test]
fn every_json_type_has_its_traits() {
    use bytes::Bytes;
    use eventwire::{JsonError, JsonStream, WithEvent};
    use futures_util::stream;
    use std::{convert::Infallible, iter::FusedIterator};

    // The adapter only returns values and never stores them, so they need not be `Send`.
    type NotSend = std::rc::Rc<std::cell::Cell<i64>>;
    sendable::<JsonStream<Events<stream::Empty<Result<Bytes, Infallible>>>, NotSend>>();
    sendable::<JsonStream<Events<std::vec::IntoIter<Result<Bytes, Infallible>>>, WithEvent<NotSend>>>();
    value::<WithEvent<String>>();
    sendable::<JsonError<std::io::Error>>();
    fn fused<T: FusedIterator + Debug>(_: &T) {}
    fn fused_stream<T: stream::FusedStream + Debug>(_: &T) {}
    #[derive(serde::Deserialize)]
    struct NotDebug;
    let none = || Events::new(std::iter::empty::<Result<Bytes, Infallible>>());
    fused(&none().json::<NotDebug>());
    fused(&none().json::<WithEvent<NotDebug>>());
    fused_stream(&Events::new(stream::empty::<Result<Bytes, Infallible>>()).json::<NotDebug>());
    fused(&none().json_lines::<NotDebug>());
    fused_stream(&Events::new(stream::empty::<Result<Bytes, Infallible>>()).json_lines::<NotDebug>());
    fused(&none().with_dialect(eventwire::Dialect::OPENAI));
    assert!(size_of::<JsonError<std::io::Error>>() <= 72, "{}", size_of::<JsonError<std::io::Error>>());
}

#[test]
fn an_event_is_small() {
    assert!(size_of::<Event>() <= 96, "{} bytes", size_of::<Event>());
    eprintln!("Event: {} bytes, Decoder: {} bytes", size_of::<Event>(), size_of::<Decoder>());
}
