//! A thousand connections that are dropped, without a missing or duplicated event.

use crate::{chance::Chance, counting_allocator::live, http_client};
use bytes::Bytes;
use eventwire_client::{ConnectionError, Item, ReconnectPolicy};
use eventwire_reqwest::RequestBuilderExt;
use eventwire_test::{End, Resume, Script, TestServer};
use std::time::Duration;

const DROPS: u64 = 1000;
/// The test takes some seconds.
const PATIENCE: Duration = Duration::from_secs(110);

#[tokio::test]
async fn a_thousand_drops_and_each_number_once() {
    let server = TestServer::new().answers(answers());
    let short = Duration::from_millis(1);
    let rules = ReconnectPolicy::new().with_min_delay(short).with_reconnection_time(short).with_max_delay(4 * short);
    let mut source = http_client().get(server.url()).eventsource().unwrap().with_policy(rules);
    let (mut number, mut drops, mut failures) = (0, 0, 0);
    let mut at_start = None;
    let reading = async {
        while drops < DROPS {
            match source.next().await {
                Some(Item::Event(event)) => {
                    number += 1;
                    assert_eq!(
                        (event.last_event_id(), event.data()),
                        (number.to_string().as_str(), padded(number).as_str())
                    );
                }
                Some(Item::Reconnecting { error, .. }) => {
                    drops += 1;
                    failures += u64::from(matches!(error, ConnectionError::Transport(_)));
                    // By now, everything that is allocated once has been allocated.
                    if drops == DROPS / 10 {
                        at_start = Some(live());
                    }
                }
                Some(Item::Open(_)) => {}
                other => panic!("{other:?}"),
            }
        }
    };
    tokio::time::timeout(PATIENCE, reading).await.expect("all drops in time");
    // The connections were dropped at different places, and some were reset.
    assert!(number > 3 * DROPS && failures > DROPS / 2, "{number} events, {failures} failures");
    let (start, at_end) = (at_start.expect("a tenth of the drops"), live());
    // The client runs on this thread. A leak of fifty bytes per connection would exceed this.
    assert!(at_end < start + 40 * 1024, "{start} bytes, then {at_end}");
}

/// Each answer continues after the last event ID, and is dropped somewhere.
fn answers() -> impl Iterator<Item = Script> {
    let chance = Chance::new(2026);
    let event = |number| format!("id: {number}\r\ndata: {}\r\n\r\n", padded(number));
    // More than the client reads.
    let events: Bytes = (1..8 * DROPS).map(event).collect::<String>().into();
    (0..DROPS).map(move |seed| {
        let script = Script::new().send(events.clone()).with_resume(Resume::Exact).random_chunks(seed);
        let script = script.cut_within(chance.below(10), chance.below(500));
        match chance.below(4) {
            0 => script.with_end(End::Complete),
            1 => script.with_end(End::Reset),
            _ => script.with_end(End::Close),
        }
    })
}

/// Returns the data of an event, of up to 512 bytes.
fn padded(number: u64) -> String {
    format!("{number} {}", "\u{1F980}".repeat(usize::try_from(number * 37 % 128).unwrap()))
}
