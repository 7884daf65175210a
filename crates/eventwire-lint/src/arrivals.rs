//! What the times of arrival show: events that are held back, late headers, silence.

use std::time::Duration;

use crate::end::End;
use crate::finding::{Finding, Severity};

/// Reads that are closer together may come from one write.
const TOGETHER: Duration = Duration::from_millis(100);
/// A pause that is longer than a network's delays.
const PAUSE: Duration = Duration::from_millis(500);
/// A wait that a user notices, and one after which a server has something to send, if it is not a slow one.
const LATE: Duration = Duration::from_secs(1);
const TOO_LATE: Duration = Duration::from_secs(2);

/// Silence that some networks do not allow, and silence that proxies do not. The first is longer than 15 seconds,
/// because a keep-alive that is sent every 15 seconds arrives a little later than that.
const SILENT: Duration = Duration::from_secs(17);
const TOO_SILENT: Duration = Duration::from_secs(60);

/// The times since the request was sent at which something arrived.
#[derive(Debug, Default)]
pub(crate) struct Arrivals {
    head: Option<Duration>,
    first_byte: Option<Duration>,
    last_byte: Option<Duration>,
    longest_silence: Silence,
    chunks: u64,
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
        self.silence_until(at);
        self.head = Some(at);
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
        self.chunks += 1;
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
        let held_back = self.held_back(at, silence, end).map(|(severity, what)| {
            let by = match proxy {
                Some(proxy) => format!("{what}; something holds the response back, probably the proxy ({proxy})"),
                None => format!(
                    "{what}; a proxy that no header names holds the response back, or the server itself writes late"
                ),
            };
            Finding { severity, ..Finding::new("held-back", by) }
        });
        let is_certain = held_back.as_ref().is_some_and(|finding| finding.severity > Severity::Note);
        let late_head = self.late_head().filter(|_| !is_certain);
        held_back.into_iter().chain(late_head).chain(self.silence()).collect()
    }

    fn held_back(&self, at: Duration, silence: Duration, end: End) -> Option<(Severity, String)> {
        let first = self.first_byte?;
        let Arrivals { events, batches, singles, cuts, .. } = *self;
        let is_with_end = silence <= TOGETHER && at.saturating_sub(first) <= TOGETHER;
        if end == End::Reached && is_with_end && first >= LATE && events > 1 {
            // A model that thinks sends its headers before, and then more than one chunk.
            let is_head_late = self.head.is_none_or(|head| first.saturating_sub(head) <= TOGETHER);
            let severity = match first {
                _ if !is_head_late && self.chunks > 1 => Severity::Note,
                first if first < TOO_LATE => Severity::Warn,
                _ => Severity::Fail,
            };
            let what = format!("all {events} events arrived at once, when the stream ended after {}", seconds(first));
            return Some((severity, what));
        }
        if cuts > 1 || cuts == 1 && batches > 0 {
            let longest = seconds(self.longest_cut);
            let what = format!(
                "the stream stopped inside an event {}, for up to {longest}, as if a buffer had to fill up",
                times(cuts)
            );
            return Some((Severity::Fail, what));
        }
        // A server may have several to send each time.
        let what = format!("events arrived only several at once, {batches} times after a pause");
        (batches > 1 && singles == 0).then_some((Severity::Note, what))
    }

    fn late_head(&self) -> Option<Finding> {
        let (head, first) = (self.head?, self.first_byte?);
        let what = format!("the headers arrived after {}, together with the first bytes", seconds(head));
        (head >= LATE && first.saturating_sub(head) <= TOGETHER).then(|| Finding::new("late-headers", what))
    }

    fn silence(&self) -> Option<Finding> {
        let Silence { start, length } = self.longest_silence;
        let severity = match length {
            _ if length < SILENT => return None,
            _ if length < TOO_SILENT => Severity::Warn,
            _ => Severity::Fail,
        };
        let what = format!("nothing arrived for {}, beginning {} after the request", seconds(length), seconds(start));
        Some(Finding { severity, ..Finding::new("silence", what) })
    }
}

fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// Returns a time as text.
fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
