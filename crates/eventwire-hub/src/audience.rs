//! The readers of a topic, as they are counted.

use crate::{log::OutOfOrder, topic::Topic};
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
};
use tokio::{sync::Notify, time::Instant};

/// The readers of a topic, for its follower.
#[derive(Debug)]
pub(crate) struct Audience {
    readers: Mutex<Readers>,
    /// The last reader has left.
    pub(crate) left: Notify,
    /// It was reported that the log breaks its rules.
    has_reported: AtomicBool,
    /// The topic is no longer followed. Its channel ends after that.
    is_abandoned: AtomicBool,
}

#[derive(Clone, Copy, Debug)]
enum Readers {
    Some(usize),
    NoneSince(Instant),
}

impl Audience {
    fn readers(&self) -> MutexGuard<'_, Readers> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.empty_since().is_some()
    }

    pub(crate) fn empty_since(&self) -> Option<Instant> {
        if let Readers::NoneSince(instant) = *self.readers() { Some(instant) } else { None }
    }

    /// Writes that the log has broken its rules. Thousands of readers may find that, and one of them says so.
    pub(crate) fn report(&self, topic: &Topic, error: &OutOfOrder) {
        if !self.has_reported.swap(true, Relaxed) {
            #[cfg(feature = "tracing")]
            tracing::error!(%topic, %error, "the log has broken its rules");
            #[cfg(not(feature = "tracing"))]
            let _ = (topic, error);
        }
    }

    pub(crate) fn abandon(&self) {
        self.is_abandoned.store(true, Relaxed);
    }

    pub(crate) fn is_abandoned(&self) -> bool {
        self.is_abandoned.load(Relaxed)
    }

    /// Allows another report: the log is back, so what it does next is news.
    pub(crate) fn allow_report(&self) {
        self.has_reported.store(false, Relaxed);
    }
}

impl Default for Audience {
    fn default() -> Audience {
        Audience {
            readers: Mutex::new(Readers::NoneSince(Instant::now())),
            left: Notify::new(),
            has_reported: AtomicBool::new(false),
            is_abandoned: AtomicBool::new(false),
        }
    }
}

/// A reader, as its topic and its hub count it.
#[derive(Debug)]
pub(crate) struct Seat {
    all: Arc<AtomicUsize>,
    pub(crate) audience: Arc<Audience>,
}

impl Seat {
    pub(crate) fn new(all: Arc<AtomicUsize>, audience: Arc<Audience>) -> Seat {
        all.fetch_add(1, Relaxed);
        let mut readers = audience.readers();
        *readers = match *readers {
            Readers::Some(count) => Readers::Some(count + 1),
            Readers::NoneSince(_) => Readers::Some(1),
        };
        drop(readers);
        Seat { all, audience }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.all.fetch_sub(1, Relaxed);
        let mut readers = self.audience.readers();
        *readers = match *readers {
            Readers::Some(count) if count > 1 => Readers::Some(count - 1),
            _ => Readers::NoneSince(Instant::now()),
        };
        if matches!(*readers, Readers::NoneSince(_)) {
            self.audience.left.notify_one();
        }
    }
}
