//! A file that is served.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use anyhow::anyhow;
use eventwire_test::Script;
use http::Method;

use super::plan::Plan;

/// A file, and how many connections have asked for it.
pub(super) struct Source {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The answers of the file, and what it was like when it was checked.
    checked: Option<(Stamp, Arc<[Script]>)>,
    connections: u64,
}

/// What changes with a file.
#[derive(PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
}

impl Source {
    pub(super) fn new(path: PathBuf) -> Source {
        Source { path, state: Mutex::default() }
    }

    /// Returns the number of a connection, from 0. A `HEAD` is answered as the next request would be.
    pub(super) fn count(&self, method: &Method) -> u64 {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let number = state.connections;
        state.connections += u64::from(method != Method::HEAD);
        number
    }

    /// Returns the answers of the file, of which there is at least one. A file that has changed is checked again.
    pub(super) fn answers(&self, plan: &Plan) -> anyhow::Result<Arc<[Script]>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let file = fs::metadata(&self.path).map_err(|error| anyhow!("cannot read {:?}: {error}", self.path))?;
        let stamp = Stamp { length: file.len(), modified: file.modified().ok() };
        if let Some((known, answers)) = &state.checked
            && *known == stamp
        {
            return Ok(Arc::clone(answers));
        }
        let mut answers = Script::read(&self.path)?;
        // Only the options allow pages of other sites to read what is served.
        answers.iter_mut().filter_map(Script::head_mut).for_each(|(_, headers)| {
            headers.retain(|(name, _)| !name.to_ascii_lowercase().starts_with("access-control-"));
        });
        plan.check(&answers).map_err(|error| anyhow!("{}: {error}", self.path.display()))?;
        let answers: Arc<[Script]> = answers.into();
        state.checked = Some((stamp, Arc::clone(&answers)));
        Ok(answers)
    }
}
