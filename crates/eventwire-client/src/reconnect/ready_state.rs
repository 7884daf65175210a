//! The standard's three states of a client.

/// Whether a client is connecting, open or closed, [as in
/// browsers](https://html.spec.whatwg.org/multipage/server-sent-events.html#dom-eventsource-readystate).
///
/// It is exhaustive on purpose: the standard has these three states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReadyState {
    /// There is no connection yet, or the client is reconnecting.
    Connecting = 0,
    /// There is a connection, and events can arrive.
    Open = 1,
    /// There is no connection, and the client does not reconnect.
    Closed = 2,
}
