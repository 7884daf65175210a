//! Checks what one reader gets, from its first connection to its last.

use crate::{
    item::Item,
    ledger::{Gaps, Ledger},
    violation::Violation,
};
use eventwire_hub::Position;

/// A reader of one topic.
#[derive(Debug)]
pub(crate) struct Checker {
    topic: usize,
    /// The position that it was told last, which is its last event ID, and when.
    told: Option<(Position, u64)>,
    newest: Option<Position>,
    pub(crate) events: usize,
    pub(crate) gaps: usize,
}

/// The tail of a topic that there is not.
const NOWHERE: Position = Position::new(0, 0);

impl Checker {
    pub(crate) fn new(topic: usize) -> Checker {
        Checker { topic, told: None, newest: None, events: 0, gaps: 0 }
    }

    pub(crate) fn told(&self) -> Option<Position> {
        self.told.map(|(told, _)| told)
    }

    /// Whether the reader knows of everything up to a position.
    pub(crate) fn has_reached(&self, at: Position) -> bool {
        self.told().is_some_and(|told| order(told) >= order(at))
    }

    /// Takes the next item. After a violation, it goes on from there.
    pub(crate) fn hear(&mut self, item: Item, ledger: &Ledger) -> Result<(), Violation> {
        let (Item::Opening(at) | Item::Event { at, .. } | Item::Gap { at, .. }) = item;
        let told = self.told.replace((at, ledger.now()));
        match (item, told) {
            (Item::Opening(_), Some((told, since))) if told == at => {
                // That there was no topic was true earlier.
                self.told = Some((told, since));
                Ok(())
            }
            (Item::Opening(_), None) => Ok(()),
            (Item::Opening(_), Some((told, _))) => Err(Violation::WrongOpening { told: Some(told), at }),
            (_, None) => Err(Violation::WrongOpening { told: None, at }),
            (Item::Event { number, .. }, Some((told, since))) => self.event(told, since, at, number, ledger),
            (Item::Gap { missed, .. }, Some((told, _))) => self.gap(told, at, missed, ledger),
        }
    }

    fn event(
        &mut self,
        told: Position,
        since: u64,
        at: Position,
        number: u64,
        ledger: &Ledger,
    ) -> Result<(), Violation> {
        self.events += 1;
        ledger.seen(self.topic, number, at)?;
        if let Some(had) = self.newest.filter(|had| order(*had) >= order(at)) {
            return Err(Violation::Double { had, at });
        }
        self.newest = Some(at);
        if told == NOWHERE && at.sequence() == 1 {
            ledger.nothing_before(self.topic, since, at.epoch());
        } else if told.epoch() != at.epoch() || told.sequence() + 1 != at.sequence() {
            return Err(Violation::Hole { told, at });
        }
        Ok(())
    }

    fn gap(&mut self, told: Position, at: Position, missed: Option<u64>, ledger: &Ledger) -> Result<(), Violation> {
        self.gaps += 1;
        if told == at {
            return Err(Violation::GapForNothing { told, at });
        }
        // The log may have lost its end, or the topic.
        let count = if told.epoch() == at.epoch() { at.sequence().checked_sub(told.sequence()) } else { None };
        if missed != count && (told != NOWHERE || missed != Some(at.sequence())) {
            return Err(Violation::WrongCount { told, at, missed });
        }
        match ledger.rules().gaps {
            Gaps::Anywhere => Ok(()),
            // An epoch that has lost its end is over, too.
            Gaps::BetweenEpochs if told.epoch() != at.epoch() || at.sequence() < told.sequence() => Ok(()),
            Gaps::BetweenEpochs | Gaps::Nowhere => Err(Violation::NeedlessGap { told, at }),
        }
    }
}

/// Epochs rise.
fn order(at: Position) -> (u64, u64) {
    (at.epoch(), at.sequence())
}

#[cfg(test)]
mod tests {
    use super::{Checker, NOWHERE};
    use crate::{
        item::Item,
        ledger::{Gaps, Keys, Ledger, Rules},
        violation::Violation,
    };
    use eventwire_hub::Position;

    const ANY: Rules = Rules { gaps: Gaps::Anywhere, keys: Keys::LostWithEpoch };

    fn at(epoch: u64, sequence: u64) -> Position {
        Position::new(epoch, sequence)
    }

