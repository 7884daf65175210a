//! The answer to a reader that has everything.

use http::StatusCode;

/// The channel is finished, and the reader has every event.
///
/// Answer with status 204 (No Content), which tells a browser [not to reconnect]. An empty stream would make it ask
/// again, forever. The error converts to that status: in a handler that returns `Result<_, StatusCode>` a `?` is
/// enough, and elsewhere use `.map_err(StatusCode::from)?`.
///
/// [not to reconnect]: https://html.spec.whatwg.org/multipage/server-sent-events.html#server-sent-events-intro
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the reader has every event, and the channel is finished")]
pub struct UpToDate;

/// Status 204, No Content.
impl From<UpToDate> for StatusCode {
    fn from(_: UpToDate) -> StatusCode {
        StatusCode::NO_CONTENT
    }
}
