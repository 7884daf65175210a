//! What can go wrong.

use redis::{ErrorKind, RedisError, ServerErrorKind};
use std::{error, fmt};

/// Why Redis did not do what was asked.
///
/// The message says what happened, and what Redis or the connection has reported.
#[derive(Clone, Debug)]
pub struct Error {
    kind: Kind,
    cause: RedisError,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// There is no connection, so nothing was sent.
    Connect,
    /// The answer is an error, so nothing was done.
    Refused,
    /// The answer is an error, but the event is stored.
    Stored,
    /// The answer did not come in time, or was lost with the connection.
    NoAnswer,
    /// The answer is not one of this crate's commands.
    UnexpectedAnswer,
}

impl Error {
    /// Returns whether an event that was being sent may be stored, although there was an error.
    ///
    /// `false` if there was no connection, or if Redis has answered with an error, for example because its memory is
    /// full: nothing was stored. `true` if there was no answer in time, or if the connection broke before it came; and
    /// if the user has the right to store, but not one of the others that this crate needs.
    #[must_use]
    pub fn may_be_stored(&self) -> bool {
        matches!(self.kind, Kind::Stored | Kind::NoAnswer | Kind::UnexpectedAnswer)
    }

    pub(crate) fn connect(cause: RedisError) -> Error {
        Error { kind: Kind::Connect, cause }
    }

    pub(crate) fn command(cause: RedisError) -> Error {
        let kind = match cause.kind() {
            ErrorKind::Extension if cause.code() == Some("STORED") => Kind::Stored,
            ErrorKind::Server(_) | ErrorKind::Extension => Kind::Refused,
            ErrorKind::UnexpectedReturnType => Kind::UnexpectedAnswer,
            _ => Kind::NoAnswer,
        };
        Error { kind, cause }
    }

    pub(crate) fn unexpected(what: &'static str) -> Error {
        Error { kind: Kind::UnexpectedAnswer, cause: (ErrorKind::UnexpectedReturnType, what).into() }
    }

    /// Whether another connection is needed. A server that accepts no writes may have become a replica.
    pub(crate) fn ends_connection(&self) -> bool {
        match self.kind {
            Kind::Connect | Kind::NoAnswer => true,
            Kind::Refused => self.cause.kind() == ErrorKind::Server(ServerErrorKind::ReadOnly),
            Kind::Stored | Kind::UnexpectedAnswer => false,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            Kind::Connect => "cannot connect to Redis",
            Kind::Refused => "Redis has refused the command",
            Kind::Stored => "the event is stored, but Redis has refused a command",
            Kind::NoAnswer => "no answer from Redis",
            Kind::UnexpectedAnswer => "unexpected answer from Redis",
        };
        // That of an answer that is none has several lines.
        write!(f, "{what}: {}", self.cause.to_string().trim_end().replace(['\r', '\n'], " "))
    }
}

/// The cause is part of the message.
impl error::Error for Error {}
