//! What was seen of one response.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU64;
use std::time::Duration;

use eventwire::{BlockItemRef, DecodeError, Decoder};
use eventwire_client::ResponseHead;
use eventwire_lint::{Finding, Lint};
use http::Response;
use reqwest::Url;

use crate::coding::{coding, content_coding};
use crate::json_lines::{Announced, Tally};

/// How many IDs are kept: the last ones, because a server may keep only the last events.
const IDS: usize = 1000;
/// How many bytes an ID has that is kept. A longer one fits in no header.
const LONGEST_ID: usize = 1024;
/// How many events are compared with those of another response.
const BEGINNING: usize = 3;

/// How much is kept of the body of a response that is no event stream.
const BODY: usize = 16 * 1024;

/// When to stop watching.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) time: Option<Duration>,
    pub(crate) events: Option<NonZeroU64>,
    pub(crate) wanted: Wanted,
}

/// What is read of a response.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    Everything,
    /// Only the head, unless the response is compressed.
    Compression,
    /// Up to the first event that has an ID of its own.
    OneId,
}

/// How the body ended while it was watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    No,
    Complete,
    /// The connection broke, for this reason.
    Broken(String),
}

/// What was seen of one response.
pub(crate) struct Seen {
    lint: Option<Lint>,
    decoder: Decoder,
    lines: Tally,
    limits: Limits,
    pub(crate) findings: Vec<Finding>,
    /// The URL of the last request, which answered if there is a head.
    pub(crate) url: Option<Url>,
    /// `None` if no head has arrived, or if there is none because the input is a file.
    pub(crate) head: Option<Response<()>>,
    /// The beginning of the body, if it is no event stream.
    pub(crate) body: Vec<u8>,
    /// How many bytes the body has had so far. What was compressed has been decompressed.
    pub(crate) bytes: u64,
    pub(crate) events: u64,
    /// What stands for the type, the data and the ID of each of the first events.
    pub(crate) beginning: Vec<u64>,
    /// The IDs of the last events that have one of their own.
    pub(crate) ids: VecDeque<String>,
    pub(crate) elapsed: Duration,
    pub(crate) ended: Ended,
}

impl Seen {
    pub(crate) fn new(lint: Lint, limits: Limits) -> Seen {
        Seen {
            lint: Some(lint),
            decoder: Decoder::new().without_comments(),
            lines: Tally::new(),
            limits,
            findings: Vec::new(),
            url: None,
            head: None,
            body: Vec::new(),
            bytes: 0,
            events: 0,
            beginning: Vec::new(),
            ids: VecDeque::new(),
            elapsed: Duration::ZERO,
            ended: Ended::No,
        }
    }

    pub(crate) fn head(&mut self, head: Response<()>, at: Duration) {
        if let Some(lint) = &mut self.lint {
            lint.head(&head, at);
        }
        self.head = Some(head);
    }

    pub(crate) fn chunk(&mut self, mut chunk: &[u8], at: Duration) {
        if let Some(lint) = &mut self.lint {
            lint.chunk(chunk, at);
        }
        if self.is_page() {
            self.body.extend_from_slice(&chunk[..chunk.len().min(BODY - self.body.len())]);
        }
        self.bytes = self.bytes.saturating_add(chunk.len() as u64);
        self.lines.chunk(chunk);
        loop {
            match self.decoder.decode_block(&mut chunk) {
                Ok(None) => break,
                Ok(Some(BlockItemRef::Comment(_))) => {}
                Ok(Some(BlockItemRef::Block(block))) => {
                    let Some(event) = block.event() else { continue };
                    self.events += 1;
                    if self.beginning.len() < BEGINNING {
                        let mut hasher = DefaultHasher::new();
                        (event.event_type(), event.data(), block.id()).hash(&mut hasher);
                        self.beginning.push(hasher.finish());
                    }
                    if let Some(id) = block.id().filter(|id| !id.is_empty() && id.len() <= LONGEST_ID)
                        && self.ids.back().is_none_or(|last| last != id)
                    {
                        if self.ids.len() == IDS {
                            self.ids.pop_front();
                        }
                        self.ids.push_back(id.to_owned());
                    }
                }
                // An event that is too large counts.
                Err(DecodeError::EventTooLarge { .. }) => self.events += 1,
                Err(_) => {}
            }
        }
    }

    /// Adds what was found apart from the lint, once.
    pub(crate) fn add(&mut self, finding: Finding) {
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    pub(crate) fn end(&mut self, ended: Ended) {
        self.ended = ended;
    }

    pub(crate) fn is_enough(&self) -> bool {
        match self.limits.wanted {
            _ if self.is_page() && self.body.len() == BODY => true,
            Wanted::Everything if self.is_json_lines() => {
                self.limits.events.is_some_and(|limit| self.lines.count >= limit.get())
            }
            Wanted::Everything => self.limits.events.is_some_and(|limit| self.events >= limit.get()),
            Wanted::Compression => !self.is_compressed(),
            Wanted::OneId => !self.ids.is_empty(),
        }
    }

    /// Ends the observation, and lets the lint judge.
    pub(crate) fn finish(mut self, at: Duration) -> Seen {
        self.elapsed = at;
        if self.is_json_lines() {
            // The rules of an event stream say nothing about it.
            self.lint = None;
            let what = match (&self.ended, self.lines.at_end()) {
                (Ended::Complete, (count, true)) => format!("the body has {}", lines(count)),
                (Ended::Complete, (count, false)) => {
                    format!("the body has {}, of which the last is not complete", lines(count))
                }
                _ => format!("the body has had {} so far", lines(self.lines.count)),
            };
            self.add(Finding::new("json-lines", what));
        }
        if let Some(lint) = self.lint.take() {
            self.findings.extend(match &self.ended {
                Ended::Complete => lint.finish(at),
                Ended::No | Ended::Broken(_) => lint.stop(at),
            });
        }
        if let Ended::Broken(why) = &self.ended
            && !self.is_page()
        {
            let what = format!("the connection broke after {:.1} s: {why}", at.as_secs_f64());
            self.findings.push(Finding::new("broken", what));
        }
        self
    }

    /// Returns whether the body is not compressed, or in a way that is known.
    pub(crate) fn is_readable(&self) -> bool {
        self.is_compressed() || self.head.as_ref().is_none_or(|head| content_coding(head).is_none())
    }

    pub(crate) fn is_compressed(&self) -> bool {
        self.head.as_ref().and_then(coding).is_some()
    }

    pub(crate) fn finding(&self, code: &str) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.code == code)
    }

    /// Returns whether there is a response that is no stream.
    pub(crate) fn is_page(&self) -> bool {
        let is_stream = |head| Announced::by(head) == Announced::Yes;
        self.head.is_some() && !self.is_event_stream() && !self.head.as_ref().is_some_and(is_stream)
    }

    /// Returns whether the body has lines of JSON.
    pub(crate) fn is_json_lines(&self) -> bool {
        // The lines first: this is asked after each chunk.
        self.lines.are_json() && self.head.as_ref().is_none_or(|head| Announced::by(head) != Announced::No)
    }

    pub(crate) fn is_event_stream(&self) -> bool {
        let head = self.head.as_ref().map(ResponseHead::from);
        head.is_some_and(|head| head.status() == 200 && head.is_event_stream())
    }
}

fn lines(count: u64) -> String {
    format!("{count} {} of JSON", if count == 1 { "line" } else { "lines" })
}
