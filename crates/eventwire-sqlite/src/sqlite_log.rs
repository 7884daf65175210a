//! The log.

use crate::error::Error;
use eventwire_hub::{Entry, Limit, Log, Page, StreamPosition, Topic, Wake};
use futures_core::stream::BoxStream;
use std::{path::Path, time::Duration};

/// Topics in one SQLite file: a [`Log`] for a [`Hub`](eventwire_hub::Hub).
#[derive(Clone, Debug)]
pub struct SqliteLog;

/// What a power cut may lose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Nothing that was accepted.
    #[default]
    Full,
    /// The last events.
    Normal,
}

impl SqliteLog {
    /// Opens the file, or creates it.
    ///
    /// # Errors
    ///
    /// If it cannot be opened.
    pub fn open(_path: impl AsRef<Path>) -> Result<SqliteLog, Error> {
        Err(Error)
    }

    /// Sets what a power cut may lose.
    #[must_use]
    pub fn with_durability(self, _durability: Durability) -> SqliteLog {
        self
    }

    /// Sets how many events of each topic are kept.
    #[must_use]
    pub fn with_max_events(self, _events: usize) -> SqliteLog {
        self
    }

    /// Sets how many bytes of each topic are kept.
    #[must_use]
    pub fn with_max_bytes(self, _bytes: usize) -> SqliteLog {
        self
    }

    /// Sets how old events may become.
    #[must_use]
    pub fn with_max_age(self, _age: Duration) -> SqliteLog {
        self
    }

    /// Begins a new epoch of all topics.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub async fn new_epoch(&self) -> Result<(), Error> {
        Err(Error)
    }
}

impl Log for SqliteLog {
    type Error = Error;
    type Wakes = BoxStream<'static, Wake>;

    async fn append(&self, _: &Topic, _: Entry<'_>, _: Option<&str>) -> Result<Option<StreamPosition>, Error> {
        Err(Error)
    }

    async fn read(&self, _: &Topic, _: Option<StreamPosition>, _: Limit) -> Result<Page, Error> {
        Err(Error)
    }

    async fn watch(&self, _: &Topic) -> Result<BoxStream<'static, Wake>, Error> {
        Err(Error)
    }
}
