//! What readers get, in a short form: `@7-3` is an opening, `7-4 a` an event, and `gap 7-6 2` a gap event.

use eventwire::IntoOutgoing;
use futures_util::{Stream, StreamExt};
use std::{convert::Infallible, time::Duration};
use tokio::time::timeout;

/// Longer than what happens without a failure, and shorter than a resync.
pub(crate) const SOON: Duration = Duration::from_secs(1);

/// Returns everything that comes until nothing has come for a second, and at the end `(end)`.
pub(crate) async fn ready<S>(reader: &mut S) -> Vec<String>
where
    S: Stream<Item: IntoOutgoing<Error = Infallible>> + Unpin,
{
    within(reader, SOON).await
}

/// Returns everything that comes until nothing has come for as long.
pub(crate) async fn within<S>(reader: &mut S, quiet: Duration) -> Vec<String>
where
    S: Stream<Item: IntoOutgoing<Error = Infallible>> + Unpin,
{
    let mut items = Vec::new();
    while let Ok(item) = timeout(quiet, reader.next()).await {
        let Some(item) = item else {
            items.push("(end)".to_owned());
            break;
        };
        items.push(text(item));
        assert!(items.len() < 10_000, "a reader gets more and more");
    }
    items
}

/// Returns the next item, which comes soon.
pub(crate) async fn one<S>(reader: &mut S) -> String
where
    S: Stream<Item: IntoOutgoing<Error = Infallible>> + Unpin,
{
    timeout(SOON, reader.next()).await.expect("an item").map_or("(end)".to_owned(), text)
}

pub(crate) fn text(item: impl IntoOutgoing<Error = Infallible>) -> String {
    let Ok(item) = item.into_outgoing();
    let text = String::from_utf8(item.into_bytes().into()).unwrap();
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
    let id = field("id: ").map_or("none".to_owned(), short_ids);
    match (field("event: "), field("data: ")) {
        (Some("gap"), Some(data)) => format!("gap {id} {}", missed(data)),
        (_, Some(data)) => format!("{id} {data}"),
        (_, None) => format!("@{id}"),
    }
}

/// The number in a gap event's data, and its topic.
fn missed(data: &str) -> String {
    let data = data.trim_matches(['{', '}']);
    let value = |name: &str| data.split(',').find_map(|pair| pair.strip_prefix(name));
    let missed = value("\"missed\":").unwrap_or("?");
    value("\"topic\":").map_or(missed.to_owned(), |topic| format!("{} {missed}", topic.trim_matches('"')))
}

/// `7-3` for `0000000000000007-3`, and so on for each part of the ID of a merged stream.
fn short_ids(id: &str) -> String {
    let short = |id: &str| {
        let id = id.trim_start_matches('0');
        if id.starts_with('-') && id.len() > 1 { format!("0{id}") } else { id.to_owned() }
    };
    let of_topic =
        |id: &str| id.split_once('=').map_or_else(|| short(id), |(name, id)| format!("{name}={}", short(id)));
    id.split(',').map(of_topic).collect::<Vec<_>>().join(",")
}

/// The events with these numbers of epoch 7, as `Script::push` numbers them.
pub(crate) fn events(numbers: impl IntoIterator<Item = u64>) -> Vec<String> {
    numbers.into_iter().map(|number| format!("7-{number} {number}")).collect()
}
