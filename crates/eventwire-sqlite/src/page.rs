//! Reading a page.

use crate::{
    database::{self, Database},
    error::Error,
};
use bytes::Bytes;
use eventwire_hub::{Limit, Page, StreamPosition, Topic};
use rusqlite::{OptionalExtension, TransactionBehavior};

/// Reads a page, all of one moment.
pub(crate) fn read(
    database: &mut Database,
    topic: &Topic,
    after: Option<StreamPosition>,
    limit: Limit,
) -> Result<Page, Error> {
    let (page, appended) = try_read(database, topic, after, limit)?;
    database.note(appended)?;
    Ok(page)
}

fn try_read(
    database: &mut Database,
    topic: &Topic,
    after: Option<StreamPosition>,
    limit: Limit,
) -> rusqlite::Result<(Page, i64)> {
    let reading = database.connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
    let appended = database::appended(&reading)?;
    let known = reading
        .prepare_cached("SELECT id, epoch, number, ended IS NOT NULL FROM eventwire_topics WHERE name = ?")?
        .query_row([topic.as_str()], |row| {
            Ok((row.get::<_, i64>(0)?, position(row.get(1)?, row.get(2)?), row.get::<_, bool>(3)?))
        })
        .optional()?;
    let Some((id, tail, finished)) = known else {
        let tail = StreamPosition::new(0, 0);
        return Ok((Page { entries: Vec::new(), tail, finished: false }, appended));
    };
    let after = after.unwrap_or(StreamPosition::new(0, 0));
    let mut select = reading.prepare_cached(
        "SELECT epoch, number, event FROM eventwire_entries
         WHERE topic = ? AND (epoch, number) > (?, ?) ORDER BY epoch, number LIMIT ?",
    )?;
    let most = i64::try_from(limit.entries).unwrap_or(i64::MAX);
    let mut rows = select.query((id, signed(after.epoch()), signed(after.sequence()), most))?;
    let mut entries: Vec<(StreamPosition, Bytes)> = Vec::new();
    let mut bytes = 0_usize;
    while let Some(row) = rows.next()? {
        let at = position(row.get(0)?, row.get(1)?);
        let event = row.get_ref(2)?.as_blob()?;
        bytes = bytes.saturating_add(event.len());
        if let Some((last, _)) = entries.last() {
            let is_next = at.epoch() == last.epoch() && at.sequence() == last.sequence() + 1;
            // The next page begins there, so the hub finds what is missing.
            if !is_next || bytes > limit.bytes {
                break;
            }
        }
        entries.push((at, Bytes::copy_from_slice(event)));
    }
    Ok((Page { entries, tail, finished }, appended))
}

/// Numbers of SQLite have a sign. Those of a log are never below zero.
pub(crate) fn position(epoch: i64, number: i64) -> StreamPosition {
    StreamPosition::new(epoch.cast_unsigned(), number.cast_unsigned())
}

/// No log has a position that is greater, but a reader may ask for one.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
