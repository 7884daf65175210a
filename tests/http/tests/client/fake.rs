//! Connections without a network, for tests with simulated time.

use eventwire::TokioTimer;
use eventwire_client::{Attempt, Connector, EventSource, Resend};
use futures_util::{FutureExt, Stream, StreamExt, future::BoxFuture, stream};
use http::Response;
use std::{
    fmt, future,
    pin::Pin,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::{Instant, sleep};

/// A step of a connection. After the last step, the body ends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Chunk(&'static str),
    /// This many seconds of silence.
    Silence(u64),
    Failure(&'static str),
    /// Nothing more is sent.
    Hang,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer {
    /// Status 200, with a body of these steps.
    Stream(&'static [Step]),
    Refusal(u16, &'static [(&'static str, &'static str)], &'static [Step]),
    /// No response.
    Failure(&'static str),
    /// The connection sends nothing.
    Silence,
    /// This answer, after this many seconds.
    Late(u64, &'static Answer),
}

/// Answers one attempt after the other, then with 204, and records them.
#[derive(Clone, Debug)]
pub(crate) struct Fake {
    answers: &'static [Answer],
    /// Each attempt, and when it was made.
    attempts: Arc<Mutex<Vec<(Attempt, Instant)>>>,
    /// Whether a request without a response counts as sent.
    sends: bool,
    /// Whether each request counts as carried out, as after a redirect.
    is_carried_out: bool,
    resend: Resend,
    /// Counts the connections that are not dropped yet.
    alive: Arc<()>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure(pub(crate) &'static str);

impl Fake {
    pub(crate) fn new(answers: &'static [Answer]) -> Fake {
        Fake {
            answers,
            attempts: Arc::default(),
            sends: true,
            is_carried_out: false,
            resend: Resend::Always,
            alive: Arc::default(),
        }
    }

    /// The same, but a request without a response counts as not sent.
    pub(crate) fn unsent(answers: &'static [Answer]) -> Fake {
        Fake { sends: false, ..Fake::new(answers) }
    }

    /// The same, but a server has carried out each request before there is a response or an error.
    pub(crate) fn carried_out(self) -> Fake {
        Fake { is_carried_out: true, ..self }
    }

    /// The same before its first attempt.
    pub(crate) fn fresh(&self) -> Fake {
        Fake { attempts: Arc::default(), alive: Arc::default(), ..self.clone() }
    }

    pub(crate) fn with_resend(self, resend: Resend) -> Fake {
        Fake { resend, ..self }
    }

    pub(crate) fn source(&self) -> EventSource<Fake, TokioTimer> {
        EventSource::with_connector(self.clone(), TokioTimer)
    }

    /// Returns each attempt, and when it was made.
    pub(crate) fn all(&self) -> Vec<(Attempt, Instant)> {
        self.attempts.lock().unwrap().clone()
    }

    /// Returns the number and the last event ID of each attempt.
    pub(crate) fn attempts(&self) -> Vec<(u32, String)> {
        let attempts = self.attempts.lock().unwrap();
        let id = |attempt: &Attempt| attempt.last_event_id().map_or("", |id| id.to_str().unwrap()).to_owned();
        attempts.iter().map(|(attempt, _)| (attempt.number(), id(attempt))).collect()
    }

    /// Returns the number of connections and bodies that exist.
    pub(crate) fn alive(&self) -> usize {
        // One reference is this one's, and one that of the connector in the source.
        Arc::strong_count(&self.alive) - 2
    }
}

impl From<&'static [Answer]> for Fake {
    fn from(answers: &'static [Answer]) -> Fake {
        Fake::new(answers)
    }
}

impl<const N: usize> From<&'static [Answer; N]> for Fake {
    fn from(answers: &'static [Answer; N]) -> Fake {
        Fake::new(answers)
    }
}

impl Connector for Fake {
    type Chunk = &'static str;
    type BodyError = Failure;
    type Body = Pin<Box<dyn Stream<Item = Result<&'static str, Failure>> + Send>>;
    type Error = Failure;
    type Connect = BoxFuture<'static, Result<Response<Self::Body>, Failure>>;

    fn connect(&mut self, attempt: Attempt) -> Self::Connect {
        attempt.handle_start(self.resend);
        if !self.sends {
            attempt.handle_unsent();
        }
        if self.is_carried_out {
            attempt.handle_carried_out();
        }
        let mut attempts = self.attempts.lock().unwrap();
        attempts.push((attempt, Instant::now()));
        let alive = Arc::clone(&self.alive);
        let answer = self.answers.get(attempts.len() - 1).copied().unwrap_or(Answer::Refusal(204, &[], &[]));
        async move {
            let answer = match answer {
                Answer::Late(seconds, answer) => {
                    sleep(Duration::from_secs(seconds)).await;
                    *answer
                }
                answer => answer,
            };
            let (status, headers, steps): (_, &[_], _) = match answer {
                Answer::Stream(steps) => (200, &[("content-type", "text/event-stream")], steps),
                Answer::Refusal(status, headers, steps) => (status, headers, steps),
                Answer::Failure(failure) => return Err(Failure(failure)),
                Answer::Silence | Answer::Late(..) => {
                    let _alive = alive;
                    return future::pending().await;
                }
            };
            let response = headers
                .iter()
                .fold(Response::builder().status(status), |response, (name, value)| response.header(*name, *value));
            Ok(response.body(body(steps, alive)).unwrap())
        }
        .boxed()
    }
}

fn body(steps: &'static [Step], alive: Arc<()>) -> <Fake as Connector>::Body {
    let body = stream::iter(steps).filter_map(async |step| match step {
        Step::Chunk(chunk) => Some(Ok(*chunk)),
        Step::Failure(failure) => Some(Err(Failure(failure))),
        Step::Silence(seconds) => {
            sleep(Duration::from_secs(*seconds)).await;
            None
        }
        Step::Hang => future::pending().await,
    });
    Box::pin(body.inspect(move |_| _ = &alive))
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Failure {}

/// Returns an event source over these answers.
pub(crate) fn source(answers: &'static [Answer]) -> EventSource<Fake, TokioTimer> {
    Fake::new(answers).source()
}
