//! What goes wrong, and the runs in which it does.

use crate::ledger::{Gaps, Keys, Rules};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Fault {
    /// A proxy resets its connections.
    Reset,
    HalfClose,
    Stall,
    Delay,
    CutInsideReply,
    RefuseConnections,
    /// A connection stays open, and nothing arrives any more.
    Swallow,
    /// `SIGKILL` of the server, and a restart.
    KillServer,
    /// The replica becomes the master, without what it has not got.
    Promote,
    /// `CLIENT KILL TYPE pubsub`.
    KillPubSub,
    /// `CLIENT PAUSE`.
    Pause,
    FlushAll,
    UnlinkStream,
    UnlinkMeta,
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

/// A run: how the server is set up, which faults there are, and what they may do.
#[derive(Debug)]
pub(crate) struct Profile {
    pub(crate) name: &'static str,
    pub(crate) options: &'static [&'static str],
    pub(crate) has_replica: bool,
    pub(crate) faults: &'static [Fault],
    pub(crate) rules: Rules,
    pub(crate) max_events: usize,
    pub(crate) padding: usize,
    pub(crate) topics: usize,
}

const ALL_KEPT: Rules = Rules { gaps: Gaps::Nowhere, keys: Keys::Kept };

const USUAL: Profile = Profile {
    name: "",
    options: &[],
    has_replica: false,
    faults: &[],
    rules: ALL_KEPT,
    max_events: 10_000,
    padding: 0,
    topics: 4,
};

pub(crate) const PROFILES: [Profile; 8] = [
    Profile {
        name: "connections",
        faults: &[
            Fault::Reset,
            Fault::HalfClose,
            Fault::Stall,
            Fault::Delay,
            Fault::CutInsideReply,
            Fault::RefuseConnections,
            Fault::KillPubSub,
            Fault::Pause,
            Fault::KillHub,
            Fault::Swallow,
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
        rules: Rules { gaps: Gaps::Anywhere, keys: Keys::LostWithEpoch },
        ..USUAL
    },
    Profile {
        name: "appendfsync everysec",
        options: &["--appendonly", "yes", "--appendfsync", "everysec"],
        faults: &[Fault::KillServer, Fault::CutInsideReply, Fault::KillHub],
        rules: Rules { gaps: Gaps::BetweenEpochs, keys: Keys::LostWithEpoch },
        ..USUAL
    },
    Profile {
        name: "appendfsync always",
        options: &["--appendonly", "yes", "--appendfsync", "always"],
        faults: &[Fault::KillServer, Fault::Reset, Fault::KillPubSub],
        rules: Rules { gaps: Gaps::BetweenEpochs, keys: Keys::Kept },
        ..USUAL
    },
    Profile {
        name: "a replica",
        options: &["--repl-diskless-sync-delay", "0"],
        has_replica: true,
        faults: &[Fault::Promote, Fault::UnlinkMeta, Fault::Promote, Fault::CutInsideReply],
        rules: Rules { gaps: Gaps::BetweenEpochs, keys: Keys::LostWithEpoch },
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
        rules: Rules { gaps: Gaps::Anywhere, keys: Keys::Lost },
        padding: 500,
        topics: 8,
        ..USUAL
    },
    Profile {
        name: "16 events",
        options: &["--stream-node-max-entries", "10"],
        faults: &[Fault::Trim, Fault::Trim, Fault::Stall, Fault::Pause, Fault::KillHub],
        rules: Rules { gaps: Gaps::Anywhere, keys: Keys::Kept },
        max_events: 16,
        ..USUAL
    },
];
