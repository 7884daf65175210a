//! How long events are kept.

use rusqlite::Connection;
use std::time::Duration;

/// What is kept of each topic. Without a limit, all of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Retention {
    pub(crate) max_events: Option<usize>,
    pub(crate) max_bytes: Option<usize>,
    pub(crate) max_age: Option<Duration>,
}

/// How many events of a topic are removed at once at most. Meanwhile nobody can append.
const MOST: i64 = 1000;

impl Retention {
    pub(crate) fn keeps_all(self) -> bool {
        self.max_events.is_none() && self.max_bytes.is_none() && self.max_age.is_none()
    }

    /// Removes the oldest events of a topic, until it has no more than it may have. Returns whether there may be more.
    pub(crate) fn apply(self, connection: &Connection, topic: &str) -> rusqlite::Result<bool> {
        if self.keeps_all() {
            return Ok(false);
        }
        let limit = |limit: Option<usize>| limit.and_then(|limit| i64::try_from(limit).ok()).unwrap_or(i64::MAX);
        let (max_events, max_bytes) = (limit(self.max_events).max(1), limit(self.max_bytes));
        let max_age = self.max_age.and_then(|age| i64::try_from(age.as_millis()).ok()).unwrap_or(i64::MAX);

        let mut tail = connection.prepare_cached(
            "SELECT id, epoch, number, bytes, at FROM eventwire_topics, eventwire_now WHERE name = ?",
        )?;
        type Tail = (i64, i64, i64, i64, i64);
        let (id, epoch, number, mut bytes, now): Tail = tail.query_row([topic], |row| row.try_into())?;
        let mut oldest = connection.prepare_cached(
            "SELECT epoch, number, at, length(event) FROM eventwire_entries
             WHERE topic = ? ORDER BY epoch, number LIMIT ?",
        )?;
        let mut rows = oldest.query((id, MOST))?;
        let (mut last, mut removed) = (None, 0);
        while let Some(row) = rows.next()? {
            let at = (row.get(0)?, row.get(1)?);
            let is_one_too_many = at <= (epoch, number.saturating_sub(max_events)) && number > max_events;
            // However large the newest one is, it is kept.
            let are_bytes_too_many = bytes > max_bytes && at != (epoch, number);
            let is_too_old = now.saturating_sub(row.get(2)?) > max_age;
            if !is_one_too_many && !are_bytes_too_many && !is_too_old {
                break;
            }
            bytes -= row.get::<_, i64>(3)?;
            last = Some(at);
            removed += 1;
        }
        drop(rows);
        if let Some((epoch, number)) = last {
            connection
                .prepare_cached("DELETE FROM eventwire_entries WHERE topic = ? AND (epoch, number) <= (?, ?)")?
                .execute((id, epoch, number))?;
        }
        Ok(removed == MOST)
    }
}
