//! What is known about a file, and is not copied with it.
//!
//! If the file is restored from a copy, it has lost what was appended after the copy was made. Nothing in the file tells.
//! So a second file next to it says which file it was, and how much was in it.

use std::{
    fs::{File, Metadata, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
};

/// The file next to a log. It is locked while it is read and written, because several processes may have it.
pub(crate) struct Sidecar {
    file: File,
}

/// What it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) identity: Identity,
    /// How much was in the log, of what a caller has got to know.
    pub(crate) appended: i64,
    /// The boot of the machine in which something was committed without waiting for the disk, if the log was not closed
    /// since.
    pub(crate) unsynced: Option<String>,
}

/// Which file of the system it is. A copy is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    #[cfg(unix)]
    pub(crate) fn of(metadata: &Metadata) -> io::Result<Identity> {
        use std::os::unix::fs::MetadataExt as _;
        Ok(Identity { device: metadata.dev(), inode: metadata.ino() })
    }

    /// Elsewhere, when it was created.
    #[cfg(not(unix))]
    pub(crate) fn of(metadata: &Metadata) -> io::Result<Identity> {
        let created = metadata.created()?.duration_since(std::time::UNIX_EPOCH).map_err(io::Error::other)?;
        Ok(Identity { device: created.as_secs(), inode: created.subsec_nanos().into() })
    }
}

impl Sidecar {
    pub(crate) fn open(path: &Path) -> io::Result<Sidecar> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        Ok(Sidecar { file })
    }

    /// Reads it. Nobody else reads or writes it, until the result is dropped.
    pub(crate) fn lock(&mut self) -> io::Result<Locked<'_>> {
        self.file.lock()?;
        let mut locked = Locked { file: &mut self.file, record: None };
        let mut text = String::new();
        locked.file.seek(SeekFrom::Start(0))?;
        // A crash of the machine may leave anything, even what is no text.
        if (&*locked.file).take(1000).read_to_string(&mut text).is_ok() {
            locked.record = Record::parse(&text);
        }
        Ok(locked)
    }
}

/// A sidecar that is locked.
pub(crate) struct Locked<'a> {
    file: &'a mut File,
    record: Option<Record>,
}

impl Locked<'_> {
    /// What it says, if that can be read.
    pub(crate) fn record(&self) -> Option<&Record> {
        self.record.as_ref()
    }

    /// Writes it, if it is not what is there. Only that something was committed without waiting for the disk must be on
    /// the disk itself: all else is lost together with what it says of the log.
    pub(crate) fn write(&mut self, record: Record) -> io::Result<()> {
        if self.record.as_ref() == Some(&record) {
            return Ok(());
        }
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(record.to_text().as_bytes())?;
        if self.record.as_ref().is_none_or(|before| before.unsynced != record.unsynced) {
            self.file.sync_all()?;
        }
        self.record = Some(record);
        Ok(())
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // If it fails, the lock ends with the file.
        let _ = self.file.unlock();
    }
}

impl Record {
    /// The text always has the same length, so that what is written replaces all that was there.
    fn to_text(&self) -> String {
        let Record { identity: Identity { device, inode }, appended, unsynced } = self;
        let boot = unsynced.as_deref().unwrap_or("-");
        format!(
            "eventwire 1\ndevice {device:020}\ninode {inode:020}\nappended {appended:020}\nunsynced {boot:<40.40}\n"
        )
    }

    fn parse(text: &str) -> Option<Record> {
        let mut lines = text.strip_prefix("eventwire 1\n")?.lines();
        let mut field = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ').map(str::trim_end);
        Some(Record {
            identity: Identity { device: field("device")?.parse().ok()?, inode: field("inode")?.parse().ok()? },
            appended: field("appended")?.parse().ok()?,
            unsynced: Some(field("unsynced")?).filter(|boot| *boot != "-").map(str::to_owned),
        })
    }
}

/// Names the boot of this machine, on Linux.
pub(crate) fn boot() -> Option<String> {
    Some(std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Identity, Record};

    #[test]
    fn what_is_written_is_read() {
        let identity = Identity { device: u64::MAX, inode: 7 };
        let longest = "01234567-89ab-cdef-0123-456789abcdef".to_owned();
        for record in [
            Record { identity, appended: 0, unsynced: None },
            Record { identity, appended: i64::MAX, unsynced: Some(longest) },
        ] {
            let text = record.to_text();
            assert_eq!(Record::parse(&text), Some(record));
            assert_eq!(text.len(), 164);
            assert_eq!(Record::parse(&text[..100]), None);
        }
        assert_eq!(Record::parse(""), None);
        assert_eq!(Record::parse("eventwire 2\ndevice 1\ninode 1\nappended 1\nunsynced -\n"), None);
    }
}
