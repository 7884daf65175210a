//! What a client does next.

use crate::reconnect::stop_reason::StopReason;
use core::time::Duration;

/// What to do next; [`Reconnect::poll`](crate::Reconnect::poll) returns it.
///
/// It is exhaustive on purpose: a driver that does not know an action cannot continue, so a new action is a breaking
/// change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action<'d> {
    /// Send the request. Then report [its response](crate::Reconnect::handle_response), or that [it was not
    /// sent](crate::Reconnect::handle_unsent), or that [there is no response](crate::Reconnect::handle_disconnect).
    #[non_exhaustive]
    Connect {
        /// The value of the header `Last-Event-ID`, as UTF-8; never empty. `None` means that the request has no such
        /// header.
        last_event_id: Option<&'d str>,
    },
    /// Wait for this long, and poll again.
    Wait(Duration),
    /// Read the response, or more of its body.
    Read,
    /// Stop: there are no more connections.
    Stop(StopReason),
}
