//! A disk that can be full.

use crate::fault::Profile;
use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// A file system of 64 MB in memory, until this is dropped.
#[derive(Debug)]
pub(crate) struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Makes a folder one. `None`, and a line on the standard error, without the right to do that.
    pub(crate) fn mount(profile: &Profile, folder: &Path) -> Option<SmallDisk> {
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", "size=64m", "tmpfs"]).arg(folder).stderr(Stdio::null());
        if command.status().is_ok_and(|status| status.success()) {
            return Some(SmallDisk(folder.to_owned()));
        }
        skip(profile, "no right to mount a small disk");
        None
    }

    fn filler(&self) -> PathBuf {
        self.0.join("filler")
    }

    pub(crate) fn fill(&self) {
        let mut file = File::create(self.filler()).unwrap();
        while file.write_all(&[0; 4096]).is_ok() {}
    }

    pub(crate) fn free(&self) {
        fs::remove_file(self.filler()).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

/// Says that a run is left out. Unlike `eprintln`, this is also seen if the test passes.
pub(crate) fn skip(profile: &Profile, why: &str) {
    let _ = writeln!(io::stderr(), "SKIPPED {:?}: {why}", profile.name);
}
