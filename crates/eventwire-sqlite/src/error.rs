//! What can go wrong.

use rusqlite::ErrorCode;
use std::{error, fmt, io, path::Path, sync::Arc};

/// Why the file did not do what was asked.
///
/// The message says what happened, to which file, and what SQLite or the system has reported.
#[derive(Clone, Debug)]
pub struct Error {
    kind: Kind,
    /// What SQLite or the system says.
    cause: Arc<str>,
    /// The caller knows it at the end.
    path: Option<Arc<Path>>,
    may_be_stored: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    CannotOpen,
    ReadOnly,
    Locked,
    Full,
    Damaged,
    /// Not in time, or not at all.
    NoAnswer,
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

    pub(crate) fn new(kind: Kind, cause: &str) -> Error {
        Error { kind, cause: cause.into(), path: None, may_be_stored: kind == Kind::NoAnswer }
    }

    /// The same, of a transaction that was being committed. If the disk was full, SQLite has not written its end.
    pub(crate) fn while_committing(self) -> Error {
        Error { may_be_stored: !matches!(self.kind, Kind::Full | Kind::Locked), ..self }
    }

    /// The same, of what is stored already.
    pub(crate) fn although_stored(self) -> Error {
        Error { may_be_stored: true, ..self }
    }

    /// The same, with the path of the file, unless it is of another one.
    pub(crate) fn of(self, path: &Arc<Path>) -> Error {
        Error { path: self.path.or_else(|| Some(Arc::clone(path))), ..self }
    }
}

/// Nothing was committed.
impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Error {
        use ErrorCode::{
            CannotOpen, DatabaseBusy, DatabaseCorrupt, DatabaseLocked, DiskFull, FileLockingProtocolFailed,
            NotADatabase, PermissionDenied, ReadOnly,
        };
        let kind = match error.sqlite_error_code() {
            Some(CannotOpen | PermissionDenied) => Kind::CannotOpen,
            Some(ReadOnly) => Kind::ReadOnly,
            Some(DatabaseBusy | DatabaseLocked | FileLockingProtocolFailed) => Kind::Locked,
            Some(DiskFull) => Kind::Full,
            Some(DatabaseCorrupt | NotADatabase) => Kind::Damaged,
            _ => Kind::Other,
        };
        Error::new(kind, &error.to_string())
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        let kind = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Kind::Full,
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Kind::ReadOnly,
            io::ErrorKind::WouldBlock => Kind::Locked,
            _ => Kind::CannotOpen,
        };
        Error::new(kind, &error.to_string())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.as_deref().unwrap_or(Path::new("the file")).display();
        match self.kind {
            Kind::CannotOpen => write!(f, "cannot open {path}")?,
            Kind::ReadOnly => write!(f, "cannot write to {path} or its folder")?,
            Kind::Locked => write!(f, "{path} is locked by another program")?,
            Kind::Full => write!(f, "the disk of {path} is full")?,
            Kind::Damaged => write!(f, "{path} is damaged or not a SQLite file, so restore a backup")?,
            Kind::NoAnswer => write!(f, "no answer from {path}")?,
            Kind::Other => write!(f, "cannot use {path}")?,
        }
        write!(f, ": {}", self.cause)
    }
}

/// The cause is part of the message.
impl error::Error for Error {}
