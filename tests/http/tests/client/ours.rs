//! The scenarios with this client.

/// The recipe.
#[allow(missing_docs, unreachable_pub, clippy::must_use_candidate, reason = "a recipe is part of a program")]
#[rustfmt::skip] // `.ci/run` formats it with the settings in `docs`
#[path = "../../../../docs/recipes/hyper.rs"]
mod over_hyper;

use crate::{
    scenarios::SCENARIOS,
    seen::Seen,
    server::Server,
    timer::{self, Delays},
    watch::watch,
};
use eventwire_client::EventSource;
use eventwire_reqwest::RequestConnector;
use futures_util::future::join_all;
use hyper_util::{client::legacy::Client, rt::TokioExecutor};

#[tokio::test]
async fn every_scenario() {
    let differences = join_all(SCENARIOS.iter().map(async |scenario| {
        let server = Server::start(scenario.script).await;
        let request = crate::http_client().get(server.url());
        let mut source =
            EventSource::with_connector(RequestConnector::new(request).unwrap(), timer::short(&Delays::default()));
        let client = watch(&mut source).await;
        Seen::new(&server, client).difference(scenario.name, scenario.requests, scenario.client)
    }))
    .await;
    let differences: String = differences.into_iter().flatten().collect();
    assert!(differences.is_empty(), "{differences}");
}

/// The same over another HTTP client, with the connector of the recipe, which does not follow redirects.
#[tokio::test]
async fn every_scenario_over_hyper() {
    let client = Client::builder(TokioExecutor::new()).build_http();
    let scenarios = SCENARIOS.iter().filter(|scenario| !scenario.name.starts_with('3'));
    let differences = join_all(scenarios.map(async |scenario| {
        let server = Server::start(scenario.script).await;
        let connector = over_hyper::connector(client.clone(), server.url().parse().unwrap());
        let client = watch(&mut EventSource::with_connector(connector, timer::short(&Delays::default()))).await;
        Seen::new(&server, client).difference(scenario.name, scenario.requests, scenario.client)
    }))
    .await;
    let differences: String = differences.into_iter().flatten().collect();
    assert!(differences.is_empty(), "{differences}");
}
