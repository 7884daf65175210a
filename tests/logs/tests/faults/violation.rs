//! What must not happen.

use eventwire_hub::Position;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Violation {
    /// The stream has something that a hub does not send.
    Unreadable(String),
    /// The first item says no position, or another one than the reader's.
    WrongOpening {
        told: Option<Position>,
        at: Position,
    },
    /// Nobody has sent this event to the topic.
    MadeUp {
        number: u64,
        at: Position,
    },
    TwoAtOnePosition {
        at: Position,
        numbers: [u64; 2],
    },
    /// An event that the reader has had, or one before it.
    Double {
        had: Option<Position>,
        at: Position,
    },
    /// Something is missing, and the reader was not told.
    Hole {
        told: Position,
        at: Position,
    },
    WrongCount {
        told: Position,
        at: Position,
        missed: Option<u64>,
    },
    /// A gap at which nothing can be missing.
    GapForNothing {
        told: Position,
        at: Position,
    },
    /// A gap where everything is kept.
    NeedlessGap {
        told: Position,
        at: Position,
    },
    /// An event was stored, although the error said that it was not.
    StoredAfterRefusal {
        number: u64,
        at: Position,
    },
    StoredTwice {
        number: u64,
        at: Vec<Position>,
    },
    /// A reader was told that there is no topic, and that it has everything up to the first event of an epoch. But an
    /// event was accepted in between.
    MissedBeforeFirst {
        number: u64,
        at: Vec<Position>,
        epoch: u64,
    },
    /// A reader that did not get the newest event in time.
    Stuck(String),
    /// A stream that ended without reason, or did not end.
    End(String),
}
