//! Appends, many in one transaction.
//!
//! Each commit waits for the disk. So what comes while one is on its way goes together in the next one. No transaction
//! waits for a lock while it has another, and for its first one only for a moment: a program that holds the lock of a
//! topic for long delays only those who append to that topic.

use crate::{
    connection::{ANSWER, Parameter},
    error::Error,
};
use bytes::Bytes;
use eventwire_hub::{StreamPosition, Topic};
use std::{
    collections::HashMap,
    iter, mem,
    time::{Duration, Instant},
};
use tokio::{
    sync::{mpsc, oneshot},
    time,
};
use tokio_postgres::{Client, types::Type};

/// How long a transaction waits for the first topic.
const PATIENCE: &str = "20ms";
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

/// Stores what comes until the connection breaks, which is an error, or until nobody can send any more.
pub(crate) async fn write(client: &Client, new: &mut mpsc::UnboundedReceiver<Append>) -> Result<(), Error> {
    let mut waiting = Waiting { appends: Vec::new(), alone: 0, in_vain: HashMap::new() };
    loop {
        if waiting.appends.is_empty() {
            let Some(append) = new.recv().await else { return Ok(()) };
            waiting.appends.push(append);
        }
        waiting.appends.extend(iter::from_fn(|| new.try_recv().ok()));
        // Somebody may have stopped to wait.
        waiting.appends.retain(|append| !append.answer.is_closed());
        let batch = waiting.next();
        let Some(first) = batch.first().map(|append| append.topic.clone()) else { continue };
        match store(client, &batch).await {
            Ok(positions) => waiting.answer(batch, positions),
            Err(error) if error.is_locked() => waiting.put_off(batch, &first, &error),
            // Each alone, because one of them may be the cause.
            Err(error) if batch.len() > 1 && !error.ends_connection() => waiting.separate(batch),
            Err(error) => {
                let ends = error.ends_connection();
                for append in batch {
                    // Nobody may wait any more.
                    let _ = append.answer.send(Err(error.clone()));
                }
                if ends {
                    refuse(waiting.appends, &error);
                    return Err(error);
                }
            }
        }
    }
}

/// Answers appends that were not sent.
pub(crate) fn refuse(appends: impl IntoIterator<Item = Append>, error: &Error) {
    for append in appends {
        let _ = append.answer.send(Err(error.clone().while_connecting()));
    }
}

/// Stores entries, those of each topic one after the other. Returns the positions by their places, without those of
/// topics that are locked.
async fn store(client: &Client, batch: &[Append]) -> Result<HashMap<usize, Option<StreamPosition>>, Error> {
    let topics: Vec<_> = batch.iter().map(|append| append.topic.as_str()).collect();
    let events: Vec<_> = batch.iter().map(|append| append.event.as_deref()).collect();
    let keys: Vec<_> = batch.iter().map(|append| append.key.as_deref()).collect();
    let max_events: Vec<_> = batch.iter().map(|append| append.max_events).collect();
    let parameters: [Parameter<'_>; 5] = [
        (&topics, Type::TEXT_ARRAY),
        (&events, Type::BYTEA_ARRAY),
        (&keys, Type::BYTEA_ARRAY),
        (&max_events, Type::INT8_ARRAY),
        (&PATIENCE, Type::TEXT),
    ];
    let rows = time::timeout(ANSWER, client.query_typed(APPEND, &parameters))
        .await
        .map_err(|_| Error::no_answer("not in time"))??;
    let position = |row: &tokio_postgres::Row| {
        let (epoch, number): (Option<i64>, Option<i64>) = (row.try_get(1)?, row.try_get(2)?);
        let at = epoch.zip(number).map(|(epoch, number)| StreamPosition::new(epoch as u64, number as u64));
        Ok((row.try_get::<_, i32>(0)? as usize - 1, at))
    };
    let positions: Result<_, tokio_postgres::Error> = rows.iter().map(position).collect();
    positions.map_err(|error| Error::unexpected(&error.to_string()))
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
        if self.alone > 0 {
            self.alone = self.alone.min(self.appends.len()).saturating_sub(1);
            return self.appends.drain(..self.appends.len().min(1)).collect();
        }
        let in_vain = &self.in_vain;
        self.appends.sort_by_key(|append| in_vain.get(&append.topic).copied().unwrap_or(0));
        let mut bytes = 0;
        let fits = |append: &&Append| {
            bytes += append.event.as_ref().map_or(0, Bytes::len) + append.key.as_ref().map_or(0, |key| key.len());
            bytes <= MOST_BYTES
        };
        let count = self.appends.iter().take(MOST).take_while(fits).count().max(1).min(self.appends.len());
        let mut batch: Vec<_> = self.appends.drain(..count).collect();
        let mut places = HashMap::new();
        for (place, append) in batch.iter().enumerate() {
            places.entry(append.topic.clone()).or_insert(place);
        }
        batch.sort_by_key(|append| places[&append.topic]);
        batch
    }

    /// Those without a position wait on.
    fn answer(&mut self, batch: Vec<Append>, positions: HashMap<usize, Option<StreamPosition>>) {
        let mut locked = Vec::new();
        for (place, append) in batch.into_iter().enumerate() {
            match positions.get(&place) {
                Some(at) => {
                    self.in_vain.remove(&append.topic);
                    let _ = append.answer.send(Ok(*at));
                }
                None => locked.push(append),
            }
        }
        self.put_back(locked);
    }

    /// All of them wait on, because the first topic was locked, unless they have waited for too long.
    fn put_off(&mut self, batch: Vec<Append>, locked: &Topic, error: &Error) {
        *self.in_vain.entry(locked.clone()).or_default() += 1;
        self.alone = 0;
        self.put_back(batch);
        let is_late = |append: &Append| append.topic == *locked && append.since.elapsed() >= LOCKED;
        let (late, on_time) = mem::take(&mut self.appends).into_iter().partition(is_late);
        self.appends = on_time;
        let late: Vec<_> = late;
        for append in late {
            let _ = append.answer.send(Err(error.clone()));
        }
        if !self.appends.iter().any(|append| append.topic == *locked) {
            self.in_vain.remove(locked);
        }
    }

    fn separate(&mut self, batch: Vec<Append>) {
        self.alone = batch.len();
        self.put_back(batch);
    }

    fn put_back(&mut self, appends: Vec<Append>) {
        self.appends.splice(..0, appends);
    }
}
