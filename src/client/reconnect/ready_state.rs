//! Where a client is.

/// The states of an event source, [as in browsers](https://html.spec.whatwg.org/multipage/server-sent-events.html#dom-eventsource-readystate).
///
/// It is exhaustive on purpose: the standard has these three states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReadyState {
    /// There is no connection yet, or none again yet.
    Connecting = 0,
    /// There is, and its events are coming in.
    Open = 1,
    /// There is none, and there will be none.
    Closed = 2,
}
