//! The last readings of the feed.

use std::collections::VecDeque;

/// How many are kept.
pub(crate) const LENGTH: u64 = 60;

/// The last minute of readings, and whether any were missed.
#[derive(Default)]
pub(crate) struct Readings {
    last: VecDeque<(u64, f64)>,
    first_id: Option<u64>,
    last_id: Option<u64>,
    pub(crate) count: u64,
    pub(crate) gaps: u64,
    /// The server has said that the next reading is not the one after the last.
    is_gap_known: bool,
}

impl Readings {
    /// Adds a reading. A hole before it counts as a gap.
    pub(crate) fn add(&mut self, id: u64, value: f64) {
        let is_next = self.last_id.is_none_or(|last| last.checked_add(1) == Some(id));
        if !is_next && !self.is_gap_known {
            self.gaps += 1;
        }
        self.is_gap_known = false;
        self.first_id.get_or_insert(id);
        self.last_id = Some(id);
        self.count += 1;
        self.last.push_back((id, value));
        let earliest = id.saturating_sub(LENGTH - 1);
        self.last.retain(|(kept, _)| (earliest..=id).contains(kept));
    }

    /// The server no longer has some of the readings that were missed.
    pub(crate) fn add_gap(&mut self) {
        self.gaps += 1;
        self.is_gap_known = true;
    }

    pub(crate) fn first_id(&self) -> Option<u64> {
        self.first_id
    }

    pub(crate) fn last_id(&self) -> Option<u64> {
        self.last_id
    }

    /// The readings of the last minute: how many seconds before the last, and the value.
    pub(crate) fn recent(&self) -> impl Iterator<Item = (u32, f64)> {
        let last = self.last_id.unwrap_or_default();
        self.last.iter().map(move |(id, value)| (u32::try_from(last - id).unwrap_or(u32::MAX), *value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(ids: impl IntoIterator<Item = u64>) -> Readings {
        let mut readings = Readings::default();
        ids.into_iter().for_each(|id| readings.add(id, 0.5));
        readings
    }

    #[test]
    fn a_minute_is_kept() {
        let readings = readings(1000..1100);
        assert_eq!((readings.first_id(), readings.last_id()), (Some(1000), Some(1099)));
        assert_eq!((readings.count, readings.gaps), (100, 0));
        assert_eq!(readings.recent().map(|(ago, _)| ago).collect::<Vec<_>>(), (0..60).rev().collect::<Vec<_>>());
    }

    #[test]
    fn what_is_missing_is_a_gap() {
        assert_eq!(readings([1, 2, 4]).gaps, 1);
        assert_eq!(readings([1, 2, 2]).gaps, 1);
        assert_eq!(readings([5, 1]).gaps, 1);
        assert_eq!(readings([5, 1]).recent().count(), 1);
        // Longer than a minute: nothing of before is on the curve.
        assert_eq!(readings([1, 100]).recent().count(), 1);
    }

    #[test]
    fn a_gap_that_is_announced_counts_once() {
        let mut readings = readings([1, 2]);
        readings.add_gap();
        readings.add(10, 0.5);
        readings.add(11, 0.5);
        assert_eq!(readings.gaps, 1);
        readings.add(13, 0.5);
        assert_eq!(readings.gaps, 2);
    }
}
