//! The readers of a topic, as they are counted.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicUsize, Ordering::Relaxed},
};
use tokio::{sync::Notify, time::Instant};

/// The readers of a topic, for its follower.
#[derive(Debug)]
pub(crate) struct Audience {
    readers: Mutex<Readers>,
    /// The last reader has left.
    pub(crate) left: Notify,
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
}

impl Default for Audience {
    fn default() -> Audience {
        Audience { readers: Mutex::new(Readers::NoneSince(Instant::now())), left: Notify::new() }
    }
}

/// A reader, as its topic and its hub count it.
#[derive(Debug)]
pub(crate) struct Seat {
    all: Arc<AtomicUsize>,
    audience: Arc<Audience>,
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
