//! The scenarios, by this client over reqwest.

use crate::{
    scenarios::SCENARIOS,
    seen::Seen,
    server::Server,
    timer::{self, Delays},
};
use eventwire::client::{Connector, EventSource, Item, Reconnect, ReqwestConnector};
use futures_util::{StreamExt, future::join_all};
use std::fmt::Debug;

#[tokio::test]
async fn every_scenario() {
    let differences = join_all(SCENARIOS.iter().map(async |scenario| {
        let server = Server::start(scenario.script).await;
        let request = crate::http_client().get(server.url());
        let source =
            EventSource::with_connector(ReqwestConnector::new(request).unwrap(), timer::short(&Delays::default()));
        let client = watch(source.with_reconnect(Reconnect::new())).await;
        Seen::new(&server, client).difference(scenario.name, scenario.requests, scenario.client)
    }))
    .await;
    let differences: String = differences.into_iter().flatten().collect();
    assert!(differences.is_empty(), "{differences}");
}

/// What the source gives to its end, in words.
async fn watch<C: Connector<Error: Debug>, T: eventwire::Timer>(mut source: EventSource<C, T>) -> Vec<String> {
    let mut words = Vec::new();
    while let Some(item) = source.next().await {
        words.push(match item {
            Item::Open(_) => "open".to_owned(),
            Item::Event(event) => format!("{}|{}|{}", event.event_type(), event.data(), event.id()),
            Item::Reconnecting { .. } => "reconnecting".to_owned(),
            Item::Undecodable(error) => error.to_string(),
            other => panic!("an item that is not known: {other:?}"),
        });
    }
    assert!(source.stopped().is_some());
    words.push("closed".to_owned());
    words
}
