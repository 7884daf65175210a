//! The log.

use crate::error::Error;
use eventwire_hub::{Entry, Limit, Log, Page, StreamPosition, Topic, Wake};
use futures_core::stream::BoxStream;
use std::time::Duration;

/// Topics in Postgres: a [`Log`] for a [`Hub`](eventwire_hub::Hub).
#[derive(Clone, Debug)]
pub struct PostgresLog;

impl PostgresLog {
    /// Creates a log from a URL. It does not connect yet.
    ///
    /// # Errors
    ///
    /// If the URL is not one of Postgres.
    pub fn open(_url: &str) -> Result<PostgresLog, Error> {
        Err(Error)
    }

    /// Sets how many events of each topic are kept.
    #[must_use]
    pub fn with_max_events(self, _events: usize) -> PostgresLog {
        self
    }

    /// Sets how old events may become.
    #[must_use]
    pub fn with_max_age(self, _age: Duration) -> PostgresLog {
        self
    }
}

impl Log for PostgresLog {
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
