//! What must not happen.

use eventwire_hub::StreamPosition;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Violation {
    /// The stream has something that a hub does not send.
    Unreadable(String),
    /// The first item says no position, or another one than the reader's.
    WrongOpening {
        told: Option<StreamPosition>,
        at: StreamPosition,
    },
    /// Nobody has sent this event to the topic.
    MadeUp {
        number: u64,
        at: StreamPosition,
    },
    TwoAtOnePosition {
        at: StreamPosition,
        numbers: [u64; 2],
    },
    /// An event that the reader has had, or one before it.
    Double {
        had: Option<StreamPosition>,
        at: StreamPosition,
    },
    /// Something is missing, and the reader was not told.
    Hole {
        told: StreamPosition,
        at: StreamPosition,
    },
    WrongCount {
        told: StreamPosition,
        at: StreamPosition,
        missed: Option<u64>,
    },
    /// A gap at which nothing can be missing.
    GapForNothing {
        told: StreamPosition,
        at: StreamPosition,
    },
    /// A gap where everything is kept.
    NeedlessGap {
        told: StreamPosition,
        at: StreamPosition,
    },
    /// An event was stored, although the error said that it was not.
    StoredAfterRefusal {
        number: u64,
        at: StreamPosition,
    },
    StoredTwice {
        number: u64,
        at: Vec<StreamPosition>,
    },
    /// A reader was told that there is no topic, and that it has everything up to the first event of an epoch. But an
    /// event was accepted in between.
    MissedBeforeFirst {
        number: u64,
        at: Vec<StreamPosition>,
        epoch: u64,
    },
    /// A reader that did not get the newest event in time.
    Stuck(String),
    /// A stream that ended without reason, or did not end.
    End(String),
}
