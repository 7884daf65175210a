//! Hooks with a function in place of one of them.

use crate::{
    event_source::{connection_error::ConnectionError, hooks::Hooks},
    reconnect::{response_head::ResponseHead, verdict::Verdict},
    unexpected_response::UnexpectedResponse,
};
use alloc::string::String;
use core::time::Duration;
use eventwire::Event;

/// The hooks of `D`, with functions in place of four of them. A function gets the hooks before it.
pub(super) struct Overridden<D, V, F, L, N> {
    hooks: D,
    response_verdict: V,
    error_verdict: F,
    delay: L,
    is_end: N,
    /// Whether an end is expected even if the hooks before it do not expect one.
    expects_end: bool,
}

impl<D, V, F, L, N> Overridden<D, V, F, L, N> {
    /// For what is not overridden, pass the method of `D`.
    pub(super) fn new(
        hooks: D,
        response_verdict: V,
        error_verdict: F,
        delay: L,
        is_end: N,
    ) -> Overridden<D, V, F, L, N> {
        Overridden { hooks, response_verdict, error_verdict, delay, is_end, expects_end: false }
    }

    pub(super) fn expecting_end(self) -> Overridden<D, V, F, L, N> {
        Overridden { expects_end: true, ..self }
    }
}

impl<E, D, V, F, L, N> Hooks<E> for Overridden<D, V, F, L, N>
where
    D: Hooks<E>,
    V: FnMut(&mut D, &UnexpectedResponse) -> Verdict,
    F: FnMut(&mut D, &E) -> Option<Verdict>,
    L: FnMut(&mut D, Duration, u32, &ConnectionError<E>) -> Duration,
    N: FnMut(&mut D, &Event) -> bool,
{
    fn opens(&mut self, head: &ResponseHead<'_>) -> bool {
        self.hooks.opens(head)
    }

    fn response_verdict(&mut self, response: &UnexpectedResponse) -> Verdict {
        (self.response_verdict)(&mut self.hooks, response)
    }

    fn error_verdict(&mut self, error: &E) -> Option<Verdict> {
        (self.error_verdict)(&mut self.hooks, error)
    }

    fn delay(&mut self, delay: Duration, attempt: u32, error: &ConnectionError<E>) -> Duration {
        (self.delay)(&mut self.hooks, delay, attempt, error)
    }

    fn is_progress(&mut self, event: &Event) -> bool {
        self.hooks.is_progress(event)
    }

    fn cursor(&mut self, event: &Event) -> Option<String> {
        self.hooks.cursor(event)
    }

    fn is_end(&mut self, event: &Event) -> bool {
        (self.is_end)(&mut self.hooks, event)
    }

    fn expects_end(&self) -> bool {
        self.expects_end || self.hooks.expects_end()
    }
}
