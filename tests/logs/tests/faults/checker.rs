//! Checks what one reader gets, from its first connection to its last.

use crate::{
    item::Item,
    ledger::{Back, Gaps, Ledger},
    violation::Violation,
};
use eventwire_hub::StreamPosition;
use std::collections::HashMap;

/// A reader of one topic.
#[derive(Debug)]
pub(crate) struct Checker {
    topic: usize,
    /// The position that it was told last, which is its last event ID, and when.
    told: Option<(StreamPosition, u64)>,
    newest: Option<StreamPosition>,
    /// The number of the last event that it has had of each epoch.
    had: HashMap<u64, u64>,
    /// The epoch to which the last gap led, if that is a later one.
    entered: Option<u64>,
    pub(crate) events: usize,
    pub(crate) gaps: usize,
    /// How many of the events it has had before.
    pub(crate) again: usize,
}

/// The tail of a topic that there is not.
const NOWHERE: StreamPosition = StreamPosition::new(0, 0);

impl Checker {
    pub(crate) fn new(topic: usize) -> Checker {
        Checker { topic, told: None, newest: None, had: HashMap::new(), entered: None, events: 0, gaps: 0, again: 0 }
    }

    /// A reader that comes with an ID, which it has not got here.
    pub(crate) fn with_id(topic: usize, told: StreamPosition) -> Checker {
        Checker { told: Some((told, 0)), ..Checker::new(topic) }
    }

    pub(crate) fn topic(&self) -> usize {
        self.topic
    }

    pub(crate) fn told(&self) -> Option<StreamPosition> {
        self.told.map(|(told, _)| told)
    }

    /// Whether the reader knows of everything up to a position of the newest epoch.
    pub(crate) fn has_reached(&self, at: StreamPosition) -> bool {
        self.told().is_some_and(|told| told.epoch() == at.epoch() && told.sequence() >= at.sequence())
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
        told: StreamPosition,
        since: u64,
        at: StreamPosition,
        number: u64,
        ledger: &Ledger,
    ) -> Result<(), Violation> {
        self.events += 1;
        ledger.seen(self.topic, number, at)?;
        let had = self.had.entry(at.epoch()).or_default();
        let has_had = at.sequence() <= *had;
        *had = at.sequence().max(*had);
        self.again += usize::from(has_had);
        let newest = self.newest.replace(at);
        let is_double = match ledger.rules().back {
            Back::Never => newest.is_some_and(|newest| order(newest) >= order(at)),
            Back::ToUnread => has_had,
            Back::ToRead => has_had && self.entered != Some(at.epoch()),
        };
        if is_double {
            return Err(Violation::Double { had: newest, at });
        }
        if told == NOWHERE && at.sequence() == 1 {
            ledger.nothing_before(self.topic, since, at.epoch());
        } else if told.epoch() != at.epoch() || told.sequence() + 1 != at.sequence() {
            return Err(Violation::Hole { told, at });
        }
        Ok(())
    }

    fn gap(
        &mut self,
        told: StreamPosition,
        at: StreamPosition,
        missed: Option<u64>,
        ledger: &Ledger,
    ) -> Result<(), Violation> {
        self.gaps += 1;
        if told == at {
            return Err(Violation::GapForNothing { told, at });
        }
        // The log may have lost its end, or the topic.
        let count = if told.epoch() == at.epoch() { at.sequence().checked_sub(told.sequence()) } else { None };
        if missed != count && (told != NOWHERE || missed != Some(at.sequence())) {
            return Err(Violation::WrongCount { told, at, missed });
        }
        self.entered = (at.epoch() > told.epoch()).then_some(at.epoch());
        let rules = ledger.rules();
        let may_be = match rules.gaps {
            Gaps::Nowhere => false,
            // Of the other master, nobody knows what the reader has had.
            Gaps::BetweenEpochs if rules.back == Back::ToRead && at.epoch() < told.epoch() => true,
            Gaps::BetweenEpochs if told.epoch() != at.epoch() => at.sequence() == 0,
            // An epoch that has lost its end is over, too.
            Gaps::BetweenEpochs => at.sequence() < told.sequence(),
            Gaps::AtRemoved => ledger.are_removed(self.topic, told, at),
            Gaps::Anywhere => true,
        };
        if may_be { Ok(()) } else { Err(Violation::NeedlessGap { told, at }) }
    }
}

/// Epochs rise.
fn order(at: StreamPosition) -> (u64, u64) {
    (at.epoch(), at.sequence())
}

#[cfg(test)]
mod tests {
    use super::{Checker, NOWHERE};
    use crate::{
        item::Item,
        ledger::{Back, Gaps, Keys, Ledger, Rules},
        violation::Violation,
    };
    use eventwire_hub::StreamPosition;

    const ANY: Rules = Rules { gaps: Gaps::Anywhere, keys: Keys::LostWithEpoch, back: Back::Never };

