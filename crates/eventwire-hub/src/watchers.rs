//! Those who watch the topics of a log.

use crate::log::Wake;
use futures_core::stream::BoxStream;
use futures_util::stream;
use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};
use tokio::sync::broadcast::{self, error::RecvError};

/// Those who watch topics, for a log that learns in one place what was appended. Clones share them.
///
/// A name is the one that the log has for a topic, such as that of its channel.
#[derive(Clone)]
pub struct Watchers {
    state: Arc<State>,
}

/// `None` after `close`.
type State = Mutex<Option<Watched>>;
/// By name.
type Watched = HashMap<Arc<str>, broadcast::Sender<Wake>>;

impl Watchers {
    /// How many wake-ups wait for one who does not keep up. One who has missed some gets [`Wake::Changed`].
    pub const WAITING: usize = 64;

    /// Nobody watches yet.
    #[must_use]
    pub fn new() -> Watchers {
        Watchers { state: Arc::new(Mutex::new(Some(HashMap::new()))) }
    }

    /// Returns the wake-ups under a name from now on. The stream ends on `close`, or when all clones are dropped. It
    /// owns the guard, which it drops after it has stopped watching.
    pub fn watch<G: Send + 'static>(&self, name: &str, guard: G) -> BoxStream<'static, Wake> {
        let name = Arc::<str>::from(name);
        let mut state = lock(&self.state);
        let channel = || broadcast::channel(Self::WAITING).0;
        let wakes = match &mut *state {
            Some(watched) => watched.entry(Arc::clone(&name)).or_insert_with(channel).subscribe(),
            // Its sender is dropped here, so the stream ends at once.
            None => channel().subscribe(),
        };
        let leaving = Leaving { state: Arc::downgrade(&self.state), name };
        let watching = Watching { wakes, _leaving: leaving, _guard: guard };
        Box::pin(stream::unfold(watching, async |mut watching| {
            let wake = match watching.wakes.recv().await {
                Ok(wake) => wake,
                Err(RecvError::Lagged(_)) => Wake::Changed,
                Err(RecvError::Closed) => return None,
            };
            Some((wake, watching))
        }))
    }

    /// Returns whether anybody watches under a name.
    #[must_use]
    pub fn is_watched(&self, name: &str) -> bool {
        lock(&self.state).as_ref().is_some_and(|watched| watched.contains_key(name))
    }

    /// Returns whether nobody watches anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        lock(&self.state).as_ref().is_none_or(HashMap::is_empty)
    }

    /// Wakes those who watch under a name.
    pub fn wake(&self, name: &str, wake: Wake) {
        let wakes = lock(&self.state).as_ref().and_then(|watched| watched.get(name).cloned());
        // Not under the lock: it may drop a stream. The last one may be leaving just now.
        if let Some(wakes) = wakes {
            let _ = wakes.send(wake);
        }
    }

    /// Tells all who watch to read.
    pub fn wake_all(&self) {
        lock(&self.state).iter().flat_map(HashMap::values).for_each(|wakes| _ = wakes.send(Wake::Changed));
    }

    /// Ends all streams, and those that are asked for later.
    pub fn close(&self) {
        let watched = lock(&self.state).take();
        // Not under the lock, as above.
        drop(watched);
    }

    /// Returns whether this was not closed.
    #[must_use]
    pub fn is_open(&self) -> bool {
        lock(&self.state).is_some()
    }
}

fn lock(state: &State) -> MutexGuard<'_, Option<Watched>> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Default for Watchers {
    fn default() -> Watchers {
        Watchers::new()
    }
}

impl fmt::Debug for Watchers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watchers").field("is_open", &self.is_open()).finish_non_exhaustive()
    }
}

/// One who watches. The order matters: the name is removed if there is no receiver left, and then the guard may look
/// whether it is.
struct Watching<G> {
    wakes: broadcast::Receiver<Wake>,
    _leaving: Leaving,
    _guard: G,
}

/// Removes a name that nobody watches any more.
struct Leaving {
    state: Weak<State>,
    name: Arc<str>,
}

impl Drop for Leaving {
    fn drop(&mut self) {
        if let Some(state) = self.state.upgrade()
            && let Some(watched) = &mut *lock(&state)
            && watched.get(&self.name).is_some_and(|wakes| wakes.receiver_count() == 0)
        {
            watched.remove(&self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Watchers, lock};
    use crate::log::Wake;
    use futures_util::{FutureExt, StreamExt};

    #[test]
    fn a_name_that_nobody_watches_is_removed_before_the_guard_is_dropped() {
        struct Guard(Watchers, bool);
        impl Drop for Guard {
            fn drop(&mut self) {
                assert_eq!(self.0.is_watched("a"), self.1);
            }
        }
        let watchers = Watchers::new();
        let first = watchers.watch("a", Guard(watchers.clone(), true));
        let second = watchers.watch("a", Guard(watchers.clone(), false));
        let other = watchers.watch("b", ());
        drop(first);
        drop(second);
        assert_eq!(lock(&watchers.state).as_ref().unwrap().len(), 1);
        drop(other);
        assert!(watchers.is_empty());
    }

    #[test]
    fn streams_end_when_it_is_closed_or_dropped() {
        let watchers = Watchers::new();
        let mut wakes = watchers.watch("a", ());
        watchers.wake("b", Wake::Changed);
        assert!(wakes.next().now_or_never().is_none());
        watchers.wake_all();
        watchers.close();
        assert!(matches!(wakes.next().now_or_never(), Some(Some(Wake::Changed))));
        assert!(matches!(wakes.next().now_or_never(), Some(None)));
        assert!(matches!(watchers.watch("a", ()).next().now_or_never(), Some(None)));
        assert!(!watchers.is_open());

        let watchers = Watchers::default();
        let mut wakes = watchers.watch("a", ());
        drop(watchers);
        assert!(matches!(wakes.next().now_or_never(), Some(None)));
    }

    #[test]
    fn one_who_does_not_keep_up_is_told_to_read() {
        let watchers = Watchers::new();
        let mut wakes = watchers.watch("a", ());
        for number in 1..=65 {
            watchers.wake("a", Wake::Entry(crate::StreamPosition::new(1, number), bytes::Bytes::new()));
        }
        assert!(matches!(wakes.next().now_or_never(), Some(Some(Wake::Changed))));
        assert!(matches!(wakes.next().now_or_never(), Some(Some(Wake::Entry(at, _))) if at.sequence() == 2));
    }
}
