//! How far an answer has come.

use web_sys::Element;

use crate::dom;
use crate::failure::Failure;

#[derive(Clone, Copy)]
pub(crate) enum State {
    Waiting,
    Streaming,
    Complete,
    /// By the person who asked.
    Stopped,
    CutOff,
    Failed,
}

impl State {
    /// How an answer ended. `None`: it was stopped.
    pub(crate) fn of_outcome(outcome: Option<&Result<(), Failure>>) -> State {
        match outcome {
            None => State::Stopped,
            Some(Ok(())) => State::Complete,
            Some(Err(Failure::CutOff(_))) => State::CutOff,
            Some(Err(Failure::NoAnswer(_) | Failure::Unreachable)) => State::Failed,
        }
    }

    /// Shows it on the element of the answer.
    pub(crate) fn show(self, answer: &Element) {
        let name = match self {
            State::Waiting => "waiting",
            State::Streaming => "streaming",
            State::Complete => "complete",
            State::Stopped => "stopped",
            State::CutOff => "cut-off",
            State::Failed => "failed",
        };
        dom::set(answer, "data-state", name);
    }

    /// A remark below an answer that is not whole.
    pub(crate) fn note(self) -> Option<&'static str> {
        match self {
            State::Waiting | State::Streaming | State::Complete => None,
            State::Stopped => Some("Stopped."),
            State::CutOff => Some("Cut off here."),
            State::Failed => Some("No answer."),
        }
    }
}
