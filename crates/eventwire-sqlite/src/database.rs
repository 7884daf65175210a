//! One connection to the file.

use crate::{
    error::{Error, Kind},
    sidecar::{self, Identity, Locked, Record, Sidecar},
    writer::Durability,
};
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior, config::DbConfig};
use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// A connection to the file, and to the one next to it.
pub(crate) struct Database {
    pub(crate) connection: Connection,
    pub(crate) path: Arc<Path>,
    /// Which file was opened. Another one may take its place.
    identity: Identity,
    sidecar: Sidecar,
    /// What the sidecar says at least of how much was appended.
    noted: i64,
}

/// How long to wait until another program has ended its transaction.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);
/// Of the tables.
const VERSION: i64 = 1;

impl Database {
    /// Opens the file, and creates what is missing. A file that may have lost something begins another lineage.
    pub(crate) fn open(path: &Arc<Path>) -> Result<Database, Error> {
        let mut sidecar = Sidecar::open(beside(path, "-eventwire"))?;
        let mut locked = sidecar.lock()?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        // SQLite opens the write-ahead log later, with the first query. So if another file takes the place of this one
        // just now, they are not mixed.
        let (mut connection, identity) = loop {
            let before = Identity::at(path).ok();
            remove_wal_of_another(path, before.as_ref(), locked.record())?;
            let connection = Connection::open_with_flags(path, flags)?;
            let identity = Identity::at(path)?;
            if before.as_ref() == Some(&identity) {
                break (connection, identity);
            }
        };
        connection.busy_handler(Some(wait))?;
        // SQLite opens a file without the right to write to it, too.
        if connection.is_readonly("main")? {
            return Err(Error::new(Kind::ReadOnly, "the file is write-protected"));
        }
        // If this is the last connection, SQLite would remove the write-ahead log by its name, which may be another
        // file's by then. See `close`.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        use_wal(&connection)?;
        create(&mut connection)?;
        let noted = check_lineage(path, &connection, &identity, &mut locked)?;
        drop(locked);
        Ok(Database { connection, path: Arc::clone(path), identity, sidecar, noted })
    }

    /// Whether the path still leads to the file.
    pub(crate) fn is_current(&self) -> bool {
        Identity::at(&self.path).is_ok_and(|found| found == self.identity)
    }

    /// Notes how much was appended, before a caller gets to know it. If the file has less at another time, it is a
    /// copy.
    pub(crate) fn note(&mut self, appended: i64) -> Result<(), Error> {
        if appended <= self.noted {
            return Ok(());
        }
        self.change_record(|record| record.appended = record.appended.max(appended))?;
        self.noted = appended;
        Ok(())
    }

    /// Commits without waiting for the disk from now on, or waits again. Without a name for this boot of the machine,
    /// it always waits, because nobody would know later that something may be lost.
    pub(crate) fn set_durability(&mut self, durability: Durability) -> Result<(), Error> {
        let synchronous = match (durability, sidecar::boot()) {
            (Durability::Normal, Some(boot)) => {
                // With the first read, SQLite creates the write-ahead log, whose end `close` looks for.
                appended(&self.connection)?;
                self.change_record(|record| record.unsynced = Some(boot))?;
                "PRAGMA synchronous = normal"
            }
            _ => "PRAGMA synchronous = full",
        };
        Ok(self.connection.execute_batch(synchronous)?)
    }

    fn change_record(&mut self, change: impl FnOnce(&mut Record)) -> Result<(), Error> {
        let mut sidecar = self.sidecar.lock()?;
        let Some(mut record) = sidecar.record().filter(|record| record.identity == self.identity).cloned() else {
            return Err(Error::new(Kind::CannotOpen, "another file has taken its place"));
        };
        change(&mut record);
        sidecar.write(record)
    }

    /// Closes the file. If nobody else has it, SQLite moves all that is in the write-ahead log into it, waits for the
    /// disk, and removes the write-ahead log. Then nothing can be lost any more.
    pub(crate) fn close(self) {
        let Database { connection, path, mut sidecar, identity, .. } = self;
        // Under the lock, so that nobody opens another file in its place while SQLite removes the write-ahead log.
        if let Ok(mut sidecar) = sidecar.lock()
            && connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false).is_ok()
            && connection.close().is_ok()
            && !beside(&path, "-wal").exists()
            && let Some(record) = sidecar.record().filter(|record| record.identity == identity).cloned()
        {
            // If it fails, the file may begin another lineage although nothing is lost.
            let _ = sidecar.write(Record { unsynced: None, ..record });
        }
    }

    /// From now on, each topic begins a new epoch with what is appended next.
    pub(crate) fn begin_lineage(&self) -> Result<(), Error> {
        begin_lineage(&self.connection).map_err(|error| Error::from(error).while_committing())
    }
}

