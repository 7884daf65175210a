//! A source of chunks that follows a script and counts how often it is polled.

use bytes::Bytes;
use futures_util::Stream;
use std::{
    collections::VecDeque,
    fmt,
    pin::Pin,
    task::{Context, Poll, Waker},
};

/// A scripted answer to a poll.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer {
    Chunk(&'static str),
    Failure(&'static str),
    /// Not ready yet. Only for streams.
    Pending,
}

/// Returns its answers one by one, then its end, and must not be polled again after that.
#[derive(Debug)]
pub(crate) struct Script {
    answers: VecDeque<Answer>,
    asked: usize,
    has_ended: bool,
}

impl Script {
    pub(crate) fn new(answers: &[Answer]) -> Script {
        Script { answers: answers.iter().copied().collect(), asked: 0, has_ended: false }
    }

    /// Returns how often it was polled, without the polls that were pending.
    pub(crate) fn asked(&self) -> usize {
        self.asked
    }

    /// Returns the same source as an iterator.
    pub(crate) fn blocking(self) -> Blocking {
        Blocking(self)
    }
}

impl Stream for Script {
    type Item = Result<Bytes, Failure>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        assert!(!self.has_ended, "the source is polled after its end");
        let answer = self.answers.pop_front();
        if let Some(Answer::Pending) = answer {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.asked += 1;
        self.has_ended = answer.is_none();
        Poll::Ready(answer.map(|answer| match answer {
            Answer::Chunk(chunk) => Ok(chunk.into()),
            Answer::Failure(message) => Err(Failure(message)),
            Answer::Pending => unreachable!("it is returned above"),
        }))
    }
}

/// A script as an iterator. One type that is both would have two methods `next`.
#[derive(Debug)]
pub(crate) struct Blocking(Script);

impl Blocking {
    /// Returns how often it was asked.
    pub(crate) fn asked(&self) -> usize {
        self.0.asked()
    }
}

impl Iterator for Blocking {
    type Item = Result<Bytes, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        match Pin::new(&mut self.0).poll_next(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(item) => item,
            Poll::Pending => panic!("an iterator is always ready"),
        }
    }
}

/// The error of a scripted source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure(pub(crate) &'static str);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Failure {}
