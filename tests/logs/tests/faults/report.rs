//! What has happened in runs.

use crate::{checker::Checker, client::Client, fault::Fault, hubs::RESYNC};
use std::{collections::BTreeMap, fmt, time::Duration};

/// What has happened in runs.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) faults: BTreeMap<Fault, usize>,
    pub(crate) accepted: usize,
    pub(crate) maybe: usize,
    pub(crate) delivered: usize,
    /// Events that were delivered to a reader once more.
    pub(crate) again: usize,
    pub(crate) gaps: usize,
    pub(crate) resumes: usize,
    pub(crate) stuck: usize,
    /// By fault, until all readers had caught up.
    pub(crate) longest: BTreeMap<Fault, Duration>,
    pub(crate) violations: Vec<String>,
}

impl Report {
    /// Adds what a reader has got.
    pub(crate) fn hear(&mut self, client: &Client) {
        for Checker { events, again, gaps, .. } in &*client.checkers() {
            self.delivered += events;
            self.again += again;
            self.gaps += gaps;
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.faults.values().sum()
    }

    pub(crate) fn add(&mut self, other: Report) {
        for (fault, count) in other.faults {
            *self.faults.entry(fault).or_default() += count;
        }
        for (fault, time) in other.longest {
            let longest = self.longest.entry(fault).or_default();
            *longest = time.max(*longest);
        }
        self.accepted += other.accepted;
        self.maybe += other.maybe;
        self.delivered += other.delivered;
        self.again += other.again;
        self.gaps += other.gaps;
        self.resumes += other.resumes;
        self.stuck += other.stuck;
        self.violations.extend(other.violations);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others = self.longest.iter().filter(|(fault, _)| **fault != Fault::Swallow);
        let longest = others.max_by_key(|(_, time)| **time);
        write!(f, "{} faults {:?}: {} accepted, ", self.count(), self.faults, self.accepted)?;
        write!(f, "{} maybe, {} delivered, ", self.maybe, self.delivered)?;
        write!(f, "{} of them again, {} gap events, ", self.again, self.gaps)?;
        write!(f, "{} resumes, {} readers stuck, {} violations", self.resumes, self.stuck, self.violations.len())?;
        if let Some((fault, time)) = longest {
            write!(f, ", longest time until caught up {time:.1?} (after {fault:?})")?;
        }
        if let Some(time) = self.longest.get(&Fault::Swallow) {
            write!(f, ", and {time:.1?} after Swallow")?;
        }
        write!(f, "; resync is {RESYNC:?}")
    }
}
