//! A part of a topic, in one query.

use crate::error::Error;
use bytes::Bytes;
use eventwire_hub::{Limit, Page, StreamPosition};
use tokio_postgres::{Client, types::Type};

/// One statement, so all of it is of one moment.
const READ: &str = "SELECT t.epoch, t.number, t.ended, e.epoch, e.number, e.event
    FROM eventwire_topics t LEFT JOIN LATERAL (
        SELECT f.*, sum(octet_length(f.event)) OVER (ORDER BY f.epoch, f.number) AS bytes FROM (
            SELECT epoch, number, event FROM eventwire_entries
            WHERE topic = $1 AND (epoch, number) > ($2, $3) AND (epoch, number) <= (t.epoch, t.number)
            ORDER BY epoch, number LIMIT $4
        ) f
    ) e ON e.bytes <= $5 OR e.bytes = octet_length(e.event)
    WHERE t.name = $1 ORDER BY e.epoch, e.number";

pub(crate) async fn read(
    client: &Client,
    topic: &str,
    after: Option<StreamPosition>,
    limit: Limit,
) -> Result<Page, Error> {
    let after = after.unwrap_or(StreamPosition::new(0, 0));
    // The numbers of Postgres are signed. Somebody has made up a greater one.
    let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let (epoch, number) = (signed(after.epoch()), signed(after.sequence()));
    let (most, bytes) = (signed(limit.entries as u64), signed(limit.bytes as u64));
    let parameters = [&epoch, &number, &most, &bytes].map(|number| (number as _, Type::INT8));
    let rows = client.query_typed(READ, &[&[(&topic as _, Type::TEXT)], &parameters[..]].concat()).await?;
    let mut page = Page { entries: Vec::new(), tail: StreamPosition::new(0, 0), finished: false };
    for row in rows {
        page.tail = position((row.try_get(0)?, row.try_get(1)?));
        page.finished = row.try_get(2)?;
        // A topic without entries is one row without an entry.
        let Some(epoch) = row.try_get(3)? else { break };
        let at = position((epoch, row.try_get(4)?));
        let is_next = |last: StreamPosition| (last.epoch(), last.sequence() + 1) == (at.epoch(), at.sequence());
        // A page is of one epoch and ends before a hole, and the next page begins after it, so the hub finds what is
        // missing.
        if page.entries.last().is_some_and(|(last, _)| !is_next(*last)) {
            break;
        }
        page.entries.push((at, Bytes::copy_from_slice(row.try_get(5)?)));
    }
    Ok(page)
}

pub(crate) fn position((epoch, number): (i64, i64)) -> StreamPosition {
    StreamPosition::new(epoch.cast_unsigned(), number.cast_unsigned())
}
