//! What readers get while engines, connections and hubs fail.
//!
//! `EVENTWIRE_FAULTS` sets how many faults each engine has, `EVENTWIRE_SEED` which ones, and `EVENTWIRE_PROFILE`
//! restricts them to one run. `EVENTWIRE_READERS` sets how many readers one process has.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod checker;
mod client;
mod engine;
mod fault;
mod hub_server;
mod hubs;
mod item;
mod ledger;
mod many_readers;
mod other_program;
mod postgres;
mod random;
mod redis;
mod report;
mod run;
mod sqlite;
mod subscriptions;
mod violation;

use crate::{engine::Engine, postgres::Postgres, redis::Redis, report::Report, run::Run, sqlite::Sqlite};
use std::{
    env,
    sync::{PoisonError, RwLock},
    time::{Duration, Instant},
};

/// How long to wait for what does not depend on the hub.
const PATIENCE: Duration = Duration::from_secs(60);

/// Held by each test that keeps the machine busy, and alone by one that needs all of it.
static BUSY: RwLock<()> = RwLock::new(());

fn number(variable: &str, default: usize) -> usize {
    env::var(variable).map_or(default, |number| number.parse().expect("a number"))
}

#[test]
fn redis_has_no_silent_hole_and_no_double() {
    no_silent_hole_and_no_double::<Redis>();
}

#[test]
fn sqlite_has_no_silent_hole_and_no_double() {
    no_silent_hole_and_no_double::<Sqlite>();
}

#[test]
fn postgres_has_no_silent_hole_and_no_double() {
    no_silent_hole_and_no_double::<Postgres>();
}

fn no_silent_hole_and_no_double<E: Engine>() {
    let _busy = BUSY.read().unwrap_or_else(PoisonError::into_inner);
    let (count, seed) = (number("EVENTWIRE_FAULTS", 20), number("EVENTWIRE_SEED", 1));
    let only = env::var("EVENTWIRE_PROFILE").unwrap_or_default();
    let profiles: Vec<_> = E::PROFILES.iter().filter(|profile| profile.name.contains(&only)).collect();
    let weights: usize = profiles.iter().map(|profile| profile.faults.len()).sum();
    let (mut all, begun) = (Report::default(), Instant::now());
    for profile in profiles {
        // At first all kinds that there are, and before them those that no other run has had.
        let mut kinds = profile.kinds();
        kinds.sort_by_key(|kind| all.faults.contains_key(kind));
        let new = kinds.iter().filter(|kind| !all.faults.contains_key(kind)).count();
        let count = (count * profile.faults.len()).div_ceil(weights).max(new);
        let Some(mut run) = Run::<E>::start(profile, seed as u64, count) else { continue };
        run.faults(count, &kinds);
        let report = run.finish();
        eprintln!("{}, {:.0?}: {report}", profile.name, begun.elapsed());
        all.add(report);
    }
    eprintln!("seed {seed}, {:.0?}: {all}", begun.elapsed());
    assert_eq!(all.violations.len(), 0, "see above");
}
