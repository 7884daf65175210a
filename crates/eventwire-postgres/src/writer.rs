//! Appends, many in one transaction.
//!
//! Each commit waits for the disk. So what comes while one is on its way goes together in the next one. No transaction
//! waits for a lock while it has another, and for its first one only for a moment: a program that holds the lock of a
//! topic for long delays only those who append to that topic.

use crate::{
    connection::{Parameter, in_time},
    error::{Error, Kind},
    page::position,
};
use bytes::Bytes;
use eventwire_hub::{StreamPosition, Topic, internal::Watchers};
use std::{
    collections::HashMap,
    iter,
    time::{Duration, Instant},
};
use tokio::sync::{mpsc, oneshot};
use tokio_postgres::{Client, types::Type};

/// How long a transaction waits for the first topic.
const PATIENCE: &str = "20ms";
/// The same, if it has no other topic.
const PATIENCE_OF_ONE: &str = "200ms";
/// How long an append waits for a topic that is locked, in all.
const LOCKED: Duration = Duration::from_secs(5);
/// How many entries a transaction has at most.
const MOST: usize = 1000;
/// How many bytes they have together, unless the first one has more.
const MOST_BYTES: usize = 4 << 20;

const APPEND: &str = "SELECT entry, at_epoch, at_number FROM eventwire_append_all($1, $2, $3, $4, $5)";

/// An entry that is to be stored.
pub(crate) struct Append {
    pub(crate) topic: Topic,
    /// `None` is the end.
    pub(crate) event: Option<Bytes>,
    pub(crate) key: Option<Box<[u8]>>,
    /// How many events of the topic are to be kept.
    pub(crate) max_events: Option<i64>,
    pub(crate) since: Instant,
    pub(crate) answer: oneshot::Sender<Result<Option<StreamPosition>, Error>>,
}

impl Append {
    /// Does nothing if nobody waits for the answer any more.
    fn answer(self, result: Result<Option<StreamPosition>, Error>) {
        let _ = self.answer.send(result);
    }

    /// It was not sent.
    pub(crate) fn refuse(self, error: &Error) {
        self.answer(Err(error.clone().while_connecting()));
    }
}

/// Stores what comes until the connection breaks, which closes the watchers, or until nobody can send any more.
pub(crate) async fn write(client: &Client, mut new: mpsc::UnboundedReceiver<Append>, watchers: &Watchers) {
    let mut waiting = Waiting { appends: Vec::new(), alone: 0, in_vain: HashMap::new() };
    loop {
        if waiting.appends.is_empty() {
            waiting.in_vain.clear();
            let Some(append) = new.recv().await else { return };
            waiting.appends.push(append);
        }
        waiting.appends.extend(iter::from_fn(|| new.try_recv().ok()));
        let batch = waiting.next();
        let Some(first) = batch.first().map(|append| append.topic.clone()) else { continue };
        match store(client, &batch).await {
            Ok(positions) => {
                let mut locked = Vec::new();
                for (place, append) in (1..).zip(batch) {
                    if let Some(at) = positions.get(&place) {
                        waiting.in_vain.remove(&append.topic);
                        append.answer(Ok(*at));
                    } else {
                        *waiting.in_vain.entry(append.topic.clone()).or_default() += 1;
                        locked.push(append);
                    }
                }
                waiting.appends.splice(..0, locked);
            }
            Err(error) if error.is_locked() => {
                waiting.alone = 0;
                *waiting.in_vain.entry(first).or_default() += 1;
                waiting.appends.splice(..0, batch);
            }
            Err(error) if error.ends_connection() => {
                // First, so that those who come now open another connection.
                watchers.close();
                batch.into_iter().for_each(|append| append.answer(Err(error.clone())));
                // What has come meanwhile was not sent.
                new.close();
                while new.recv_many(&mut waiting.appends, MOST).await > 0 {}
                waiting.appends.into_iter().for_each(|append| append.refuse(&error));
                return;
            }
            // Each alone, because one of them may be the cause.
            Err(_) if batch.len() > 1 => {
                waiting.alone = batch.len();
                waiting.appends.splice(..0, batch);
            }
            Err(error) => batch.into_iter().for_each(|append| append.answer(Err(error.clone()))),
        }
    }
}

/// Stores entries, those of each topic one after the other. Returns the positions by their places, without those of
/// topics that are locked.
async fn store(client: &Client, batch: &[Append]) -> Result<HashMap<i32, Option<StreamPosition>>, Error> {
    let topics: Vec<_> = batch.iter().map(|append| append.topic.as_str()).collect();
    let events: Vec<_> = batch.iter().map(|append| append.event.as_deref()).collect();
    let keys: Vec<_> = batch.iter().map(|append| append.key.as_deref()).collect();
    let max_events: Vec<_> = batch.iter().map(|append| append.max_events).collect();
    let patience = if topics.first() == topics.last() { PATIENCE_OF_ONE } else { PATIENCE };
    let parameters: [Parameter<'_>; 5] = [
        (&topics, Type::TEXT_ARRAY),
        (&events, Type::BYTEA_ARRAY),
        (&keys, Type::BYTEA_ARRAY),
        (&max_events, Type::INT8_ARRAY),
        (&patience, Type::TEXT),
    ];
    let rows = in_time(client.query_typed(APPEND, &parameters)).await?;
    let mut positions = HashMap::new();
    for row in rows {
        let (epoch, number): (Option<i64>, Option<i64>) = (row.try_get(1)?, row.try_get(2)?);
        positions.insert(row.try_get(0)?, epoch.zip(number).map(position));
    }
    Ok(positions)
}

/// What is to be stored, the oldest first.
struct Waiting {
    appends: Vec<Append>,
    /// How many of them are to be stored alone.
    alone: usize,
    /// How often a topic was locked, if it was.
    in_vain: HashMap<Topic, u32>,
}

impl Waiting {
    /// Takes what is to be stored next. It begins with a topic that has seldom been locked, and has the entries of each
    /// topic one after the other.
    fn next(&mut self) -> Vec<Append> {
        self.appends.retain(|append| !append.answer.is_closed());
        let in_vain = &self.in_vain;
        let is_late = |append: &mut Append| in_vain.contains_key(&append.topic) && append.since.elapsed() >= LOCKED;
        for append in self.appends.extract_if(.., is_late) {
            append.answer(Err(Error::new(Kind::Locked, "it did not end within 5 s")));
        }
        if self.alone > 0 {
            self.alone -= 1;
            return self.appends.drain(..self.appends.len().min(1)).collect();
        }
        self.appends.sort_by_key(|append| in_vain.get(&append.topic).copied().unwrap_or(0));
        let mut bytes = 0;
        let fits = |append: &&Append| {
            bytes += append.event.as_ref().map_or(0, Bytes::len) + append.key.as_ref().map_or(0, |key| key.len());
            bytes <= MOST_BYTES
        };
        let count = self.appends.iter().take(MOST).take_while(fits).count().max(1).min(self.appends.len());
        let mut batch: Vec<_> = self.appends.drain(..count).collect();
        if let Some(first) = batch.first().map(|append| append.topic.clone()) {
            batch.sort_by(|a, b| (a.topic != first, &a.topic).cmp(&(b.topic != first, &b.topic)));
        }
        batch
    }
}
