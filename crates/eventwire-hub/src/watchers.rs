//! Those who watch the topics of a log.

use crate::log::Wake;
use futures_core::stream::BoxStream;
use futures_util::stream;
use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};
use tokio::sync::mpsc;

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
type Watched = HashMap<Arc<str>, Vec<mpsc::Sender<Wake>>>;

impl Watchers {
    /// How many wake-ups wait for one who does not keep up. The last one is [`Wake::Changed`], and what comes after it is
    /// lost: if it were the oldest that are lost, one who waits for the first event of a topic could miss its hint.
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
        let (sender, wakes) = mpsc::channel(Self::WAITING);
        // If it was closed, the sender is dropped here, so the stream ends at once.
        if let Some(watched) = &mut *state {
            watched.entry(Arc::clone(&name)).or_default().push(sender);
        }
        let leaving = Leaving { state: Arc::downgrade(&self.state), name };
        let watching = Watching { wakes, _leaving: leaving, _guard: guard };
        Box::pin(stream::unfold(watching, async |mut watching| Some((watching.wakes.recv().await?, watching))))
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
        if let Some(watching) = lock(&self.state).as_ref().and_then(|watched| watched.get(name)) {
            watching.iter().for_each(|sender| send(sender, &wake));
        }
    }

    /// Tells all who watch to read.
    pub fn wake_all(&self) {
        lock(&self.state).iter().flat_map(HashMap::values).flatten().for_each(|sender| send(sender, &Wake::Changed));
    }

    /// Ends all streams, and those that are asked for later.
    pub fn close(&self) {
        lock(&self.state).take();
    }

    /// Returns whether this was not closed.
    #[must_use]
    pub fn is_open(&self) -> bool {
        lock(&self.state).is_some()
    }
}

/// Sends a wake-up, while there is room, and the state is locked.
fn send(sender: &mpsc::Sender<Wake>, wake: &Wake) {
    let wake = match sender.capacity() {
        // The last one that waits tells to read, and that is still to come.
        0 => return,
        1 => Wake::Changed,
        _ => wake.clone(),
    };
    // The one who watches may be leaving just now.
    let _ = sender.try_send(wake);
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

/// One who watches. The order matters: those without a receiver are removed, and then the guard may look who is left.
struct Watching<G> {
    wakes: mpsc::Receiver<Wake>,
    _leaving: Leaving,
    _guard: G,
}

/// Removes one who watches, and the name that nobody watches any more.
struct Leaving {
    state: Weak<State>,
    name: Arc<str>,
}

impl Drop for Leaving {
    fn drop(&mut self) {
        if let Some(state) = self.state.upgrade()
            && let Some(watched) = &mut *lock(&state)
            && let Some(watching) = watched.get_mut(&self.name)
        {
            watching.retain(|sender| !sender.is_closed());
            if watching.is_empty() {
                watched.remove(&self.name);
            }
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
        let wake = |number| Wake::Entry(crate::StreamPosition::new(1, number), bytes::Bytes::new());
        (1..=100).for_each(|number| watchers.wake("a", wake(number)));
        for number in 1..=63 {
            assert!(matches!(wakes.next().now_or_never(), Some(Some(Wake::Entry(at, _))) if at.sequence() == number));
        }
        assert!(matches!(wakes.next().now_or_never(), Some(Some(Wake::Changed))));
        assert!(wakes.next().now_or_never().is_none());
        // It has room again.
        watchers.wake("a", wake(101));
        assert!(matches!(wakes.next().now_or_never(), Some(Some(Wake::Entry(..)))));
    }
}