    fn at(epoch: u64, sequence: u64) -> StreamPosition {
        StreamPosition::new(epoch, sequence)
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

    fn place(number: u64) -> StreamPosition {
        if number < 10 { at(7, number) } else { at(8, number - 9) }
    }

    fn event(number: u64) -> Item {
        Item::Event { at: place(number), number }
    }

    fn gap(at: StreamPosition, missed: Option<u64>) -> Item {
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
        let double = |had, at| Err(Violation::Double { had: Some(had), at });
        for back in [Back::Never, Back::ToUnread, Back::ToRead] {
            let rules = Rules { back, ..ANY };
            let found = last_of(rules, &[opened, event(1), event(2), event(2)]);
            assert_eq!(found, double(at(7, 2), at(7, 2)));
            let found = last_of(rules, &[opened, event(1), event(2), gap(at(7, 1), None), event(2)]);
            assert_eq!(found, double(at(7, 2), at(7, 2)));
        }
    }

    #[test]
    fn a_reader_that_is_sent_back() {
        let sent_back = [Item::Opening(at(8, 0)), event(10), gap(at(7, 0), None), event(1)];
        let again = [&sent_back[..], &[gap(at(8, 0), None), event(10)]].concat();
        for (back, to_unread, to_read) in
            [(Back::Never, false, false), (Back::ToUnread, true, false), (Back::ToRead, true, true)]
        {
            let rules = Rules { back, ..ANY };
            assert_eq!(last_of(rules, &sent_back).is_ok(), to_unread);
            if to_unread {
                assert_eq!(last_of(rules, &again).is_ok(), to_read);
            }
            // To events that it has read of the master before.
            let twice = [&again[..], &[gap(at(7, 0), None), event(1)]].concat();
            if to_read {
                let found = last_of(rules, &twice);
                assert_eq!(found, Err(Violation::Double { had: Some(at(8, 1)), at: at(7, 1) }));
            }
        }
    }

    #[test]
    fn a_newest_position_that_is_reached() {
        let (ledger, mut checker) = (ledger(ANY), Checker::new(0));
        assert!(!checker.has_reached(at(7, 0)));
        checker.hear(Item::Opening(at(7, 2)), &ledger).unwrap();
        assert!(checker.has_reached(at(7, 1)) && checker.has_reached(at(7, 2)) && !checker.has_reached(at(7, 3)));
        assert!(!checker.has_reached(at(6, 1)), "it does not follow the topic where it is now");
    }

    /// It has missed nothing but what it cannot say.
    #[test]
    fn a_reader_with_an_id_of_its_own() {
        let (ledger, mut checker) = (ledger(ANY), Checker::with_id(0, at(9, 5)));
        checker.hear(Item::Opening(at(9, 5)), &ledger).unwrap();
        checker.hear(gap(at(7, 0), None), &ledger).unwrap();
        checker.hear(event(1), &ledger).unwrap();
        let mut checker = Checker::with_id(0, at(9, 5));
        checker.hear(Item::Opening(at(9, 5)), &ledger).unwrap();
        assert_eq!(checker.hear(event(1), &ledger), Err(Violation::Hole { told: at(9, 5), at: at(7, 1) }));
    }

    #[test]
    fn a_gap_where_events_were_removed() {
        let rules = Rules { gaps: Gaps::AtRemoved, ..ANY };
        let check = |removed: &[u64], to, missed| {
            let (ledger, mut checker) = (ledger(rules), Checker::new(0));
            removed.iter().for_each(|number| ledger.remove(0, at(7, *number)));
            checker.hear(Item::Opening(at(7, 1)), &ledger).unwrap();
            checker.hear(gap(to, missed), &ledger)
        };
        assert_eq!(check(&[2, 3], at(7, 3), Some(2)), Ok(()));
        let needless = |to| Err(Violation::NeedlessGap { told: at(7, 1), at: to });
        assert_eq!(check(&[2], at(7, 3), Some(2)), needless(at(7, 3)));
        assert_eq!(check(&[3], at(7, 3), Some(2)), needless(at(7, 3)));
        assert_eq!(check(&[1], at(7, 0), None), needless(at(7, 0)));
        assert_eq!(check(&[2, 3], at(8, 0), None), needless(at(8, 0)));
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
        let too_far = [Item::Opening(at(7, 9)), gap(at(8, 1), None)];
        let needless = Err(Violation::NeedlessGap { told: at(7, 9), at: at(8, 1) });
        assert_eq!(last_of(rules(Gaps::BetweenEpochs), &too_far), needless);
        let other = [Item::Opening(at(8, 3)), gap(at(7, 5), None)];
        let needless = Err(Violation::NeedlessGap { told: at(8, 3), at: at(7, 5) });
        assert_eq!(last_of(rules(Gaps::BetweenEpochs), &other), needless);
        assert_eq!(last_of(Rules { back: Back::ToRead, ..rules(Gaps::BetweenEpochs) }, &other), Ok(()));
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
