//! A file that is served.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::SystemTime;

use anyhow::anyhow;
use eventwire_test::Script;
use http::Method;

use super::log::Log;
use super::plan::Plan;
use crate::beginning::Beginning;

/// How much of a file is looked at: white space, and the beginning of a text.
const LOOKED_AT: u64 = 64 * 1024;

/// A file, and how many connections have asked for it.
pub(super) struct Source {
    path: PathBuf,
    connections: AtomicU64,
    /// Whether the file has been looked at for [`Source::warn`].
    looked_at: Once,
    /// The answers of the file, and what it was like when it was checked.
    checked: Mutex<Option<(Stamp, Arc<[Script]>)>>,
}

/// What changes with a file.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
}

impl Source {
    pub(super) fn new(path: PathBuf) -> Source {
        Source { path, connections: AtomicU64::new(0), looked_at: Once::new(), checked: Mutex::default() }
    }

    /// Says, once, that the file is probably no event stream. It is served all the same.
    pub(super) fn warn(&self, log: &Log) {
        self.looked_at.call_once(|| {
            // That it cannot be read is said to the client.
            let Ok(beginning) = self.beginning() else { return };
            if beginning.is_recording() || beginning.is_stream() {
                return;
            }
            let place = self.path.display();
            log.warning(&format!("{place} has no field of an event stream; is it compressed, or something else?"));
        });
    }

    fn beginning(&self) -> io::Result<Beginning> {
        let mut bytes = Vec::new();
        File::open(&self.path)?.take(LOOKED_AT).read_to_end(&mut bytes)?;
        let mut beginning = Beginning::default();
        beginning.accepts(&Ok::<_, ()>(bytes));
        Ok(beginning)
    }

    /// Returns the number of a connection, from 0. A `HEAD` is answered as the next request would be.
    pub(super) fn count(&self, method: &Method) -> u64 {
        self.connections.fetch_add(u64::from(method != Method::HEAD), Ordering::Relaxed)
    }

    /// Returns the answers of the file, of which there is at least one. A file that has changed is checked again.
    pub(super) fn answers(&self, plan: &Plan) -> anyhow::Result<Arc<[Script]>> {
        let file = fs::metadata(&self.path).map_err(|error| anyhow!("cannot read {:?}: {error}", self.path))?;
        let stamp = Stamp { length: file.len(), modified: file.modified().ok() };
        // The file is read from its beginning to its end. All others that want it wait.
        let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, answers)) = checked.as_ref().filter(|(known, _)| *known == stamp) {
            return Ok(Arc::clone(answers));
        }
        let answers: Arc<[Script]> = self.read(plan)?.into();
        *checked = Some((stamp, Arc::clone(&answers)));
        Ok(answers)
    }

    fn read(&self, plan: &Plan) -> anyhow::Result<Vec<Script>> {
        let mut answers = Script::read(&self.path)?;
        answers.iter_mut().filter_map(Script::head_mut).for_each(|(_, headers)| {
            headers.retain(|(name, _)| is_sent(&name.to_ascii_lowercase()));
        });
        plan.check(&answers).map_err(|error| anyhow!("{}: {error}", self.path.display()))?;
        Ok(answers)
    }
}

/// Returns whether a header of a file is sent. Only the options let pages of other sites read what is served, and how the
/// connection is used is said by the server.
fn is_sent(name: &str) -> bool {
    !name.starts_with("access-control-") && !matches!(name, "connection" | "keep-alive" | "transfer-encoding")
}
