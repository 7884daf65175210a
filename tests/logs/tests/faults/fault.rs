//! What goes wrong, and the runs in which it does.

use crate::ledger::{Back, Gaps, Keys, Rules};
use eventwire_log_tests::SmallDisk;
use std::{
    collections::BTreeSet,
    io::{self, Write},
    path::Path,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Fault {
    // Of any engine:
    /// `SIGKILL` of a hub, or its end, and a start of another one.
    KillHub,
    /// `SIGKILL` of all hubs at once.
    KillAll,
    /// More events than are kept, at once.
    Trim,
    /// All about a topic is removed.
    RemoveTopic,
    /// A topic that nobody has written to is created and removed, while some readers wait for it without wake-ups.
    ComeAndGo,
    /// Topics end, are removed and go on, while some readers have them in one stream with others.
    GoOn,

    // Of a server behind proxies:
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

    // Of Redis:
    /// The replica becomes a master, and the old master remains one. Some hubs stay with it.
    Divide,
    /// After a snapshot, which has epochs of the future, the server starts from it twice.
    SetClockBack,
    /// `CLIENT KILL TYPE pubsub`.
    KillPubSub,
    /// `CLIENT PAUSE`.
    Pause,
    FlushAll,
    UnlinkStream,
    UnlinkMeta,
    /// `XDEL` of any events.
    Remove,
    /// More is published than Redis keeps for a client that does not read.
    Overflow,
    /// Redis removes keys, because its memory is full.
    Evict,

    // Of databases:
    /// Another program appends by SQL, takes back what it has appended, or is killed.
    OtherProgram,
    /// Another program does not end its transaction for a while.
    HoldLock,
    FullDisk,

    // Of SQLite:
    /// A copy takes the place of the file. It was made while hubs wrote.
    CopyFile,
    /// A copy is written over the file.
    RestoreInPlace,

    // Of Postgres:
    /// `pg_terminate_backend` of all.
    TerminateBackends,
    /// A dump of the database is restored as another one.
    Restore,
}

impl Fault {
    /// Whether it can happen during another one.
    pub(crate) fn is_brief(self) -> bool {
        matches!(self, Fault::Reset | Fault::HalfClose | Fault::CutInsideReply | Fault::KillHub)
    }
}

/// A run: how the engine is started, which faults there are, and what they may do.
#[derive(Debug)]
pub(crate) struct Profile {
    pub(crate) name: &'static str,
    /// For the engine.
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

pub(crate) const ALL_KEPT: Rules = Rules { gaps: Gaps::Nowhere, keys: Keys::Kept, back: Back::Never };

/// An epoch can be over.
pub(crate) const LOST: Rules = Rules { gaps: Gaps::BetweenEpochs, keys: Keys::LostWithEpoch, ..ALL_KEPT };

pub(crate) const USUAL: Profile =
    Profile { name: "", options: &[], faults: &[], rules: ALL_KEPT, max_events: 10_000, padding: 0, topics: 4 };

/// Says that a run is left out. Unlike `eprintln`, this is also seen if the test passes.
pub(crate) fn skip(profile: &Profile, why: &str) {
    let _ = writeln!(io::stderr(), "SKIPPED {:?}: {why}", profile.name);
}

/// A disk of a run that can be full.
pub(crate) fn small_disk(profile: &Profile, folder: &Path) -> Option<SmallDisk> {
    let disk = SmallDisk::mount(folder, "size=64m");
    if disk.is_none() {
        skip(profile, "no right to mount a small disk");
    }
    disk
}
