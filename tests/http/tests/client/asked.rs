//! Hooks that write down what they are asked, and that may panic.

use crate::fake::Failure;
use eventwire::Event;
use eventwire_client::{ConnectionError, Hooks, ResponseHead, UnexpectedResponse, Verdict};
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::Duration,
};

/// Every delay is a second, the event `a` is progress, and the last event is `z`.
#[derive(Clone, Default)]
pub(crate) struct Asked {
    calls: Rc<RefCell<Vec<String>>>,
    /// The place that panics when it is reached for the first time.
    panics_at: Rc<Cell<&'static str>>,
}

impl Asked {
    pub(crate) fn panics_at(place: &'static str) -> Asked {
        Asked { panics_at: Rc::new(Cell::new(place)), ..Asked::default() }
    }

    /// Returns the name of each method that was called, and what it was asked about.
    pub(crate) fn take(&self) -> Vec<String> {
        self.calls.take()
    }

    fn note(&self, method: &'static str, about: impl std::fmt::Display) {
        self.calls.borrow_mut().push(format!("{method} {about}"));
        self.reach(method);
    }

    pub(crate) fn reach(&self, place: &'static str) {
        if self.panics_at.get() == place {
            self.panics_at.set("");
            panic!("{place}");
        }
    }
}

impl Hooks<Failure> for Asked {
    fn opens(&mut self, head: &ResponseHead<'_>) -> bool {
        self.note("opens", head.status());
        Verdict::default_for(head) == Verdict::Open
    }

    fn response_verdict(&mut self, response: &UnexpectedResponse) -> Verdict {
        self.note("response_verdict", response.text());
        Verdict::default_for(&response.head())
    }

    fn error_verdict(&mut self, error: &Failure) -> Option<Verdict> {
        self.note("error_verdict", error);
        None
    }

    fn delay(&mut self, delay: Duration, attempt: u32, error: &ConnectionError<Failure>) -> Duration {
        let length = if delay < Duration::from_secs(100) { "short" } else { "long" };
        self.note("delay", format_args!("{attempt}, {length}: {error}"));
        Duration::from_secs(1)
    }

    fn is_progress(&mut self, event: &Event) -> bool {
        self.note("is_progress", event.data());
        event.data() == "a"
    }

    fn cursor(&mut self, event: &Event) -> Option<String> {
        self.note("cursor", event.data());
        Some(event.data().to_owned())
    }

    fn is_end(&mut self, event: &Event) -> bool {
        self.note("is_end", event.data());
        event.data() == "z"
    }

    fn expects_end(&self) -> bool {
        self.reach("expects_end");
        true
    }
}
