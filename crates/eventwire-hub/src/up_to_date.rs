//! The answer to a reader that has everything.

/// The channel is finished, and the reader has every event.
///
/// Answer with status 204 (No Content), which tells a browser [not to reconnect]. An empty stream would make it ask
/// again, forever.
///
/// [not to reconnect]: https://html.spec.whatwg.org/multipage/server-sent-events.html#server-sent-events-intro
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the reader has every event, and the channel is finished")]
pub struct UpToDate;
