//! What to do next.

use super::StopReason;
use core::time::Duration;

/// What to do next; [`Reconnect::poll`](super::Reconnect::poll) returns it.
///
/// It is exhaustive on purpose: a driver that does not know of an action cannot continue, so a new action is a breaking change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action<'d> {
    /// Send the request. Then pass [its response](super::Reconnect::handle_response) on, or that
    /// [it was not sent](super::Reconnect::handle_unsent), or [there is none](super::Reconnect::handle_disconnect).
    #[non_exhaustive]
    Connect {
        /// The value of the header `Last-Event-ID`, as UTF-8; never empty. `None` is no such header.
        last_event_id: Option<&'d str>,
    },
    /// Wait for this long, and ask again.
    Wait(Duration),
    /// Read the response, or more of its body.
    Read,
    /// Stop: there will be no more connections.
    Stop(StopReason),
}