    /// A ledger in which the events 1 to 9 are at the positions 7-1 to 7-9, and the events 10 to 12 at 8-1 to 8-3.
    fn ledger(rules: Rules) -> Ledger {
        let ledger = Ledger::new(1, rules);
        for number in 1..=12 {
            assert_eq!(ledger.begin(0, false), number);
            ledger.accepted(0, number, place(number)).unwrap();
        }
        ledger
    }

    fn place(number: u64) -> Position {
        if number < 10 { at(7, number) } else { at(8, number - 9) }
    }

    fn event(number: u64) -> Item {
        Item::Event { at: place(number), number }
    }

    fn gap(at: Position, missed: Option<u64>) -> Item {
        Item::Gap { at, missed }
    }

    /// Returns what is found at the last item, and expects nothing before it.
    #[track_caller]
    fn last_of(rules: Rules, items: &[Item]) -> Result<(), Violation> {
        let (ledger, mut checker) = (ledger(rules), Checker::new(0));
        let (last, before) = items.split_last().unwrap();
        for item in before {
            checker.hear(*item, &ledger).unwrap();
        }
        checker.hear(*last, &ledger)
    }

    #[test]
    fn a_reader_that_gets_everything() {
        let items = [Item::Opening(at(7, 0)), event(1), event(2), Item::Opening(at(7, 2)), gap(at(7, 5), Some(3))];
        assert_eq!(last_of(ANY, &items), Ok(()));
        let items = [&items[..], &[event(6), gap(at(8, 0), None), event(10), event(11)]].concat();
        assert_eq!(last_of(ANY, &items), Ok(()));
        // More is lost after a gap was told.
        assert_eq!(last_of(ANY, &[Item::Opening(at(7, 9)), gap(at(7, 5), None), gap(NOWHERE, None)]), Ok(()));
        assert_eq!(last_of(ANY, &[Item::Opening(NOWHERE), event(1)]), Ok(()));
    }

    #[test]
    fn a_double() {
        let opened = Item::Opening(at(7, 0));
        let found = last_of(ANY, &[opened, event(1), event(2), event(2)]);
        assert_eq!(found, Err(Violation::Double { had: at(7, 2), at: at(7, 2) }));
        let found = last_of(ANY, &[opened, event(1), event(2), gap(at(7, 1), None), event(2)]);
        assert_eq!(found, Err(Violation::Double { had: at(7, 2), at: at(7, 2) }));
        let found = last_of(ANY, &[Item::Opening(at(8, 0)), event(10), gap(at(7, 0), None), event(1)]);
        assert_eq!(found, Err(Violation::Double { had: at(8, 1), at: at(7, 1) }));
    }

    #[test]
    fn a_hole() {
        let hole = |told, at| Err(Violation::Hole { told, at });
        assert_eq!(last_of(ANY, &[Item::Opening(at(7, 0)), event(1), event(3)]), hole(at(7, 1), at(7, 3)));
        assert_eq!(last_of(ANY, &[Item::Opening(at(7, 9)), event(10)]), hole(at(7, 9), at(8, 1)));
        assert_eq!(last_of(ANY, &[Item::Opening(NOWHERE), event(2)]), hole(NOWHERE, at(7, 2)));
        let found = last_of(ANY, &[Item::Opening(at(7, 0)), gap(at(7, 2), Some(2)), event(4)]);
        assert_eq!(found, hole(at(7, 2), at(7, 4)));
    }

    #[test]
    fn a_wrong_count() {
        for missed in [Some(1), Some(3), None] {
            let found = last_of(ANY, &[Item::Opening(at(7, 1)), gap(at(7, 3), missed)]);
            assert_eq!(found, Err(Violation::WrongCount { told: at(7, 1), at: at(7, 3), missed }));
        }
        let found = last_of(ANY, &[Item::Opening(at(7, 1)), gap(at(8, 3), Some(3))]);
        assert_eq!(found, Err(Violation::WrongCount { told: at(7, 1), at: at(8, 3), missed: Some(3) }));
    }

    #[test]
    fn an_event_that_nobody_has_sent() {
        let made_up = Item::Event { at: at(7, 1), number: 13 };
        let found = last_of(ANY, &[Item::Opening(at(7, 0)), made_up]);
        assert_eq!(found, Err(Violation::MadeUp { number: 13, at: at(7, 1) }));
        let wrong = Item::Event { at: at(7, 1), number: 2 };
        let found = last_of(ANY, &[Item::Opening(at(7, 0)), wrong]);
        assert_eq!(found, Err(Violation::TwoAtOnePosition { at: at(7, 1), numbers: [1, 2] }));
    }