/// Removes a write-ahead log that belongs to the file which was there before: SQLite does not, and would take what is
/// in it for a part of this one. Programs that still have the other file keep it, without a name.
fn remove_wal_of_another(path: &Path, identity: Option<&Identity>, record: Option<&Record>) -> io::Result<()> {
    let wal = Identity::at(&beside(path, "-wal")).ok();
    if wal.is_some() && record.is_some_and(|record| record.wal == wal && Some(&record.identity) != identity) {
        for end in ["-shm", "-wal"] {
            match fs::remove_file(beside(path, end)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
    }
    Ok(())
}

/// Begins another lineage if the file is another one, or has less than somebody has got to know, or may have lost what
/// was not on the disk when the machine stopped. Returns how much was appended.
fn check_lineage(
    path: &Path,
    connection: &Connection,
    identity: &Identity,
    sidecar: &mut Locked<'_>,
) -> Result<i64, Error> {
    // The sidecar is locked: what others have noted until then is in the file.
    let appended = appended(connection)?;
    let is_complete = sidecar.record().is_some_and(|record| {
        // Whether there is a write-ahead log says nothing: another program may have opened and closed the file since.
        let may_be_lost = record.unsynced.is_some() && record.unsynced != sidecar::boot();
        record.identity == *identity && record.appended <= appended && !may_be_lost
    });
    if !is_complete {
        begin_lineage(connection)?;
    }
    let unsynced = sidecar.record().filter(|_| is_complete).and_then(|record| record.unsynced.clone());
    let wal = Identity::at(&beside(path, "-wal")).ok();
    sidecar.write(Record { identity: identity.clone(), wal, appended, unsynced })?;
    Ok(appended)
}

pub(crate) fn appended(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached("SELECT appended FROM eventwire_log")?.query_row([], |row| row.get(0))
}

fn begin_lineage(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute("UPDATE eventwire_log SET lineage = lineage + 1", []).map(|_| ())
}

/// Returns the path from the root, without links, so that it still leads to the file if the program changes its folder.
pub(crate) fn resolve(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let name = path.file_name().ok_or(error)?;
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Ok(fs::canonicalize(folder)?.join(name))
        }
        resolved => resolved,
    }
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut beside = OsString::from(path);
    beside.push(end);
    beside.into()
}

/// With a write-ahead log, those who read do not wait for the one who writes.
fn use_wal(connection: &Connection) -> Result<(), Error> {
    let started = Instant::now();
    let mode = loop {
        match connection.query_row("PRAGMA journal_mode = wal", [], |row| row.get::<_, String>(0)) {
            // SQLite does not wait for this lock.
            Err(error) if is_locked(&error) && started.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(5)),
            mode => break mode?,
        }
    };
    if mode != "wal" {
        return Err(Error::new(Kind::CannotOpen, "SQLite cannot use a write-ahead log there"));
    }
    // The last two are for macOS, where a disk is told to store, and may do it later.
    let settings = "PRAGMA synchronous = full; PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1";
    Ok(connection.execute_batch(settings)?)
}

/// Waits for another program a little. SQLite itself would soon wait for a tenth of a second each time.
fn wait(times: i32) -> bool {
    let pause = Duration::from_millis(1);
    thread::sleep(pause);
    pause * times.unsigned_abs() < PATIENCE
}

fn is_locked(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Creates the tables, if there are none.
fn create(connection: &mut Connection) -> Result<(), Error> {
    // SQL would make blocks in the encoding of the file.
    let encoding: String = connection.query_row("PRAGMA encoding", [], |row| row.get(0))?;
    if encoding != "UTF-8" {
        return Err(Error::new(Kind::CannotOpen, &format!("its text is in {encoding}, and events are UTF-8")));
    }
    const FIND: &str = "SELECT count(*) FROM sqlite_master WHERE name = 'eventwire_log'";
    // The sidecar is locked, so nobody else creates them just now.
    if connection.query_row(FIND, [], |row| row.get::<_, i64>(0))? == 0 {
        let creating = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        creating.execute_batch(include_str!("schema.sql"))?;
        creating.commit()?;
    }
    let version = connection.query_row("SELECT version FROM eventwire_log", [], |row| row.get(0))?;
    match version {
        VERSION => Ok(()),
        version => {
            let cause =
                format!("its tables have version {version}, and this release of eventwire-sqlite knows {VERSION}");
            Err(Error::new(Kind::CannotOpen, &cause))
        }
    }
}
