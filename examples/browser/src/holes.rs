//! Detects missing readings.

/// Compares the ID of each reading with the last one.
pub(crate) struct Holes {
    last: Option<u64>,
    /// Whether the server has announced that readings are missing before the next one.
    is_announced: bool,
}

impl Holes {
    /// Starts after this ID. An ID that is not a number cannot be compared.
    pub(crate) fn after(id: &str) -> Holes {
        Holes { last: id.parse().ok(), is_announced: false }
    }

    /// Returns whether readings are missing before this ID and the server has not announced it.
    pub(crate) fn is_before(&mut self, id: &str) -> bool {
        let id: Option<u64> = id.parse().ok();
        let is_next = match (self.last, id) {
            (Some(last), Some(id)) => last.checked_add(1) == Some(id),
            _ => true,
        };
        self.last = id;
        let is_announced = std::mem::take(&mut self.is_announced);
        !is_next && !is_announced
    }

    /// Records that the server has announced missing readings. Returns whether this is the first announcement since
    /// the last reading.
    pub(crate) fn announce(&mut self) -> bool {
        !std::mem::replace(&mut self.is_announced, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holes(after: &str, ids: &[&str]) -> usize {
        let mut holes = Holes::after(after);
        ids.iter().filter(|id| holes.is_before(id)).count()
    }

    #[test]
    fn missing_readings_are_a_hole() {
        assert_eq!(holes("", &["1000", "1001", "1002"]), 0);
        assert_eq!(holes("", &["1", "2", "4", "5"]), 1);
        assert_eq!(holes("", &["1", "2", "2"]), 1);
        assert_eq!(holes("", &["5", "1"]), 1);
        assert_eq!(holes("", &["a", "b"]), 0);
        assert_eq!(holes("", &["18446744073709551615", "0"]), 1);
    }

    #[test]
    fn the_feed_continues_where_it_stopped() {
        assert_eq!(holes("7", &["8", "9"]), 0);
        assert_eq!(holes("7", &["9", "10"]), 1);
    }

    #[test]
    fn a_hole_that_is_announced_counts_once() {
        let mut holes = Holes::after("2");
        assert!(holes.announce());
        // It is announced again, because the connection dropped before the next reading.
        assert!(!holes.announce());
        assert!(!holes.is_before("10"));
        assert!(!holes.is_before("11"));
        assert!(holes.is_before("13"));
    }
}
