//! Reading pages of the log.

use crate::{
    log::{Limit, Log, Page},
    stream_position::StreamPosition,
    topic::Topic,
};
use std::{sync::Arc, time::Duration};
use tokio::sync::Semaphore;

/// How many bytes the entries of a page have at most, unless there is only one. A slow network needs some seconds for them.
pub(crate) const PAGE_BYTES: usize = 1 << 20;

/// How to read pages.
pub(crate) struct Pages<L> {
    pub(crate) log: Arc<L>,
    /// The log is not read by all readers at once. They are closed with the hub.
    pub(crate) permits: Arc<Semaphore>,
    pub(crate) resync: Duration,
}

impl<L: Log> Pages<L> {
    /// Reads a page when it is its turn. `None` if the hub was dropped.
    pub(crate) async fn read(
        &self,
        topic: &Topic,
        after: Option<StreamPosition>,
        limit: Limit,
    ) -> Option<Result<Page, L::Error>> {
        let _permit = self.permits.acquire().await.ok()?;
        Some(self.log.read(topic, after, limit).await)
    }
}

impl<L> Clone for Pages<L> {
    fn clone(&self) -> Pages<L> {
        Pages { log: Arc::clone(&self.log), permits: Arc::clone(&self.permits), resync: self.resync }
    }
}
