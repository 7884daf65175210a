//! What can go wrong.

use std::{error, fmt, iter, sync::Arc};
use tokio_postgres::error::SqlState;

/// Why Postgres did not do what was asked.
///
/// The message says what happened, and what Postgres or the connection has reported.
#[derive(Clone, Debug)]
pub struct Error {
    kind: Kind,
    cause: Arc<str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The URL is wrong, or a file that it names.
    Url,
    /// There is no connection, so nothing was sent.
    Connect,
    /// The answer is an error, so nothing was done.
    Refused,
    /// The same, because the server accepts no writes.
    ReadOnly,
    /// Another transaction was in the way, so nothing was done.
    Locked,
    /// The answer did not come in time, was lost with the connection, or is not one of this crate's functions.
    NoAnswer,
}

impl Error {
    /// Returns whether an event that was being sent may be stored, although there was an error.
    ///
    /// `false` if there was no connection, or if Postgres has answered with an error, for example because its disk is
    /// full, or if a transaction of another program has locked the topic for too long: nothing was stored. `true` if
    /// there was no answer in time, or if the connection broke before it came.
    #[must_use]
    pub fn may_be_stored(&self) -> bool {
        self.kind == Kind::NoAnswer
    }

    pub(crate) fn new(kind: Kind, cause: &str) -> Error {
        Error { kind, cause: cause.into() }
    }

    pub(crate) fn connect(cause: &str) -> Error {
        Error::new(Kind::Connect, cause)
    }

    /// The same, of something that has only prepared the connection.
    pub(crate) fn while_connecting(self) -> Error {
        Error { kind: Kind::Connect, ..self }
    }

    /// Whether the same may succeed once another transaction has ended.
    pub(crate) fn is_locked(&self) -> bool {
        self.kind == Kind::Locked
    }

    /// Whether another connection is needed. A server that accepts no writes may be a standby.
    pub(crate) fn ends_connection(&self) -> bool {
        matches!(self.kind, Kind::Connect | Kind::NoAnswer | Kind::ReadOnly)
    }
}

/// The answer to a statement.
impl From<tokio_postgres::Error> for Error {
    fn from(error: tokio_postgres::Error) -> Error {
        let Some(code) = error.code() else { return Error::new(Kind::NoAnswer, &describe(&error)) };
        let kind = match *code {
            // The session was terminated, or a proxy has lost it, perhaps after it was done.
            _ if code.code().starts_with("57P") || code.code().starts_with("08") => Kind::NoAnswer,
            SqlState::LOCK_NOT_AVAILABLE | SqlState::T_R_DEADLOCK_DETECTED | SqlState::T_R_SERIALIZATION_FAILURE => {
                Kind::Locked
            }
            SqlState::READ_ONLY_SQL_TRANSACTION => Kind::ReadOnly,
            _ => Kind::Refused,
        };
        Error::new(kind, &describe(&error))
    }
}

/// What Postgres has answered, without what it says about rows, or else an error and its causes.
pub(crate) fn describe(error: &tokio_postgres::Error) -> String {
    if let Some(error) = error.as_db_error() {
        return format!("{} (SQLSTATE {})", error.message(), error.code().code());
    }
    let error: &dyn error::Error = error;
    iter::successors(Some(error), |error| error.source()).map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            Kind::Url => "cannot use the URL",
            Kind::Connect => "cannot connect to Postgres",
            Kind::Refused | Kind::ReadOnly => "Postgres has refused the command",
            Kind::Locked => "the topic is locked by a transaction of another program",
            Kind::NoAnswer => "no answer from Postgres",
        };
        write!(f, "{what}: {}", self.cause.trim_end().replace(['\r', '\n'], " "))
    }
}

/// The cause is part of the message.
impl error::Error for Error {}
