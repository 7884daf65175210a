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
    pub(crate) topic: usize,
    /// The position that it was told last, which is its last event ID, and the number of the ledger at that time.
    told: Option<(StreamPosition, u64)>,
    newest: Option<StreamPosition>,
    /// The number of the last event that it has had of each epoch.
    had: HashMap<u64, u64>,
    /// The epoch to which the last gap led, if that is a later one.
    entered: Option<u64>,
    pub(crate) events: usize,
    pub(crate) gaps: usize,
}

/// The tail of a topic that there is not.
const NOWHERE: StreamPosition = StreamPosition::new(0, 0);

impl Checker {
    pub(crate) fn new(topic: usize) -> Checker {
        Checker { topic, told: None, newest: None, had: HashMap::new(), entered: None, events: 0, gaps: 0 }
    }

    /// A reader that comes with an ID, which it has not got here.
    pub(crate) fn with_id(self, told: StreamPosition) -> Checker {
        Checker { told: Some((told, 0)), ..self }
    }

    pub(crate) fn told(&self) -> Option<StreamPosition> {
        self.told.map(|(told, _)| told)
    }

    /// Whether the reader knows of everything up to a position of the newest epoch.
    pub(crate) fn has_reached(&self, at: StreamPosition) -> bool {
        self.told().is_some_and(|told| told.epoch() == at.epoch() && told.sequence() >= at.sequence())
    }

    /// Takes the next block of a stream of one topic, or of several, each of which has a checker.
    pub(crate) fn hear_block(checkers: &mut [Checker], block: &[u8], ledger: &Ledger) -> Result<(), Violation> {
        let topics: Vec<_> = checkers.iter().map(|checker| checker.topic).collect();
        let told: Vec<_> = checkers.iter().map(Checker::told).collect();
        let mut items = Item::read(block, &topics, &told)?.into_iter();
        items.try_for_each(|(index, item)| checkers[index].hear(item, ledger))
    }

