//! A thousand connections that are dropped, without a missing or duplicated event.

use crate::{chance::Chance, counting_allocator::live, http_client};
use eventwire_client::{Item, ReconnectPolicy};
use eventwire_reqwest::RequestBuilderExt;
use std::{
    io::Write,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};

const DROPS: u64 = 1000;
/// The test takes a few seconds.
const PATIENCE: Duration = Duration::from_secs(110);

#[tokio::test]
async fn a_thousand_drops_and_each_number_once() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(serve(listener));

    let short = Duration::from_millis(1);
    let rules = ReconnectPolicy::new().with_min_delay(short).with_reconnection_time(short).with_max_delay(4 * short);
    let mut source = http_client().get(url).eventsource().unwrap().with_policy(rules);
    let begun = Instant::now();
    let (mut number, mut drops, mut failures) = (0, 0, 0);
    let mut at_start = None;
    while drops < DROPS {
        match tokio::time::timeout(PATIENCE, source.next()).await.expect("an item in time") {
            Some(Item::Event(event)) => {
                number += 1;
                assert_eq!(
                    (event.last_event_id(), event.data()),
                    (number.to_string().as_str(), padded(number).as_str())
                );
            }
            Some(Item::Reconnecting { error, .. }) => {
                drops += 1;
                failures += u32::from(matches!(error, eventwire_client::ConnectionError::Transport(_)));
                // By now, everything that is allocated once has been allocated.
                if drops == DROPS / 10 {
                    at_start = Some(live());
                }
            }
            Some(Item::Open(_)) => {}
            other => panic!("{other:?}"),
        }
    }
    assert!(begun.elapsed() < PATIENCE);
    // The connections were dropped at different places, and some were reset.
    assert!(number > DROPS && failures > 100, "{number} events, {failures} failures");
    let (start, at_end) = (at_start.expect("a tenth of the drops"), live());
    // Client and server run on this thread. A leak of a hundred bytes per connection would exceed this.
    assert!(at_end < start + 90 * 1024, "{start} bytes, then {at_end}");
}

/// Returns the data of an event, of up to 4 KiB.
fn padded(number: u64) -> String {
    format!("{number} {}", "\u{1F980}".repeat(usize::try_from(number * 37 % 1024).unwrap()))
}

/// Continues after the last event ID each time, and drops the connection somewhere.
async fn serve(listener: TcpListener) {
    let chance = Chance::new(2026);
    loop {
        let (client, _) = listener.accept().await.unwrap();
        // One after the other, because the client has one connection at a time.
        let _ = answer(client, &chance).await;
    }
}

async fn answer(client: TcpStream, chance: &Chance) -> std::io::Result<()> {
    client.set_nodelay(true)?;
    let mut client = BufReader::new(client);
    let (mut last, mut line) = (0, String::new());
    while line != "\r\n" {
        line.clear();
        if client.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("last-event-id")
        {
            last = value.trim().parse().unwrap();
        }
    }
    let mut client = client.into_inner();
    let mut body = Vec::new();
    for number in last + 1..=last + 1 + chance.below(20) {
        write!(body, "id: {number}\r\ndata: {}\r\n\r\n", padded(number))?;
    }
    body.truncate(usize::try_from(chance.below(u64::try_from(body.len()).unwrap() + 1)).unwrap());
    let end = chance.below(4);
    let length = if end == 0 { body.len() } else { 1 << 20 };
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: {length}\r\n\r\n");
    client.write_all(head.as_bytes()).await?;
    for chunk in body.chunks(1 + usize::try_from(chance.below(3000)).unwrap()) {
        client.write_all(chunk).await?;
        tokio::task::yield_now().await;
    }
    match end {
        // The response is complete, and the server closes the connection.
        0 => client.shutdown().await,
        1 => client.set_zero_linger(),
        // The connection breaks within the response.
        _ => Ok(()),
    }
}
