//! Channels with the `EventSource` of Chromium.

use crate::{
    browser::browse,
    channel,
    killing_relay::KillingRelay,
    rows::{Case, assert_none, cases},
    server::Server,
    until,
};
use eventwire::Event;
use eventwire_hub::Channel;
use futures_util::future::{join, join_all};
use std::time::Duration;

#[tokio::test]
#[ignore = "needs Chromium and playwright-core: tests/interop/run tests"]
async fn every_row_that_a_browser_can_send() {
    let cases = cases().await;
    let playing = join_all(cases.iter().map(Case::play));
    let (pages, _) = join(browse(cases.iter().map(Case::url).collect()), playing).await;
    let differences = cases.iter().zip(&pages).map(|(case, seen)| case.difference_in_browser(seen));
    assert_none(differences);
}

/// Connections are killed inside an event, or next to one.
#[tokio::test]
#[ignore = "needs Chromium and playwright-core: tests/interop/run tests"]
async fn both_topics_resume_after_each_of_three_cuts() {
    const CUTS: usize = 3;
    let topics = [("prices", channel(7, 1024)), ("chat", channel(8, 1024))];
    let server = Server::start(&topics, Duration::from_millis(20), usize::MAX).await;
    let relay = KillingRelay::start(server.address, u64::MAX..u64::MAX).await;
    let ids = || format!("prices={},chat={}", topics[0].1.position(), topics[1].1.position());
    // Without it, a page whose first connection is cut before the opening begins with the next event again.
    let query = format!("last_event_id={}", ids());
    let page = tokio::spawn(browse(vec![format!("http://{}/merged?{query}", relay.address())]));

    // The browser may have other connections, which are cut too.
    until("the first request", || !server.requests().is_empty()).await;
    for _ in 0..CUTS {
        let (requests, kills) = (server.requests().len(), relay.kills());
        send(&topics);
        let is_cut = || {
            relay.cut();
            send(&topics);
            relay.kills() > kills
        };
        until("the cut", is_cut).await;
        until("the next request", || server.requests().len() > requests).await;
    }
    send(&topics);
    topics.iter().for_each(|(_, channel)| channel.finish());
    let [seen] = page.await.unwrap().try_into().unwrap();

    for (name, channel) in &topics {
        let got: Vec<_> =
            seen.iter().filter_map(|line| line.strip_prefix(&format!("{name}|"))?.split('|').next()).collect();
        let sent: Vec<_> = (1..=channel.position().sequence()).map(|number| number.to_string()).collect();
        assert_eq!(got, sent, "{seen:?}");
    }
    let requests = server.requests();
    assert_eq!(requests[0], format!("- {query} merged"));
    assert_eq!(requests.last().unwrap(), &format!("{} {query} UpToDate", ids()));
    assert_eq!(seen.last().unwrap(), "closed");
}

/// Sends two events to the first topic, and one to the second.
fn send(topics: &[(&'static str, Channel)]) {
    for index in [0, 1, 0] {
        let (name, channel) = &topics[index];
        let number = channel.position().sequence() + 1;
        channel.send(&Event::new(number.to_string()).with_event_type(name).unwrap()).unwrap();
    }
}
