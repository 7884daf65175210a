//! A file that is served.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use anyhow::anyhow;
use eventwire_test::Script;
use http::Method;

use super::plan::Plan;

/// A file, and how many connections have asked for it.
pub(super) struct Source {
    path: PathBuf,
    connections: AtomicU64,
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
        Source { path, connections: AtomicU64::new(0), checked: Mutex::default() }
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
        // Only the options let pages of other sites read what is served.
        answers.iter_mut().filter_map(Script::head_mut).for_each(|(_, headers)| {
            headers.retain(|(name, _)| !name.to_ascii_lowercase().starts_with("access-control-"));
        });
        plan.check(&answers).map_err(|error| anyhow!("{}: {error}", self.path.display()))?;
        Ok(answers)
    }
}
