//! What has happened in runs.

use crate::fault::Fault;
use std::{collections::BTreeMap, fmt, time::Duration};

#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) faults: BTreeMap<Fault, usize>,
    /// How many events were accepted, and how many of them and of gaps readers have got.
    pub(crate) accepted: usize,
    pub(crate) delivered: usize,
    pub(crate) gaps: usize,
    /// How many readers did not catch up or end.
    pub(crate) stuck: usize,
    /// The longest time until all readers had caught up, and after which fault.
    pub(crate) slowest: Option<(Duration, Fault)>,
    pub(crate) violations: Vec<String>,
}

impl Report {
    pub(crate) fn add(&mut self, other: Report) {
        for (fault, count) in other.faults {
            *self.faults.entry(fault).or_default() += count;
        }
        self.accepted += other.accepted;
        self.delivered += other.delivered;
        self.gaps += other.gaps;
        self.stuck += other.stuck;
        self.slowest = self.slowest.max(other.slowest);
        self.violations.extend(other.violations);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { faults, accepted, delivered, gaps, stuck, slowest, violations } = self;
        let count: usize = faults.values().sum();
        writeln!(f, "{count} faults {faults:?}: {accepted} events accepted, {delivered} delivered, {gaps} gaps")?;
        writeln!(f, "  {} violations, {stuck} readers stuck", violations.len())?;
        if let Some((time, fault)) = slowest {
            writeln!(f, "  the longest time until all had caught up: {time:.1?}, after {fault:?}")?;
        }
        violations.iter().take(20).try_for_each(|violation| writeln!(f, "  {violation}"))
    }
}
