//! A response of JSON lines that has been opened.

use crate::open::{opened::Opened, until_error::UntilError};
use bytes::Bytes;
use core::{fmt, time::Duration};
use eventwire::{Decoder, Dialect, JsonStream, Payload, Timer, adapters::LineEvents};
use futures_core::Stream;
use http::Response;

/// The lines of one response that has been checked; [`Opening::lines`](crate::Opening::lines) returns it.
///
/// [`json_lines`](OpenedLines::json_lines) returns the stream of its values. It ends when the body does, or after an
/// error of the HTTP client, and does not reconnect. Dropping it closes the response.
///
/// ```
/// # futures_util::FutureExt::now_or_never(async {
/// use eventwire_client::open;
/// use futures_util::TryStreamExt;
/// use std::time::Duration;
/// # let timer = |_: Duration| std::future::pending();
/// # let response = http::Response::builder().header("content-type", "application/json").header("x-id", "7");
/// # let response = response.body("1\n2\n".to_owned()).unwrap();
///
/// let lines = open(response, timer).lines().await?;
/// assert_eq!(lines.response().headers()["x-id"], "7");
/// let mut values = lines.with_idle_timeout(Duration::from_secs(60)).json_lines::<u32>();
/// while let Some(value) = values.try_next().await? {
///     println!("{value}");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap().unwrap();
/// ```
#[must_use = "the lines are read by `json_lines`"]
pub struct OpenedLines<S, T: Timer> {
    // Not a stream itself, so that nobody reads the lines as events by mistake.
    opened: Opened<S, T>,
}

impl<S, T: Timer> OpenedLines<S, T> {
    pub(super) fn new(opened: Opened<S, T>) -> OpenedLines<S, T> {
        OpenedLines { opened }
    }

    /// Returns the head of the response: status, headers, version and extensions.
    #[must_use]
    pub fn response(&self) -> &Response<()> {
        self.opened.response()
    }

    /// Sets the decoder, whose limit on the size of an event is that of a line.
    pub fn with_decoder(self, decoder: Decoder) -> OpenedLines<S, T> {
        OpenedLines { opened: self.opened.with_decoder(decoder) }
    }

    /// Reads each line as JSON, into a `V`. See [`Events::json_lines`](eventwire::Events::json_lines).
    pub fn json_lines<V: Payload>(self) -> JsonStream<LineEvents<UntilError<S>, T>, V> {
        self.json_lines_with(Dialect::new())
    }

    /// Reads each line as JSON, into a `V`, in the [dialect](Dialect) of a service. See
    /// [`Events::json_lines_with`](eventwire::Events::json_lines_with).
    pub fn json_lines_with<V: Payload>(self, dialect: Dialect) -> JsonStream<LineEvents<UntilError<S>, T>, V> {
        self.opened.into_events().json_lines_with(dialect)
    }
}

impl<S, T, B, E> OpenedLines<S, T>
where
    S: Stream<Item = Result<B, E>>,
    T: Timer + Clone,
    B: Into<Bytes>,
{
    /// Sets an idle timeout: the stream fails with [`Error::IdleTimeout`](eventwire::Error::IdleTimeout) when no data
    /// has been received for `duration`. See [`Events::with_idle_timeout`](eventwire::Events::with_idle_timeout).
    pub fn with_idle_timeout(self, duration: Duration) -> OpenedLines<S, T> {
        OpenedLines { opened: self.opened.with_idle_timeout(duration) }
    }
}

// Not derived, because timers often have no `Debug`.
impl<S, T: Timer> fmt::Debug for OpenedLines<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenedLines").field("response", self.response()).finish_non_exhaustive()
    }
}