    /// Takes the next item. After a violation, it goes on from there.
    pub(crate) fn hear(&mut self, item: Item, ledger: &Ledger) -> Result<(), Violation> {
        let (Item::Opening(at) | Item::Event { at, .. } | Item::Gap { at, .. }) = item;
        let told = self.told.replace((at, ledger.next_number()));
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
        let newest = self.newest.replace(at);
        let is_double = match ledger.rules.back {
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
        let may_be = match ledger.rules.gaps {
            Gaps::Nowhere => false,
            // Of the other master, nobody knows what the reader has had.
            Gaps::BetweenEpochs if ledger.rules.back == Back::ToRead && at.epoch() < told.epoch() => true,
            Gaps::BetweenEpochs if told.epoch() != at.epoch() => at.sequence() == 0,
            // An epoch that has lost its end is over, too. A hub that was started before may know how far it went.
            Gaps::BetweenEpochs => at.sequence() < told.sequence() || ledger.gap_inside(self.topic, told, at),
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
        ledger::{Back, Gaps, Keys, Ledger, Outcome, Rules},
        violation::Violation,
    };
    use eventwire_hub::StreamPosition;

    const ANY: Rules = Rules { gaps: Gaps::Anywhere, keys: Keys::LostWithEpoch, back: Back::Never };
    const BETWEEN_EPOCHS: Rules = Rules { gaps: Gaps::BetweenEpochs, ..ANY };

    fn at(epoch: u64, sequence: u64) -> StreamPosition {
        StreamPosition::new(epoch, sequence)
    }

    /// A ledger in which the events 1 to 9 are at the positions 7-1 to 7-9, and the events 10 to 12 at 8-1 to 8-3.
    fn ledger(rules: Rules) -> Ledger {
        let ledger = Ledger::new(1, rules);
        for number in 1..=12 {
            assert_eq!(ledger.begin(0, false), number);
            ledger.answered(0, number, Outcome::Accepted(place(number))).unwrap();
        }
        ledger
    }

    fn place(number: u64) -> StreamPosition {
        if number < 10 { at(7, number) } else { at(8, number - 9) }
    }

    fn open(epoch: u64, sequence: u64) -> Item {
        Item::Opening(at(epoch, sequence))
    }

    fn event(number: u64) -> Item {
        Item::Event { at: place(number), number }
    }

    fn gap(at: StreamPosition, missed: impl Into<Option<u64>>) -> Item {
        Item::Gap { at, missed: missed.into() }
    }

    /// Checks what is found at the last item, and that nothing is found before it.
    #[track_caller]
    fn check(rules: Rules, items: &[Item], expected: Result<(), Violation>) {
        let (ledger, mut checker) = (ledger(rules), Checker::new(0));
        let (last, before) = items.split_last().unwrap();
        for item in before {
            assert_eq!(checker.hear(*item, &ledger), Ok(()), "{item:?}");
        }
        assert_eq!(checker.hear(*last, &ledger), expected, "{last:?}");
    }

    #[test]
    fn a_reader_that_gets_everything() {
        let items = [open(7, 0), event(1), event(2), open(7, 2), gap(at(7, 5), 3)];
        check(ANY, &items, Ok(()));
        check(ANY, &[&items[..], &[event(6), gap(at(8, 0), None), event(10), event(11)]].concat(), Ok(()));
        // More is lost after a gap was told.
        check(ANY, &[open(7, 9), gap(at(7, 5), None), gap(NOWHERE, None)], Ok(()));
        check(ANY, &[open(0, 0), event(1)], Ok(()));
    }

    #[test]
    fn a_double() {
        let double = || Err(Violation::Double { had: Some(at(7, 2)), at: at(7, 2) });
        for back in [Back::Never, Back::ToUnread, Back::ToRead] {
            let rules = Rules { back, ..ANY };
            check(rules, &[open(7, 0), event(1), event(2), event(2)], double());
            check(rules, &[open(7, 0), event(1), event(2), gap(at(7, 1), None), event(2)], double());
        }
    }

    #[test]
    fn a_reader_that_is_sent_back() {
        let double = |had, at| Err(Violation::Double { had: Some(had), at });
        let sent_back = [open(8, 0), event(10), gap(at(7, 0), None), event(1)];
        let again = [&sent_back[..], &[gap(at(8, 0), None), event(10)]].concat();
        // To events that it has read of the master before.
        let twice = [&again[..], &[gap(at(7, 0), None), event(1)]].concat();
        let rules = |back| Rules { back, ..ANY };
        check(rules(Back::Never), &sent_back, double(at(8, 1), at(7, 1)));
        check(rules(Back::ToUnread), &sent_back, Ok(()));
        check(rules(Back::ToUnread), &again, double(at(7, 1), at(8, 1)));
        check(rules(Back::ToRead), &again, Ok(()));
        check(rules(Back::ToRead), &twice, double(at(8, 1), at(7, 1)));
    }

    #[test]
    fn a_newest_position_that_is_reached() {
        let (ledger, mut checker) = (ledger(ANY), Checker::new(0));
        assert!(!checker.has_reached(at(7, 0)));
        checker.hear(open(7, 2), &ledger).unwrap();
        assert!(checker.has_reached(at(7, 1)) && checker.has_reached(at(7, 2)) && !checker.has_reached(at(7, 3)));
        assert!(!checker.has_reached(at(6, 1)), "it does not follow the topic where it is now");
    }

    /// It has missed nothing but what it cannot say.
    #[test]
    fn a_reader_with_an_id_of_its_own() {
        let hole = Err(Violation::Hole { told: at(9, 5), at: at(7, 1) });
        for (items, expected) in [(vec![gap(at(7, 0), None), event(1)], Ok(())), (vec![event(1)], hole)] {
            let (ledger, mut checker) = (ledger(ANY), Checker::new(0).with_id(at(9, 5)));
            checker.hear(open(9, 5), &ledger).unwrap();
            let found: Result<(), _> = items.into_iter().try_for_each(|item| checker.hear(item, &ledger));
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_gap_where_events_were_removed() {
        let check = |removed: &[u64], to, missed, may_be: bool| {
            let (ledger, mut checker) = (ledger(Rules { gaps: Gaps::AtRemoved, ..ANY }), Checker::new(0));
            removed.iter().for_each(|number| ledger.remove(0, at(7, *number)));
            checker.hear(open(7, 1), &ledger).unwrap();
            let needless = Err(Violation::NeedlessGap { told: at(7, 1), at: to });
            assert_eq!(checker.hear(gap(to, missed), &ledger), if may_be { Ok(()) } else { needless });
        };
        check(&[2, 3], at(7, 3), Some(2), true);
        check(&[2], at(7, 3), Some(2), false);
        check(&[3], at(7, 3), Some(2), false);
        check(&[1], at(7, 0), None, false);
        check(&[2, 3], at(8, 0), None, false);
    }

    #[test]
    fn a_hole() {
        let hole = |told, at| Err(Violation::Hole { told, at });
        check(ANY, &[open(7, 0), event(1), event(3)], hole(at(7, 1), at(7, 3)));
        check(ANY, &[open(7, 9), event(10)], hole(at(7, 9), at(8, 1)));
        check(ANY, &[open(0, 0), event(2)], hole(NOWHERE, at(7, 2)));
        check(ANY, &[open(7, 0), gap(at(7, 2), 2), event(4)], hole(at(7, 2), at(7, 4)));
    }

    #[test]
    fn a_wrong_count() {
        for (to, missed) in [(at(7, 3), Some(1)), (at(7, 3), Some(3)), (at(7, 3), None), (at(8, 3), Some(3))] {
            let wrong = Violation::WrongCount { told: at(7, 1), at: to, missed };
            check(ANY, &[open(7, 1), gap(to, missed)], Err(wrong));
        }
    }

    #[test]
    fn an_event_that_nobody_has_sent() {
        let made_up = Violation::MadeUp { number: 13, at: at(7, 1) };
        check(ANY, &[open(7, 0), Item::Event { at: at(7, 1), number: 13 }], Err(made_up));
        let two = Violation::TwoAtOnePosition { at: at(7, 1), numbers: [1, 2] };
        check(ANY, &[open(7, 0), Item::Event { at: at(7, 1), number: 2 }], Err(two));
    }

    #[test]
    fn an_opening_out_of_place() {
        let wrong = |told, at| Err(Violation::WrongOpening { told, at });
        check(ANY, &[event(1)], wrong(None, at(7, 1)));
        check(ANY, &[open(7, 0), event(1), open(7, 2)], wrong(Some(at(7, 1)), at(7, 2)));
    }

    #[test]
    fn a_gap_out_of_place() {
        let needless = |told, at| Err(Violation::NeedlessGap { told, at });
        let nothing = Violation::GapForNothing { told: at(7, 1), at: at(7, 1) };
        check(ANY, &[open(7, 1), gap(at(7, 1), 0)], Err(nothing));
        check(BETWEEN_EPOCHS, &[open(7, 1), gap(at(7, 3), 2)], needless(at(7, 1), at(7, 3)));
        check(BETWEEN_EPOCHS, &[open(7, 9), gap(at(8, 0), None)], Ok(()));
        check(BETWEEN_EPOCHS, &[open(7, 9), gap(at(8, 1), None)], needless(at(7, 9), at(8, 1)));
        // The epoch has lost its end.
        check(BETWEEN_EPOCHS, &[open(7, 9), gap(at(7, 5), None)], Ok(()));
        let other = [open(8, 3), gap(at(7, 5), None)];
        check(BETWEEN_EPOCHS, &other, needless(at(8, 3), at(7, 5)));
        check(Rules { back: Back::ToRead, ..BETWEEN_EPOCHS }, &other, Ok(()));
        let (ledger, mut checker) = (ledger(BETWEEN_EPOCHS), Checker::new(0));
        checker.hear(open(7, 1), &ledger).unwrap();
        ledger.lose(0);
        assert_eq!(checker.hear(gap(at(7, 3), 2), &ledger), Ok(()), "what was lost");
        assert_eq!(ledger.check().0, vec![]);
        checker.hear(gap(at(8, 0), None), &ledger).unwrap();
        checker.hear(gap(at(8, 2), 2), &ledger).unwrap();
        assert_eq!(ledger.check().0, vec![Violation::NeedlessGap { told: at(8, 0), at: at(8, 2) }], "it is not over");
        let nowhere = Rules { gaps: Gaps::Nowhere, ..ANY };
        check(nowhere, &[open(7, 9), gap(at(8, 0), None)], needless(at(7, 9), at(8, 0)));
    }

    #[test]
    fn an_event_that_was_missed_before_the_first() {
        let ledger = ledger(ANY);
        let mut checker = Checker::new(0);
        checker.hear(open(0, 0), &ledger).unwrap();
        checker.hear(event(10), &ledger).unwrap();
        assert_eq!(ledger.check(), (vec![], 12), "what was accepted before it was told is not missing");

        let mut checker = Checker::new(0);
        checker.hear(open(0, 0), &ledger).unwrap();
        let (lost, next) = (ledger.begin(0, false), ledger.begin(0, false));
        ledger.answered(0, lost, Outcome::Accepted(at(9, 1))).unwrap();
        ledger.answered(0, next, Outcome::Accepted(at(10, 1))).unwrap();
        checker.hear(Item::Event { at: at(10, 1), number: next }, &ledger).unwrap();
        let missed = Violation::MissedBeforeFirst { number: lost, at: vec![at(9, 1)], epoch: 10 };
        assert_eq!(ledger.check(), (vec![missed], 14));
    }

    #[test]
    fn events_that_are_stored_twice_or_against_what_was_said() {
        let check = |has_key, outcome, positions: &[StreamPosition], expected: Option<Violation>| {
            let ledger = Ledger::new(1, ANY);
            let number = ledger.begin(0, has_key);
            ledger.answered(0, number, outcome).unwrap();
            positions.iter().for_each(|at| ledger.seen(0, number, *at).unwrap());
            assert_eq!(ledger.check().0, Vec::from_iter(expected));
        };
        let (accepted, twice) = (Outcome::Accepted(at(7, 1)), [at(7, 1), at(8, 1)]);
        let stored_twice = |at: [StreamPosition; 2]| Some(Violation::StoredTwice { number: 1, at: at.into() });
        check(false, Outcome::Refused, &[], None);
        check(false, Outcome::Refused, &[at(7, 1)], Some(Violation::StoredAfterRefusal { number: 1, at: at(7, 1) }));
        check(false, Outcome::Unknown, &[at(7, 1)], None);
        check(false, accepted, &[at(7, 1)], None);
        check(false, accepted, &twice, stored_twice(twice));
        check(true, accepted, &twice, None);
        check(true, accepted, &[at(7, 1), at(7, 2)], stored_twice([at(7, 1), at(7, 2)]));
    }
}
