//! What is known about a file, and is not copied with it.
//!
//! If the file is restored from a copy, it has lost what was appended after the copy was made. Nothing in the file
//! tells. So a second file next to it says which file it was, and how much was in it.

use crate::{database::PATIENCE, error::Error};
#[cfg(unix)]
use std::os::unix::fs::MetadataExt as _;
use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant, UNIX_EPOCH},
};

/// The file next to a log. It is locked while it is read and written, because several processes may have it.
pub(crate) struct Sidecar {
    file: File,
    path: Arc<Path>,
}

/// What it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) identity: Identity,
    /// Which write-ahead log belongs to it.
    pub(crate) wal: Option<Identity>,
    /// How much was in the log, of what a caller has got to know.
    pub(crate) appended: i64,
    /// The boot of the machine in which something was committed without waiting for the disk, if the log was not closed
    /// since.
    pub(crate) unsynced: Option<String>,
}

/// Which file of the system it is: its device, its inode, and when it was created. A copy is another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity(String);

impl Identity {
    /// Of the file at a path.
    pub(crate) fn at(path: &Path) -> io::Result<Identity> {
        let metadata = fs::metadata(path)?;
        // A file that was deleted can leave its inode to another one. Not all file systems know when one was created.
        let created = metadata.created().ok().and_then(|created| created.duration_since(UNIX_EPOCH).ok());
        let created = created.unwrap_or_default().as_nanos();
        #[cfg(unix)]
        let (device, inode) = (metadata.dev(), metadata.ino());
        #[cfg(not(unix))]
        let (device, inode) = (0, 0);
        Ok(Identity(format!("{device}-{inode}-{created}")))
    }
}

impl Sidecar {
    pub(crate) fn open(path: PathBuf) -> Result<Sidecar, Error> {
        let path = Arc::<Path>::from(path);
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let file = opened.map_err(|error| Error::from(error).of(&path))?;
        Ok(Sidecar { file, path })
    }

    /// Reads it. Nobody else reads or writes it, until the result is dropped. Fails if a process that has it does not
    /// go on.
    pub(crate) fn lock(&mut self) -> Result<Locked<'_>, Error> {
        let path = Arc::clone(&self.path);
        self.try_lock().map_err(|error| Error::from(error).of(&path))
    }

    fn try_lock(&mut self) -> io::Result<Locked<'_>> {
        let started = Instant::now();
        while let Err(error) = self.file.try_lock() {
            match error {
                TryLockError::WouldBlock if started.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(1)),
                error => return Err(error.into()),
            }
        }
        let mut locked = Locked { file: &mut self.file, path: &self.path, record: None };
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
    path: &'a Arc<Path>,
    record: Option<Record>,
}

impl Locked<'_> {
    /// What it says, if that can be read.
    pub(crate) fn record(&self) -> Option<&Record> {
        self.record.as_ref()
    }

    /// Writes it, if it is not what is there. Only that something was committed without waiting for the disk must be on
    /// the disk itself: all else is lost together with what it says of the log.
    pub(crate) fn write(&mut self, record: Record) -> Result<(), Error> {
        self.try_write(record).map_err(|error| Error::from(error).of(self.path))
    }

    fn try_write(&mut self, record: Record) -> io::Result<()> {
        if self.record.as_ref() == Some(&record) {
            return Ok(());
        }
        if self.record.is_none() {
            // Nothing may stay of what cannot be read.
            self.file.set_len(0)?;
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
        let Record { identity, wal, appended, unsynced } = self;
        let wal = wal.as_ref().map_or("-", |wal| &wal.0);
        let boot = unsynced.as_deref().unwrap_or("-");
        let text = format!("eventwire 1 {} {wal} {appended} {boot}", identity.0);
        format!("{text:<255}\n")
    }

    fn parse(text: &str) -> Option<Record> {
        let mut words = text.strip_prefix("eventwire 1 ")?.strip_suffix('\n')?.split_whitespace();
        Some(Record {
            identity: Identity(words.next()?.to_owned()),
            wal: Some(words.next()?).filter(|wal| *wal != "-").map(|wal| Identity(wal.to_owned())),
            appended: words.next()?.parse().ok()?,
            unsynced: Some(words.next()?).filter(|boot| *boot != "-").map(str::to_owned),
        })
    }
}

/// Names the boot of this machine, on Linux.
pub(crate) fn boot() -> Option<String> {
    Some(fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Identity, Record};

    #[test]
    fn what_is_written_is_read() {
        let longest = Identity(format!("{0}-{0}-{1}", u64::MAX, u128::from(u64::MAX) * 1_000_000_000));
        let boot = "01234567-89ab-cdef-0123-456789abcdef".to_owned();
        for record in [
            Record { identity: Identity("1-2-3".to_owned()), wal: None, appended: 0, unsynced: None },
            Record { identity: longest.clone(), wal: Some(longest), appended: i64::MAX, unsynced: Some(boot) },
        ] {
            let text = record.to_text();
            assert_eq!(Record::parse(&text), Some(record));
            assert_eq!(text.len(), 256);
            assert_eq!(Record::parse(&text[..100]), None);
        }
        assert_eq!(Record::parse(""), None);
        assert_eq!(Record::parse("eventwire 2 1-1-1 - 1 -\n"), None);
    }
}
