//! Checks a stream while it arrives.

use std::time::Duration;

use eventwire_client::ResponseHead;
use http::Response;

use crate::arrivals::Arrivals;
use crate::chat::Chat;
use crate::end::End;
use crate::finding::Finding;
use crate::head;
use crate::lines::Lines;

/// Checks a stream while it arrives: the head of the response, the lines, and when they arrive.
///
/// All times are measured from the moment at which the request was sent. Without a clock, pass [`Duration::ZERO`]
/// everywhere, and nothing is found about times.
///
/// It does no I/O, its work is linear, and it keeps at most some kilobytes, however long the stream and its lines are;
/// after [`with_openai`](Lint::with_openai), which reads events of up to 64 KiB, at most some hundred kilobytes. Apart
/// from times, the findings do not depend on how the stream is split into chunks.
///
/// Of a line longer than 4 KiB, only the beginning is checked, and whether it ends with a literal `\n`.
///
/// ```
/// use eventwire_lint::{Lint, Severity};
/// use std::time::Duration;
///
/// let mut lint = Lint::new();
/// lint.chunk(b"data: one\n\n", Duration::from_millis(20));
/// lint.chunk(b"data: two\nthree\n\n", Duration::from_secs(31));
/// let findings = lint.finish(Duration::from_secs(32));
///
/// let codes: Vec<_> =
///     findings.iter().map(|finding| (finding.severity, finding.code)).collect();
/// assert_eq!(codes, [(Severity::Warn, "silence"), (Severity::Fail, "missing-prefix")]);
/// assert_eq!((findings[1].places[0].line, findings[1].places[0].byte), (4, 21));
/// ```
#[derive(Debug)]
pub struct Lint {
    origin: Option<String>,
    head: Vec<Finding>,
    proxy: Option<String>,
    /// Whether the head, if there is one, declares an event stream.
    is_declared: bool,
    arrivals: Arrivals,
    lines: Lines,
    chat: Option<Chat>,
}

impl Lint {
    /// Returns a lint for a stream of which nothing has been read.
    #[must_use]
    pub fn new() -> Lint {
        Lint {
            origin: None,
            head: Vec::new(),
            proxy: None,
            is_declared: true,
            arrivals: Arrivals::default(),
            lines: Lines::new(),
            chat: None,
        }
    }

    /// Also checks that a page of this origin, such as `https://app.example.com`, may read the stream.
    ///
    /// The request has to have the origin in its header `Origin`, because some servers answer accordingly.
    #[must_use]
    pub fn with_origin(mut self, origin: &str) -> Lint {
        self.origin = Some(origin.to_owned());
        self
    }

    /// Also checks that the events are the chunks of a chat completion of OpenAI's API, that one has a finish reason,
    /// and that `[DONE]` is the last event. An event of more than 64 KiB is not judged, and a note says so.
    #[must_use]
    pub fn with_openai(mut self) -> Lint {
        self.chat = Some(Chat::new());
        self
    }

    /// Reads the head of the response, which arrived at this time. If it does not declare an event stream, only that
    /// is said of it. If no event is found in the body either, neither the lines nor the times are judged.
    pub fn head<B>(&mut self, response: &Response<B>, at: Duration) {
        self.head = head::findings(response, self.origin.as_deref());
        self.proxy = head::proxy(response.headers());
        self.is_declared = response.status() == 200 && ResponseHead::from(response).is_event_stream();
        self.arrivals.head(at);
    }

    /// Reads the next chunk of the body, which arrived at this time. The body must not be compressed any more.
    pub fn chunk(&mut self, bytes: &[u8], at: Duration) {
        if bytes.is_empty() {
            return;
        }
        let before = self.lines.events();
        self.lines.push(bytes);
        self.arrivals.chunk(at, self.lines.events() - before, self.lines.is_within_block());
        if let Some(chat) = &mut self.chat {
            chat.push(bytes);
        }
    }

    /// The stream ended at this time. Returns what was found: first about the response and its times, then about the
    /// lines.
    #[must_use]
    pub fn finish(mut self, at: Duration) -> Vec<Finding> {
        self.lines.finish();
        self.into_findings(at, End::Reached)
    }

    /// The reader left at this time, and the stream may go on. Returns the same as [`finish`](Lint::finish) without
    /// what can be said only at the end, such as that the last event is not finished.
    #[must_use]
    pub fn stop(mut self, at: Duration) -> Vec<Finding> {
        self.lines.stop();
        self.into_findings(at, End::NotSeen)
    }

    fn into_findings(self, at: Duration, end: End) -> Vec<Finding> {
        let Lint { head, proxy, is_declared, arrivals, lines, chat, .. } = self;
        // A page of HTML is not checked.
        let is_stream = is_declared || lines.events() > 0;
        let mut findings = if is_stream { arrivals.findings(at, end, proxy.as_deref()) } else { Vec::new() };
        findings.extend(head);
        if is_stream {
            findings.extend(lines.findings());
            findings.extend(chat.into_iter().flat_map(|chat| chat.findings(end)));
        }
        findings
    }
}

impl Default for Lint {
    fn default() -> Lint {
        Lint::new()
    }
}
