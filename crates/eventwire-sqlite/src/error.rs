//! What can go wrong.

use rusqlite::ErrorCode;
use std::{error, fmt, io, path::Path, sync::Arc};

/// Why the file did not do what was asked.
///
/// The message says what happened, to which file, and what SQLite or the system has reported.
#[derive(Clone, Debug)]
pub struct Error {
    kind: Kind,
    path: Arc<Path>,
    /// What SQLite or the system says.
    cause: Arc<str>,
    may_be_stored: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    CannotOpen,
    ReadOnly,
    Locked,
    Full,
    Damaged,
    /// The tables are of another version of this crate.
    Version,
    NoAnswer,
    /// The thread that writes or watches has ended.
    Ended,
    Other,
}

impl Error {
    /// Returns whether an event that was being sent may be stored, although there was an error.
    ///
    /// `false` if it is certain that nothing was stored, for example because the disk is full or the file is locked.
    /// `true` if the system could not say whether what was written has reached the disk, and if there was no answer in
    /// time.
    #[must_use]
    pub fn may_be_stored(&self) -> bool {
        self.may_be_stored
    }

    /// One from SQLite, before anything was committed.
    pub(crate) fn sqlite(path: &Arc<Path>, error: &rusqlite::Error) -> Error {
        let kind = match error.sqlite_error_code() {
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => Kind::CannotOpen,
            Some(ErrorCode::ReadOnly) => Kind::ReadOnly,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
                Kind::Locked
            }
            Some(ErrorCode::DiskFull) => Kind::Full,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Kind::Damaged,
            _ => Kind::Other,
        };
        Error::new(kind, path, &error.to_string())
    }

    /// One from SQLite, while a transaction was committed. If the disk was full, SQLite has not written its end.
    pub(crate) fn commit(path: &Arc<Path>, error: &rusqlite::Error) -> Error {
        let error = Error::sqlite(path, error);
        Error { may_be_stored: !matches!(error.kind, Kind::Full | Kind::Locked), ..error }
    }

    /// One from the system.
    pub(crate) fn system(path: &Arc<Path>, error: &io::Error) -> Error {
        let kind = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Kind::Full,
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Kind::ReadOnly,
            io::ErrorKind::WouldBlock => Kind::Locked,
            _ => Kind::CannotOpen,
        };
        Error::new(kind, path, &error.to_string())
    }

    pub(crate) fn cannot_open(path: &Arc<Path>, cause: &str) -> Error {
        Error::new(Kind::CannotOpen, path, cause)
    }

    /// The tables have this version.
    pub(crate) fn version(path: &Arc<Path>, found: i64, known: i64) -> Error {
        let cause = format!("its tables have version {found}, and this version of eventwire-sqlite knows {known}");
        Error::new(Kind::Version, path, &cause)
    }

    pub(crate) fn no_answer(path: &Arc<Path>) -> Error {
        Error { may_be_stored: true, ..Error::new(Kind::NoAnswer, path, "the disk may be slow or gone") }
    }

    pub(crate) fn ended(path: &Arc<Path>) -> Error {
        Error { may_be_stored: true, ..Error::new(Kind::Ended, path, "it has panicked") }
    }

    /// The same for what is stored already, or may be.
    pub(crate) fn although_stored(self) -> Error {
        Error { may_be_stored: true, ..self }
    }

    fn new(kind: Kind, path: &Arc<Path>, cause: &str) -> Error {
        Error { kind, path: Arc::clone(path), cause: cause.into(), may_be_stored: false }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Error { kind, path, cause, .. } = self;
        let path = path.display();
        match kind {
            Kind::CannotOpen => write!(f, "cannot open {path}: {cause}"),
            Kind::ReadOnly => write!(f, "cannot write to {path} or its folder: {cause}"),
            Kind::Locked => write!(f, "{path} is locked by a transaction of another program: {cause}"),
            Kind::Full => write!(f, "the disk of {path} is full: {cause}"),
            Kind::Damaged => write!(f, "{path} is damaged or no SQLite file, restore it from a backup: {cause}"),
            Kind::Version => write!(f, "{path} is of another version: {cause}"),
            Kind::NoAnswer => write!(f, "no answer from {path} in time: {cause}"),
            Kind::Ended => write!(f, "the thread of {path} has ended: {cause}"),
            Kind::Other => write!(f, "cannot use {path}: {cause}"),
        }
    }
}

/// The cause is part of the message.
impl error::Error for Error {}
