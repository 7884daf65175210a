//! A temporary folder for the output of other programs.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process,
};

/// Removed with its contents when dropped.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Folder {
        let path = env::temp_dir().join(format!("eventwire-{name}-{}", process::id()));
        fs::create_dir(&path).unwrap();
        Folder(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the contents of the files whose names end like this, sorted by name.
    pub(crate) fn files(&self, extension: &str) -> Vec<Vec<u8>> {
        let mut paths: Vec<PathBuf> = fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.extension().is_some_and(|is| is == extension));
        paths.sort();
        paths.iter().map(|path| fs::read(path).unwrap()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // On failure, the files stay in the folder for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}
