//! What the times of arrival show: events that are held back, late headers, silence.

use std::time::Duration;

use crate::lint::End;
use crate::{Finding, Severity};

/// Reads that are closer together may come from one write.
const TOGETHER: Duration = Duration::from_millis(100);
/// A pause that is longer than a network's delays.
const PAUSE: Duration = Duration::from_millis(500);
/// A wait that a user notices.
const LATE: Duration = Duration::from_secs(1);

/// How long a stream was silent, and which times it must not exceed.
const SILENCES: [(u64, Severity, &str); 3] = [
    (100, Severity::Fail, "Cloudflare closes a connection after 100 seconds without a byte, nginx and AWS after 60"),
    (60, Severity::Fail, "nginx and AWS's load balancers close a connection after 60 seconds without a byte"),
    (15, Severity::Warn, "Some proxies and mobile networks drop a connection that is silent for so long"),
];

/// The times since the request was sent at which something arrived.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arrivals {
    head: Option<Duration>,
    first_byte: Option<Duration>,
    last_byte: Option<Duration>,
    longest_silence: Silence,
    events: u64,
    group: Group,
    /// Groups of several events that arrived at once after a pause, and groups of one event.
    batches: u64,
    singles: u64,
    /// Pauses inside an event, after other events had arrived in the same group.
    cuts: u64,
    longest_cut: Duration,
}

#[derive(Clone, Copy, Debug, Default)]
struct Silence {
    start: Duration,
    length: Duration,
}

/// Chunks that arrived together.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    events: u64,
    is_after_pause: bool,
    ends_within_block: bool,
}

impl Arrivals {
    pub(crate) fn head(&mut self, at: Duration) {
        self.head = Some(at);
    }

    pub(crate) fn events(&self) -> u64 {
        self.events
    }

    /// A chunk arrived, in which this number of events ends.
    pub(crate) fn chunk(&mut self, at: Duration, events: u64, ends_within_block: bool) {
        self.first_byte.get_or_insert(at);
        let pause = self.silence_until(at);
        if pause > TOGETHER {
            if pause >= PAUSE && self.group.ends_within_block && self.group.events > 0 {
                self.cuts += 1;
                self.longest_cut = self.longest_cut.max(pause);
            }
            self.end_group();
            self.group = Group { is_after_pause: pause >= PAUSE, ..Group::default() };
        }
        self.last_byte = Some(at);
        self.events += events;
        self.group.events += events;
        self.group.ends_within_block = ends_within_block;
    }

    /// Returns how long nothing has arrived, and remembers the longest time.
    fn silence_until(&mut self, at: Duration) -> Duration {
        let start = self.last_byte.or(self.head).unwrap_or_default();
        let length = at.saturating_sub(start);
        if length > self.longest_silence.length {
            self.longest_silence = Silence { start, length };
        }
        length
    }

    fn end_group(&mut self) {
        match self.group.events {
            0 => {}
            1 => self.singles += 1,
            _ if self.group.is_after_pause => self.batches += 1,
            _ => {}
        }
    }

    /// Returns what was found when the stream ended, or when its reader left. `proxy` names the proxy that is seen in
    /// the headers.
    pub(crate) fn findings(mut self, at: Duration, end: End, proxy: Option<&str>) -> Vec<Finding> {
        let silence = self.silence_until(at);
        self.end_group();
        let mut findings = Vec::new();
        let held_back = self.held_back(at, silence, end);
        match held_back {
            Some((severity, what)) => findings.push(held_back_finding(severity, what, proxy)),
            None => findings.extend(self.late_head()),
        }
        findings.extend(self.silence());
        findings
    }

    fn held_back(&self, at: Duration, silence: Duration, end: End) -> Option<(Severity, String)> {
        let first = self.first_byte?;
        let Arrivals { events, batches, singles, cuts, .. } = *self;
        if end == End::Reached
            && first >= LATE
            && events > 1
            && silence <= TOGETHER
            && at.saturating_sub(first) <= TOGETHER
        {
            let what = format!("all {events} events arrived together with the end, after {}", Seconds(first));
            return Some((Severity::Fail, what));
        }
        if cuts > 1 || cuts == 1 && batches > 0 {
            let what = format!(
                "the stream paused inside an event, {cuts} times, for up to {}: it arrives in pieces of a buffer's size",
                Seconds(self.longest_cut)
            );
            return Some((Severity::Fail, what));
        }
        (batches > 1 && singles == 0)
            .then(|| (Severity::Warn, format!("events arrived only several at once, {batches} times after a pause")))
    }

    fn late_head(&self) -> Option<Finding> {
        let (head, first) = (self.head?, self.first_byte?);
        let is_late = head >= LATE && first.saturating_sub(head) <= TOGETHER;
        is_late.then(|| {
            Finding::new(
                Severity::Warn,
                "late-headers",
                format!("the headers arrived after {}, together with the first event", Seconds(head)),
                "A page sees no `open` until then, and a proxy may give up on a response that does not start",
                "Send the headers at once (`flushHeaders()` in Node.js, `Flush()` in Go), or a comment such as `: ok` \
                 as the first line",
            )
        })
    }

    fn silence(&self) -> Option<Finding> {
        let Silence { start, length } = self.longest_silence;
        let (_, severity, effect) = SILENCES.into_iter().find(|(limit, ..)| length.as_secs() >= *limit)?;
        Some(Finding::new(
            severity,
            "silence",
            format!("nothing arrived for {}, from {} on", Seconds(length), Seconds(start)),
            effect,
            "Send a comment, such as `: keep-alive` and a line break, every 15 seconds",
        ))
    }
}

fn held_back_finding(severity: Severity, what: String, proxy: Option<&str>) -> Finding {
    let suspect = match proxy {
        Some(proxy) => format!("The suspect is {proxy}"),
        None => "No header names a proxy, so the server may also write its events late".to_owned(),
    };
    Finding::new(
        severity,
        "held-back",
        what,
        "Readers see events late, and several at once",
        format!(
            "{suspect}. Send the header `X-Accel-Buffering: no`, which nginx and others obey, or turn off the proxy's \
             buffering (nginx: `proxy_buffering off`), and flush after each event in the server"
        ),
    )
}

/// A time as text.
struct Seconds(Duration);

impl std::fmt::Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.1} s", self.0.as_secs_f64())
    }
}