    #[test]
    fn openings_and_gaps_out_of_place() {
        assert_eq!(last_of(ANY, &[event(1)]), Err(Violation::WrongOpening { told: None, at: at(7, 1) }));
        let found = last_of(ANY, &[Item::Opening(at(7, 0)), event(1), Item::Opening(at(7, 2))]);
        assert_eq!(found, Err(Violation::WrongOpening { told: Some(at(7, 1)), at: at(7, 2) }));
        let found = last_of(ANY, &[Item::Opening(at(7, 1)), gap(at(7, 1), Some(0))]);
        assert_eq!(found, Err(Violation::GapForNothing { told: at(7, 1), at: at(7, 1) }));

        let rules = |gaps| Rules { gaps, ..ANY };
        let within = [Item::Opening(at(7, 1)), gap(at(7, 3), Some(2))];
        let needless = Err(Violation::NeedlessGap { told: at(7, 1), at: at(7, 3) });
        assert_eq!(last_of(rules(Gaps::BetweenEpochs), &within), needless);
        let between = [Item::Opening(at(7, 9)), gap(at(8, 0), None)];
        assert_eq!(last_of(rules(Gaps::BetweenEpochs), &between), Ok(()));
        let lost = [Item::Opening(at(7, 9)), gap(at(7, 5), None)];
        assert_eq!(last_of(rules(Gaps::BetweenEpochs), &lost), Ok(()));
        let needless = Err(Violation::NeedlessGap { told: at(7, 9), at: at(8, 0) });
        assert_eq!(last_of(rules(Gaps::Nowhere), &between), needless);
    }

    #[test]
    fn what_is_found_at_the_end() {
        let ledger = ledger(ANY);
        assert_eq!(ledger.check(), (vec![], 12, 0));

        let mut checker = Checker::new(0);
        checker.hear(Item::Opening(NOWHERE), &ledger).unwrap();
        checker.hear(event(10), &ledger).unwrap();
        // What was accepted before it was told is not missing.
        assert_eq!(ledger.check().0, []);
        let mut checker = Checker::new(0);
        checker.hear(Item::Opening(NOWHERE), &ledger).unwrap();
        let (lost, next) = (ledger.begin(0, false), ledger.begin(0, false));
        ledger.accepted(0, lost, at(9, 1)).unwrap();
        ledger.accepted(0, next, at(10, 1)).unwrap();
        checker.hear(Item::Event { at: at(10, 1), number: next }, &ledger).unwrap();
        let missed = Violation::MissedBeforeFirst { number: lost, at: vec![at(9, 1)], epoch: 10 };
        assert_eq!(ledger.check(), (vec![missed], 14, 0));
    }

    #[test]
    fn events_that_are_stored_twice_or_against_what_was_said() {
        let ledger = Ledger::new(1, ANY);
        let (refused, unknown, twice, keyed) =
            (ledger.begin(0, false), ledger.begin(0, false), ledger.begin(0, false), ledger.begin(0, true));
        ledger.refused(0, refused);
        ledger.seen(0, unknown, at(7, 1)).unwrap();
        ledger.seen(0, keyed, at(7, 2)).unwrap();
        ledger.accepted(0, keyed, at(8, 1)).unwrap();
        ledger.accepted(0, twice, at(7, 3)).unwrap();
        assert_eq!(ledger.check(), (vec![], 2, 1));

        ledger.seen(0, refused, at(7, 4)).unwrap();
        assert_eq!(ledger.check().0, [Violation::StoredAfterRefusal { number: refused, at: at(7, 4) }]);
        let ledger = Ledger::new(1, ANY);
        let (twice, keyed) = (ledger.begin(0, false), ledger.begin(0, true));
        ledger.seen(0, twice, at(7, 1)).unwrap();
        ledger.seen(0, twice, at(8, 1)).unwrap();
        assert_eq!(ledger.check().0, [Violation::StoredTwice { number: twice, at: vec![at(7, 1), at(8, 1)] }]);
        ledger.seen(0, keyed, at(9, 1)).unwrap();
        ledger.seen(0, keyed, at(9, 2)).unwrap();
        assert_eq!(ledger.check().0.len(), 2);
    }
}
