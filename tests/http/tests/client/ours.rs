//! The scenarios with this client.

/// The recipe.
#[allow(missing_docs, unreachable_pub, clippy::must_use_candidate, reason = "a recipe is part of a program")]
#[rustfmt::skip] // `.ci/run` formats it with the settings in `docs`
#[path = "../../../../docs/recipes/hyper.rs"]
mod over_hyper;

use crate::{
    scenarios::{Scenario, scenarios},
    seen::difference,
    timer,
    watch::watch,
};
use eventwire_client::{Connector, EventSource};
use eventwire_reqwest::RequestConnector;
use eventwire_test::TestServer;
use futures_util::future::join_all;
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use std::fmt::Debug;

/// Runs these scenarios with the connector that this function makes for a URL.
async fn check<C: Connector<Error: Debug>>(scenarios: impl Iterator<Item = Scenario>, connector: impl Fn(String) -> C) {
    let differences = join_all(scenarios.map(async |scenario| {
        let server = TestServer::new().answers(scenario.answers);
        let client = watch(&mut EventSource::with_connector(connector(server.url()), timer::short)).await;
        difference(scenario.name, &server, &client, scenario.seen)
    }));
    let differences: String = differences.await.into_iter().flatten().collect();
    assert!(differences.is_empty(), "{differences}");
}

#[tokio::test]
async fn every_scenario() {
    let client = crate::http_client();
    check(scenarios().into_iter(), |url| RequestConnector::new(client.get(url)).unwrap()).await;
}

/// The same over another HTTP client, with the connector of the recipe, which does not follow redirects.
#[tokio::test]
async fn every_scenario_over_hyper() {
    let client = Client::builder(TokioExecutor::new()).build_http();
    let scenarios = scenarios().into_iter().filter(|scenario| !scenario.name.starts_with('3'));
    check(scenarios, |url| over_hyper::connector(client.clone(), url.parse().unwrap())).await;
}
