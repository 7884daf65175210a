//! How long events are kept.

use crate::{database::Database, error::Error};
use eventwire_hub::Topic;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use std::time::Duration;

/// What is kept of each topic. Without a limit, all of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Retention {
    pub(crate) max_events: Option<usize>,
    pub(crate) max_bytes: Option<usize>,
    pub(crate) max_age: Option<Duration>,
}

impl Retention {
    pub(crate) fn keeps_all(self) -> bool {
        self.max_events.is_none() && self.max_bytes.is_none() && self.max_age.is_none()
    }
}

/// How many events one transaction removes at most. Meanwhile nobody can append.
const MOST: i64 = 1000;

/// Removes some of what is too old or too much. Returns whether there may be more.
pub(crate) fn remove_some(database: &mut Database, retention: Retention) -> Result<bool, Error> {
    try_remove(&mut database.connection, retention).map_err(|error| Error::sqlite(&database.path, &error))
}

fn try_remove(connection: &mut Connection, retention: Retention) -> rusqlite::Result<bool> {
    let mut is_more = false;
    if let Some(age) = retention.max_age {
        let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
        // The oldest entries are the first ones, of all topics.
        let removed = connection
            .prepare_cached(
                "DELETE FROM eventwire_entries WHERE id IN (
                     SELECT id FROM (SELECT id, at FROM eventwire_entries ORDER BY id LIMIT ?)
                     WHERE at < (SELECT at FROM eventwire_now) - ?
                 )",
            )?
            .execute((MOST, age))?;
        is_more = i64::try_from(removed).is_ok_and(|removed| removed == MOST);
    }
    let topics = over_limit(connection, retention)?;
    for topic in topics {
        let removing = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        is_more |= remove_of_id(&removing, topic, retention)?;
        removing.commit()?;
    }
    Ok(is_more)
}

/// Returns the topics that have too many events or bytes.
fn over_limit(connection: &Connection, retention: Retention) -> rusqlite::Result<Vec<i64>> {
    let (events, bytes) = limits(retention);
    connection
        .prepare_cached(
            "SELECT id FROM eventwire_topics AS topics WHERE bytes > ?2 OR number > ?1 AND EXISTS (
                 SELECT 1 FROM eventwire_entries AS entries
                 WHERE topic = topics.id AND (entries.epoch, entries.number) <= (topics.epoch, topics.number - ?1)
             )",
        )?
        .query_map((events, bytes), |row| row.get(0))?
        .collect()
}

/// Removes what is too much of one topic, as part of a transaction.
pub(crate) fn remove_of(connection: &Connection, topic: &Topic, retention: Retention) -> rusqlite::Result<()> {
    if retention.max_events.is_none() && retention.max_bytes.is_none() {
        return Ok(());
    }
    let id = "SELECT id FROM eventwire_topics WHERE name = ?";
    let id = connection.prepare_cached(id)?.query_row([topic.as_str()], |row| row.get(0)).optional()?;
    id.map_or(Ok(false), |id| remove_of_id(connection, id, retention)).map(|_| ())
}

/// Returns whether there is more. The newest event always stays.
fn remove_of_id(connection: &Connection, topic: i64, retention: Retention) -> rusqlite::Result<bool> {
    let (events, bytes) = limits(retention);
    let removed = connection
        .prepare_cached(
            "DELETE FROM eventwire_entries WHERE id IN (
                 SELECT entries.id FROM eventwire_entries AS entries, eventwire_topics AS topics
                 WHERE topics.id = ?1 AND topic = ?1 AND topics.number > ?2
                     AND (entries.epoch, entries.number) <= (topics.epoch, topics.number - ?2)
                 ORDER BY entries.epoch, entries.number LIMIT ?3
             )",
        )?
        .execute((topic, events, MOST))?;
    let mut is_more = i64::try_from(removed).is_ok_and(|removed| removed == MOST);

    let (mut kept, tail): (i64, (i64, i64)) = connection
        .prepare_cached("SELECT bytes, epoch, number FROM eventwire_topics WHERE id = ?")?
        .query_row([topic], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
    if kept > bytes {
        let mut last = None;
        let mut select = connection.prepare_cached(
            "SELECT epoch, number, length(event) FROM eventwire_entries
             WHERE topic = ? ORDER BY epoch, number LIMIT ?",
        )?;
        let mut oldest = select.query((topic, MOST))?;
        while kept > bytes
            && let Some(row) = oldest.next()?
        {
            let at = (row.get(0)?, row.get(1)?);
            if at == tail {
                break;
            }
            kept -= row.get::<_, i64>(2)?;
            last = Some(at);
        }
        drop(oldest);
        if let Some((epoch, number)) = last {
            connection
                .prepare_cached("DELETE FROM eventwire_entries WHERE topic = ? AND (epoch, number) <= (?, ?)")?
                .execute((topic, epoch, number))?;
        }
        is_more |= kept > bytes && last.is_some();
    }
    Ok(is_more)
}

/// The limits of events and bytes. At least one event is kept.
fn limits(retention: Retention) -> (i64, i64) {
    let limit = |limit: Option<usize>| limit.and_then(|limit| i64::try_from(limit).ok()).unwrap_or(i64::MAX);
    (limit(retention.max_events).max(1), limit(retention.max_bytes))
}
