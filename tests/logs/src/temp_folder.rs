//! A folder for one test.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

/// An empty folder, which is removed when this is dropped.
#[derive(Debug)]
pub struct TempFolder(PathBuf);

#[allow(clippy::new_without_default, reason = "it makes a folder")]
impl TempFolder {
    pub fn new() -> TempFolder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let folder = format!("eventwire-logs-{}-{}", process::id(), COUNT.fetch_add(1, Relaxed));
        let folder = env::temp_dir().join(folder);
        // Left by a process of the same number.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        TempFolder(folder)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
