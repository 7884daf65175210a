//! What the rules say is to be done.

use super::StopReason;
use core::time::Duration;

/// What to do next, as [`Reconnect::poll`](super::Reconnect::poll) says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action<'d> {
    /// Send the request. Then tell [its response](super::Reconnect::handle_response), or that
    /// [there is none](super::Reconnect::handle_disconnect).
    Connect {
        /// The value of the header `Last-Event-ID`, as UTF-8; never empty. Without it there is no such header.
        last_event_id: Option<&'d str>,
    },
    /// Let this time pass, and ask again.
    Wait(Duration),
    /// Read on: the response, or more of its body.
    Read,
    /// It is over.
    Stop(StopReason),
}
