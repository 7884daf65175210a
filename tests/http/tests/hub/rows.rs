//! Every row of the table of [`Channel::subscribe`], over HTTP.
//!
//! The channel has six events. If it is open, the first response ends after what the reader has missed; when it has
//! returned, a seventh event is sent, and the channel is finished.

use crate::{channel, http_client, quick, server::Server, until, watch::watch};
use eventwire::Event;
use eventwire_hub::{Channel, StreamPosition};
use eventwire_reqwest::RequestBuilderExt;
use eventwire_test_support::PATIENCE;
use futures_util::future::{join, join_all};
use std::{fmt::Write, str, time::Duration};
use tokio::time::{sleep, timeout};

struct Row {
    name: &'static str,
    sends: Sends,
    /// How many events the channel keeps.
    kept: usize,
    state: State,
    /// The answer to the first request: a stream, or `UpToDate`.
    answer: &'static str,
    /// The data of the gap event.
    gap: Option<&'static str>,
    /// The number after which the reader gets every event.
    after: u64,
}

enum Sends {
    Nothing,
    /// No ID, but the wish to begin with the oldest event.
    Earliest,
    /// The ID of an event: an epoch and a number.
    Id(u64, u64),
    Bytes(&'static [u8]),
    /// Events with these numbers, in the header and in the query.
    Both(u64, u64),
}

#[derive(PartialEq)]
enum State {
    Open,
    Finished,
}

use {Sends::*, State::*};

const ALL: usize = 1024;
/// Events 3 to 6.
const FOUR: usize = 4;
const EPOCH: u64 = 7;
const NEWEST: u64 = 6;
const UNKNOWN: Option<&str> = Some("{}");
const ONE: Option<&str> = Some(r#"{"missed":1}"#);
const TWO: Option<&str> = Some(r#"{"missed":2}"#);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("no ID; live, open", Nothing, FOUR, Open, "stream", None, 6),
    row("no ID; live, finished", Nothing, FOUR, Finished, "stream", None, 6),
    row("no ID; earliest, and nothing is lost", Earliest, ALL, Open, "stream", None, 0),
    row("no ID; earliest, and nothing is lost, finished", Earliest, ALL, Finished, "stream", None, 0),
    row("no ID; earliest, and some are lost", Earliest, FOUR, Open, "stream", TWO, 2),
    row("no ID; earliest, and some are lost, finished", Earliest, FOUR, Finished, "stream", TWO, 2),
    row("the newest ID, open", Id(7, 6), FOUR, Open, "stream", None, 6),
    row("the newest ID, finished", Id(7, 6), FOUR, Finished, "UpToDate", None, 6),
    row("an ID whose successor is kept, open", Id(7, 4), FOUR, Open, "stream", None, 4),
    row("an ID whose successor is kept, finished", Id(7, 4), FOUR, Finished, "stream", None, 4),
    row("the ID of a gap event, before the oldest that is kept", Id(7, 2), FOUR, Open, "stream", None, 2),
    row("an older ID, open", Id(7, 1), FOUR, Open, "stream", ONE, 2),
    row("an older ID, finished", Id(7, 1), FOUR, Finished, "stream", ONE, 2),
    row("the position before the first event", Id(7, 0), FOUR, Open, "stream", TWO, 2),
    row("an ID of another epoch, open", Id(8, 4), FOUR, Open, "stream", UNKNOWN, 2),
    row("an ID of another epoch, finished", Id(6, 4), FOUR, Finished, "stream", UNKNOWN, 2),
    row("an ID above the newest, open", Id(7, 9), FOUR, Open, "stream", UNKNOWN, 6),
    row("an ID above the newest, finished", Id(7, 7), FOUR, Finished, "stream", UNKNOWN, 6),
    row("text that is no ID, open", Bytes(b"42"), FOUR, Open, "stream", UNKNOWN, 6),
    row("text that is no ID, finished", Bytes("\u{1F980} & +%41".as_bytes()), FOUR, Finished, "stream", UNKNOWN, 6),
    row("an ID of over 2 KiB", Bytes(&[b'7'; 2049]), FOUR, Open, "stream", UNKNOWN, 6),
    row("an ID that is not UTF-8", Bytes(b"0000000000000007-4\xFF"), FOUR, Open, "stream", UNKNOWN, 6),
    // A browser has no header in its first request, but both in the second one, in all rows with an ID.
    row("the header wins over the query", Both(5, 1), FOUR, Open, "stream", None, 5),
    row("the header wins over the query, although it is older", Both(1, 5), FOUR, Open, "stream", ONE, 2),
];

const fn row(
    name: &'static str,
    sends: Sends,
    kept: usize,
    state: State,
    answer: &'static str,
    gap: Option<&'static str>,
    after: u64,
) -> Row {
    Row { name, sends, kept, state, answer, gap, after }
}

/// Also those that a browser cannot send.
#[tokio::test]
async fn every_row_with_our_client() {
    let client = http_client();
    let differences = join_all(ROWS.iter().map(async |row| {
        let case = Case::new(row).await;
        let (header, query) = row.header_and_query();
        let request = client.get(format!("http://{}/events{query}", case.server.address));
        let mut source = match (&header, header.as_deref().map(str::from_utf8)) {
            (_, Some(Ok(id))) => request.eventsource().unwrap().with_last_event_id(id).unwrap(),
            (Some(bytes), _) => request.header("last-event-id", bytes.as_slice()).eventsource().unwrap(),
            (None, _) => request.eventsource().unwrap(),
        }
        .with_policy(quick());
        let reading = timeout(PATIENCE, join(watch(&mut source), case.play()));
        let (seen, ()) = reading.await.expect(row.name);
        // Long enough to connect again.
        sleep(Duration::from_millis(200)).await;
        assert!(source.next().await.is_none());
        case.difference((header, query), &seen)
    }));
    assert_none(differences.await);
}

/// A row, and its channel on a server.
pub(crate) struct Case {
    row: &'static Row,
    channel: Channel,
    server: Server,
}

/// Those that a browser can send.
pub(crate) async fn cases() -> Vec<Case> {
    join_all(ROWS.iter().filter(|row| !matches!(row.sends, Both(..))).map(Case::new)).await
}

impl Row {
    /// What our client sends in its first request.
    fn header_and_query(&self) -> (Option<Vec<u8>>, String) {
        match self.sends {
            Nothing => (None, String::new()),
            Earliest => (None, "?earliest".to_owned()),
            Id(epoch, number) => (Some(id(epoch, number).into()), String::new()),
            Bytes(id) => (Some(id.to_owned()), String::new()),
            Both(header, query) => (Some(id(EPOCH, header).into()), format!("?last_event_id={}", id(EPOCH, query))),
        }
    }

    /// What a browser sends in its first request, and in all later ones.
    fn query(&self) -> String {
        let (header, mut query) = self.header_and_query();
        for (index, byte) in header.into_iter().flatten().enumerate() {
            let _ = write!(query, "{}%{byte:02x}", if index == 0 { "?last_event_id=" } else { "" });
        }
        query
    }
}

fn id(epoch: u64, number: u64) -> String {
    StreamPosition::new(epoch, number).to_string()
}

impl Case {
    async fn new(row: &'static Row) -> Case {
        let channel = channel(EPOCH, row.kept);
        for number in 1..=NEWEST {
            channel.send(&Event::new(number.to_string())).unwrap();
        }
        // The opening, the gap event, and what is kept.
        let mut first = 1 + usize::from(row.gap.is_some()) + usize::try_from(NEWEST - row.after).unwrap();
        if row.state == Finished {
            channel.finish();
            first = usize::MAX;
        }
        let server = Server::start(&[("events", channel.clone())], Duration::from_millis(20), first).await;
        Case { row, channel, server }
    }

    /// What a browser requests.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/events{}", self.server.address, self.row.query())
    }

    /// Sends a new event to a reader that has returned, and ends the stream.
    pub(crate) async fn play(&self) {
        if self.row.state == Open {
            until(self.row.name, || self.server.requests().len() == 2).await;
            self.channel.send(&Event::new("new")).unwrap();
            self.channel.finish();
        }
    }

    pub(crate) fn difference_in_browser(&self, seen: &[String]) -> Option<String> {
        self.difference((None, self.row.query()), seen)
    }

    /// Compares what the server and the reader have seen with the row. The ID was sent in this header, or this query.
    fn difference(&self, (header, query): (Option<Vec<u8>>, String), seen: &[String]) -> Option<String> {
        let Row { name, ref state, answer, gap, after, .. } = *self.row;
        let query = query.strip_prefix('?').unwrap_or("-");
        let mut requests =
            vec![format!("{} {query} {answer}", header.as_deref().map_or("-".into(), String::from_utf8_lossy))];
        let mut lines = Vec::new();
        if answer != "UpToDate" {
            lines.push("open".to_owned());
            lines.extend(gap.map(|data| format!("gap|{data}|{}", id(EPOCH, after))));
            lines.extend((after + 1..=NEWEST).map(|number| format!("message|{number}|{}", id(EPOCH, number))));
            lines.push("reconnecting".to_owned());
            let mut newest = id(EPOCH, NEWEST);
            if *state == Open {
                requests.push(format!("{newest} {query} stream"));
                newest = id(EPOCH, NEWEST + 1);
                lines.extend(["open".to_owned(), format!("message|new|{newest}"), "reconnecting".to_owned()]);
            }
            requests.push(format!("{newest} {query} UpToDate"));
        }
        lines.push("closed".to_owned());
        let got = self.server.requests();
        (got != requests || seen != lines).then(|| {
            format!("{name}\n  requests {got:?}\n  expected {requests:?}\n  reader   {seen:?}\n  expected {lines:?}\n")
        })
    }
}

#[track_caller]
pub(crate) fn assert_none(differences: impl IntoIterator<Item = Option<String>>) {
    let differences: String = differences.into_iter().flatten().collect();
    assert!(differences.is_empty(), "{differences}");
}
