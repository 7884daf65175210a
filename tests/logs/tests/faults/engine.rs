//! What a run needs of an engine.

use crate::{
    fault::{Fault, Profile},
    run::Run,
};
use eventwire_hub::StreamPosition;
use tokio::runtime::Handle;

/// What stores the events of a run.
pub(crate) trait Engine: Sized {
    const PROFILES: &'static [Profile];

    /// An ID that is not one of this log, and after which it finds every event.
    const STRANGE: StreamPosition;

    /// `None`, and a line on the standard error, if something is not installed or allowed.
    fn start(profile: &Profile, runtime: &Handle) -> Option<Self>;

    /// Where a server listens, if there is one. Each hub then has a proxy in front of it.
    fn port(&self) -> Option<u16>;

    /// What a hub opens, through a proxy if it has one: see `Log`.
    fn address(&self, port: Option<u16>) -> String;

    /// Removes all about some topics, and perhaps about all.
    fn remove_topics(run: &mut Run<Self>, numbers: &[usize]);

    /// Lets one of the engine's own faults happen, and mends what it has broken. Returns whether it was one.
    fn happen(run: &mut Run<Self>, fault: Fault, second: Option<Fault>) -> bool;
}
