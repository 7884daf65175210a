//! What the paths of URLs lead to.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{anyhow, bail};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::plan::Plan;
use super::source::Source;

/// What is written in another way in a URL.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A file, or a directory of them.
pub(super) enum Site {
    /// Every path leads to it.
    File(Arc<Source>),
    Directory(Directory),
}

pub(super) struct Directory {
    /// The path without symbolic links, and what is in it has to begin with it.
    root: PathBuf,
    /// The files that were asked for, by their paths without symbolic links.
    sources: Mutex<HashMap<PathBuf, Arc<Source>>>,
}

impl Site {
    /// A file is checked. Those of a directory are checked when they are asked for.
    pub(super) fn open(path: &Path, plan: &Plan) -> anyhow::Result<Site> {
        let cannot_read = |error| anyhow!("cannot read {path:?}: {error}; check the path");
        let kind = fs::metadata(path).map_err(cannot_read)?;
        if kind.is_dir() {
            let root = path.canonicalize().map_err(cannot_read)?;
            return Ok(Site::Directory(Directory { root, sources: Mutex::default() }));
        }
        if !kind.is_file() {
            bail!("{path:?} is not a file, which can be read again for each connection; write it to one");
        }
        let source = Source::new(path.to_owned());
        source.answers(plan)?;
        Ok(Site::File(Arc::new(source)))
    }

    /// Returns what the path of a URL leads to.
    pub(super) fn find(&self, path: &str) -> Option<Arc<Source>> {
        match self {
            Site::File(source) => Some(Arc::clone(source)),
            Site::Directory(directory) => directory.find(path),
        }
    }

    /// Returns the paths that are near this one, or else at the top.
    pub(super) fn list(&self, path: &str) -> Vec<String> {
        match self {
            Site::File(_) => Vec::new(),
            Site::Directory(directory) => directory.list(path),
        }
    }
}

impl Directory {
    fn find(&self, path: &str) -> Option<Arc<Source>> {
        let path = self.path(path).filter(|path| path.is_file())?;
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        let source = sources.entry(path).or_insert_with_key(|path| Arc::new(Source::new(path.clone())));
        Some(Arc::clone(source))
    }

    /// Returns the path of the file or the directory that the path of a URL names, without symbolic links, if it exists
    /// and is not outside the root.
    fn path(&self, path: &str) -> Option<PathBuf> {
        let mut found = self.root.clone();
        for segment in path.split('/').filter(|segment| !segment.is_empty()) {
            let name = percent_decode_str(segment).decode_utf8().ok()?;
            // Not `..`, not a path of several names, and not a drive of Windows. What is hidden may have secrets, such as
            // `.env`.
            let mut components = Path::new(&*name).components();
            match (components.next(), components.next()) {
                (Some(Component::Normal(only)), None) if only == &*name && !name.starts_with('.') => found.push(only),
                _ => return None,
            }
        }
        found.canonicalize().ok().filter(|path| path.starts_with(&self.root))
    }

    fn list(&self, path: &str) -> Vec<String> {
        let is_directory = self.path(path).is_some_and(|path| path.is_dir());
        let start = if is_directory { path.trim_end_matches('/') } else { "" };
        let Some(entries) = self.path(start).and_then(|path| fs::read_dir(path).ok()) else { return Vec::new() };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut paths: Vec<String> = names
            .filter_map(|name| {
                let path = format!("{start}/{}", utf8_percent_encode(&name, RESERVED));
                let kind = fs::metadata(self.path(&path)?).ok()?;
                Some(if kind.is_dir() { path + "/" } else { path })
            })
            .collect();
        paths.sort();
        paths
    }
}
