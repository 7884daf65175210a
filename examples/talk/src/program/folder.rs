//! Saves the parts of an answer in a folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::listen::Heard;

/// A folder for the parts of one answer. The server has no influence on the file names.
pub(super) struct Folder {
    path: PathBuf,
    sounds: u32,
    calls: u32,
}

impl Folder {
    /// Creates the folder, or uses an empty one.
    pub(super) fn new(path: &Path) -> io::Result<Folder> {
        fs::create_dir_all(path)?;
        match fs::read_dir(path)?.next() {
            None => Ok(Folder { path: path.into(), sounds: 0, calls: 0 }),
            Some(_) => Err(io::Error::new(io::ErrorKind::DirectoryNotEmpty, "it is not empty")),
        }
    }

    pub(super) fn save(&mut self, heard: &Heard<'_>) -> io::Result<()> {
        match heard {
            Heard::Text { .. } => Ok(()),
            Heard::Sound { wav, .. } => {
                self.sounds += 1;
                fs::write(self.path.join(format!("{:03}.wav", self.sounds)), wav)
            }
            Heard::ToolCalls(json) => {
                self.calls += 1;
                fs::write(self.path.join(format!("{:03}.json", self.calls)), json)
            }
            Heard::Drawing(svg) => {
                // The file is renamed when it is complete, so that a viewer never sees an incomplete drawing.
                let unfinished = self.path.join("drawing.svg.new");
                fs::write(&unfinished, svg)?;
                fs::rename(unfinished, self.path.join("drawing.svg"))
            }
        }
    }
}
