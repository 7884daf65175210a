//! The topics that a hub follows.

use crate::{audience::Audience, channel::Channel, log::Log, topic::Topic};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicUsize},
};
use tokio::{
    sync::{Semaphore, watch},
    task::AbortHandle,
};

/// How many pages of the log are read at the same time.
const READS: usize = 32;

/// The topics that a hub follows, and how many readers they have together.
pub(crate) struct Topics<L: Log> {
    followed: Mutex<HashMap<Topic, Followed<L>>>,
    pub(crate) readers: Arc<AtomicUsize>,
    /// To read pages of the log.
    pub(crate) permits: Arc<Semaphore>,
}

/// A topic that is followed, as the hub knows it.
pub(crate) struct Followed<L: Log> {
    pub(crate) channel: Channel,
    pub(crate) audience: Arc<Audience>,
    pub(crate) phase: watch::Receiver<Phase<L::Error>>,
    pub(crate) task: AbortHandle,
}

impl<L: Log> Drop for Followed<L> {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What new readers of a topic are told.
#[derive(Debug)]
pub(crate) enum Phase<E> {
    Starting,
    Following,
    Failed(Arc<E>),
    OutOfOrder,
}

impl<L: Log> Topics<L> {
    pub(crate) fn followed(&self) -> MutexGuard<'_, HashMap<Topic, Followed<L>>> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops following a topic, unless it has readers again. Returns whether its follower, which calls this, can stop.
    pub(crate) fn stop_if_unused(&self, topic: &Topic, audience: &Arc<Audience>) -> bool {
        let mut followed = self.followed();
        if followed.get(topic).is_none_or(|other| !Arc::ptr_eq(&other.audience, audience)) {
            return true;
        }
        // Nobody takes a seat meanwhile.
        let is_over = audience.is_empty();
        if is_over {
            followed.remove(topic);
        }
        is_over
    }

    /// Forgets a follower that has failed. Its readers end.
    pub(crate) fn forget(&self, topic: &Topic, audience: &Arc<Audience>) {
        let mut followed = self.followed();
        if followed.get(topic).is_some_and(|other| Arc::ptr_eq(&other.audience, audience)) {
            followed.remove(topic);
        }
    }
}

impl<L: Log> Default for Topics<L> {
    fn default() -> Topics<L> {
        Topics { followed: Mutex::default(), readers: Arc::default(), permits: Arc::new(Semaphore::new(READS)) }
    }
}

impl<L: Log> Drop for Topics<L> {
    fn drop(&mut self) {
        self.permits.close();
    }
}
