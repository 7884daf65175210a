//! The outcome of one question.

use crate::server::{Log, PIECES, Reaction, Server};
use driver::{Answer, Driver, DriverError};
use reqwest::Client;
use std::time::Duration;
use tokio::time::{Instant, timeout};

const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) pieces: Vec<String>,
    /// What the driver said about each retry.
    pub(crate) retries: Vec<String>,
    pub(crate) result: Result<Answer, DriverError>,
    pub(crate) log: Log,
    /// By tokio's clock.
    pub(crate) elapsed: Duration,
}

/// Asks a server that follows this script.
pub(crate) async fn ask(script: impl Into<Vec<Reaction>>) -> Outcome {
    ask_at(&Server::start(script)).await
}

pub(crate) async fn ask_at(server: &Server) -> Outcome {
    let client = Client::builder().no_proxy().build().unwrap();
    let driver = Driver { client, base_url: server.base_url(), model: "any".to_owned() };
    let (mut pieces, mut retries, start) = (Vec::new(), Vec::new(), Instant::now());
    let answer = driver.answer("prompt", |piece| pieces.push(piece.to_owned()), |line| retries.push(line.to_owned()));
    let result = timeout(A_DAY, answer).await.expect("the driver gives up within a day of tokio's");
    Outcome { pieces, retries, result, log: server.take_log(), elapsed: start.elapsed() }
}

impl Outcome {
    /// Checks that all pieces of the answer arrived, that it was billed once, and that these requests were sent.
    #[track_caller]
    pub(crate) fn is_whole(&self, requests: &[&str]) {
        assert_eq!(self.pieces, PIECES, "{self:#?}");
        self.asked(requests, 1);
        let answer = self.result.as_ref().unwrap();
        let usage = answer.usage.unwrap();
        assert_eq!((usage.input_tokens, usage.output_tokens), (3, 9));
        assert_eq!(answer.stopped_early, None);
    }

    /// Checks that this many pieces arrived and then this error, that these requests were sent, and that this many
    /// prompts were billed.
    #[track_caller]
    pub(crate) fn failed(&self, pieces: usize, error: &str, requests: &[&str], billed: usize) {
        assert_eq!(self.pieces, PIECES[..pieces], "{self:#?}");
        let line = self.result.as_ref().unwrap_err().to_string();
        assert_eq!(line, error, "{self:#?}");
        self.asked(requests, billed);
    }

    #[track_caller]
    fn asked(&self, requests: &[&str], billed: usize) {
        assert_eq!(self.log.requests, requests, "{self:#?}");
        assert_eq!(self.log.billed, billed, "{self:#?}");
    }

    /// Returns the time between a request and the next one, by tokio's clock.
    pub(crate) fn gap(&self, request: usize) -> Duration {
        self.log.times[request + 1] - self.log.times[request]
    }
}
