//! What the paths of URLs lead to.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{anyhow, bail};

use super::plan::Plan;
use super::source::Source;

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
            let name = decoded(segment)?;
            // Not `..`, not a path of several names, and not a drive of Windows.
            let mut components = Path::new(&name).components();
            match (components.next(), components.next()) {
                (Some(Component::Normal(only)), None) if only == name.as_str() => found.push(name),
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
                let path = format!("{start}/{}", encoded(&name));
                let kind = fs::metadata(self.path(&path)?).ok()?;
                Some(if kind.is_dir() { path + "/" } else { path })
            })
            .collect();
        paths.sort();
        paths
    }
}

/// Returns a segment of a path without its percent-encoding, if the result is a text.
fn decoded(segment: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = segment.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        // `from_str_radix` would take a sign.
        let digits = str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}

/// Returns a name as it is written in a URL.
fn encoded(name: &str) -> String {
    let mut text = String::new();
    for &byte in name.as_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => text.push(char::from(byte)),
            _ => text += &format!("%{byte:02X}"),
        }
    }
    text
}
