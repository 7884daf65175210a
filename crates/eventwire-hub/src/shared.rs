//! What the handles and the readers of a channel share.

use crate::{
    record::Record,
    stats::Stats,
    sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard},
    waiting::{self, Waiting},
};
use std::{
    fmt,
    sync::{
        PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
};

/// What the handles and the readers of a channel share.
///
/// A reader that waits holds both locks, so that no event comes between its look at the record and its registration.
/// The record is locked first.
pub(crate) struct Shared {
    /// Readers do not exclude each other: with a mutex, two threads that read bursts take up to three times as long.
    record: RwLock<Record>,
    waiting: Mutex<Waiting>,
    pub(crate) readers: AtomicUsize,
    /// How many gap events readers were sent.
    pub(crate) gaps: AtomicU64,
    /// How many readers were ended because they were too slow.
    pub(crate) ended: AtomicU64,
}

impl Shared {
    pub(crate) fn new(record: Record) -> Shared {
        Shared {
            record: RwLock::new(record),
            waiting: Mutex::default(),
            readers: AtomicUsize::new(0),
            gaps: AtomicU64::new(0),
            ended: AtomicU64::new(0),
        }
    }

    /// Locks the record for reading. It is complete at all times, so it does not matter if a thread panicked while it
    /// had the lock.
    pub(crate) fn record(&self) -> RwLockReadGuard<'_, Record> {
        self.record.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn stats(&self) -> Stats {
        let record = self.record();
        Stats {
            readers: self.readers.load(Relaxed),
            events: record.events(),
            bytes: record.bytes(),
            oldest: record.oldest(),
            newest: record.newest(),
            gaps: self.gaps.load(Relaxed),
            ended: self.ended.load(Relaxed),
        }
    }

    /// Ends the stream. If it has ended already, nothing has changed, and no reader is woken.
    pub(crate) fn finish(&self) {
        let _ = self.try_change(|record| {
            if record.is_finished() {
                return Err(());
            }
            record.finish();
            Ok(())
        });
    }

    /// Changes the record and wakes the readers, without the lock, unless there is an error.
    pub(crate) fn try_change<T, E>(&self, change: impl FnOnce(&mut Record) -> Result<T, E>) -> Result<T, E> {
        let mut record = self.record.write().unwrap_or_else(PoisonError::into_inner);
        let result = change(&mut record)?;
        drop(record);
        // A reader that registers from now on has seen the change.
        let mut wakers = self.waiting().take();
        if !wakers.is_empty() {
            waiting::wake(&mut wakers);
            self.waiting().reuse(wakers);
        }
        Ok(result)
    }
}

/// Not the events: they may be large, or secret.
impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stats().fmt(f)
    }
}
