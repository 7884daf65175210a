//! What goes wrong, and the runs in which it does.

use crate::ledger::{Back, Gaps, Keys, Rules};
use std::collections::BTreeSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Fault {
    /// A proxy resets its connections.
    Reset,
    HalfClose,
    Stall,
    /// The same, only for connections with a subscription.
    StallWakes,
    Delay,
    CutInsideReply,
    RefuseConnections,
    /// A connection stays open, and nothing arrives any more.
    Silence,
    /// `SIGKILL` of the server, and a restart.
    KillServer,
    /// The replica becomes the master, without what it has not got.
    Promote,
    /// The replica becomes a master, and the old master remains one. Some hubs stay with it.
    Divide,
    /// After a snapshot, which has epochs of the future, the server starts from it twice.
    SetClockBack,
    /// `CLIENT KILL TYPE pubsub`.
    KillPubSub,
    /// `CLIENT PAUSE`.
    Pause,
    FlushAll,
    /// A topic that nobody has written to is created and flushed, while some readers wait for it without wake-ups.
    ComeAndGo,
    /// Topics end, are removed and go on, while some readers have them in one stream with others.
    GoOn,
    UnlinkStream,
    UnlinkMeta,
    /// `XDEL` of any events.
    Remove,
    /// More is published than Redis keeps for a client that does not read.
    Overflow,
    /// Redis removes keys, because its memory is full.
    Evict,
    /// More events than are kept, at once.
    Trim,
    KillHub,
}

impl Fault {
    /// Whether it can happen during another one.
    pub(crate) fn is_brief(self) -> bool {
        matches!(self, Fault::Reset | Fault::HalfClose | Fault::CutInsideReply | Fault::KillHub)
    }
}

/// A run: how the server is started, which faults there are, and what they may do.
#[derive(Debug)]
pub(crate) struct Profile {
    pub(crate) name: &'static str,
    pub(crate) options: &'static [&'static str],
    /// One that is there twice happens twice as often.
    pub(crate) faults: &'static [Fault],
    pub(crate) rules: Rules,
    pub(crate) max_events: usize,
    pub(crate) padding: usize,
    pub(crate) topics: usize,
}

impl Profile {
    /// Returns each fault once.
    pub(crate) fn kinds(&self) -> Vec<Fault> {
        BTreeSet::from_iter(self.faults.iter().copied()).into_iter().collect()
    }

    pub(crate) fn has(&self, fault: Fault) -> bool {
        self.faults.contains(&fault)
    }
}

const ALL_KEPT: Rules = Rules { gaps: Gaps::Nowhere, keys: Keys::Kept, back: Back::Never };

const USUAL: Profile =
    Profile { name: "", options: &[], faults: &[], rules: ALL_KEPT, max_events: 10_000, padding: 0, topics: 4 };

pub(crate) const PROFILES: [Profile; 12] = [
    Profile {
        name: "connections",
        faults: &[
            Fault::Reset,
            Fault::HalfClose,
            Fault::Stall,
            Fault::StallWakes,
            Fault::Delay,
            Fault::CutInsideReply,
            Fault::RefuseConnections,
            Fault::KillPubSub,
            Fault::Pause,
            Fault::KillHub,
            Fault::Silence,
        ],
        ..USUAL
    },
    Profile {
        name: "nothing on disk",
        faults: &[
            Fault::KillServer,
            Fault::FlushAll,
            Fault::UnlinkStream,
            Fault::UnlinkMeta,
            Fault::KillServer,
            Fault::FlushAll,
            Fault::CutInsideReply,
            Fault::Stall,
            Fault::KillHub,
        ],
        rules: Rules { gaps: Gaps::Anywhere, keys: Keys::LostWithEpoch, ..ALL_KEPT },
        ..USUAL
    },
    Profile {
        name: "appendfsync everysec",
        options: &["--appendonly", "yes", "--appendfsync", "everysec"],
        faults: &[Fault::KillServer, Fault::CutInsideReply, Fault::KillHub],
        rules: Rules { gaps: Gaps::BetweenEpochs, keys: Keys::LostWithEpoch, ..ALL_KEPT },
        ..USUAL
    },
    Profile {
        name: "appendfsync always",
        options: &["--appendonly", "yes", "--appendfsync", "always"],
        faults: &[Fault::KillServer, Fault::Reset, Fault::KillPubSub],
        rules: Rules { gaps: Gaps::BetweenEpochs, ..ALL_KEPT },
        ..USUAL
    },
    Profile {
        name: "a replica",
        faults: &[Fault::Promote, Fault::UnlinkMeta, Fault::Promote, Fault::CutInsideReply],
        rules: Rules { gaps: Gaps::BetweenEpochs, keys: Keys::LostWithEpoch, ..ALL_KEPT },
        ..USUAL
    },
    Profile {
        name: "small output buffers",
        options: &["--client-output-buffer-limit", "pubsub 64kb 32kb 1"],
        faults: &[Fault::Overflow, Fault::Overflow, Fault::KillPubSub, Fault::KillHub],
        padding: 4000,
        topics: 2,
        ..USUAL
    },
    Profile {
        name: "little memory",
        options: &["--maxmemory-policy", "allkeys-lru"],
        faults: &[Fault::Evict, Fault::Evict, Fault::Reset, Fault::KillHub],
        rules: Rules { gaps: Gaps::Anywhere, keys: Keys::Lost, ..ALL_KEPT },
        padding: 500,
        topics: 8,
        ..USUAL
    },
    Profile {
        name: "16 events",
        options: &["--stream-node-max-entries", "10"],
        faults: &[Fault::Trim, Fault::Trim, Fault::Stall, Fault::Pause, Fault::KillHub],
        rules: Rules { gaps: Gaps::Anywhere, ..ALL_KEPT },
        max_events: 16,
        ..USUAL
    },
    Profile {
        name: "topics that come and go",
        faults: &[Fault::ComeAndGo, Fault::GoOn, Fault::FlushAll, Fault::CutInsideReply],
        rules: Rules { gaps: Gaps::BetweenEpochs, keys: Keys::LostWithEpoch, ..ALL_KEPT },
        ..USUAL
    },
    Profile {
        name: "events that are removed",
        faults: &[Fault::Remove, Fault::Remove, Fault::KillHub],
        rules: Rules { gaps: Gaps::AtRemoved, ..ALL_KEPT },
        ..USUAL
    },
    Profile {
        name: "a clock that is set back",
        faults: &[Fault::SetClockBack, Fault::KillServer, Fault::KillHub],
        rules: Rules { gaps: Gaps::BetweenEpochs, keys: Keys::LostWithEpoch, back: Back::ToUnread },
        ..USUAL
    },
    Profile {
        name: "two masters",
        faults: &[Fault::Divide, Fault::CutInsideReply, Fault::KillHub],
        rules: Rules { gaps: Gaps::BetweenEpochs, keys: Keys::LostWithEpoch, back: Back::ToRead },
        ..USUAL
    },
];
