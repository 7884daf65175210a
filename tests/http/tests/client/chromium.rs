//! The same scenarios with the `EventSource` of Chromium.

use crate::{
    browser::browse,
    scenarios::{Scenario, scenarios},
    seen::difference,
};
use eventwire_test::TestServer;

#[tokio::test]
#[ignore = "needs Chromium and playwright-core: tests/interop/run tests"]
async fn every_scenario() {
    let serve = |scenario: &Scenario| TestServer::new().answers(scenario.answers.iter().cloned());
    let scenarios = scenarios();
    let servers: Vec<_> = scenarios.iter().map(serve).collect();
    let lines = browse(servers.iter().map(TestServer::url).collect()).await;
    let differences = scenarios.iter().zip(&servers).zip(lines).filter_map(|((scenario, server), line)| {
        let expected = scenario.by_chromium.map_or(scenario.seen, |(seen, _)| seen);
        difference(scenario.name, server, &line, expected)
    });
    let differences: String = differences.collect();
    assert!(differences.is_empty(), "{differences}");
}

#[test]
fn the_documentation_lists_all_differences() {
    let documentation = include_str!("../../../../crates/eventwire-client/src/lib.rs");
    let scenarios = scenarios();
    assert!(documentation.contains(&format!("the same {} scenarios", scenarios.len())));
    let mut differences = 0;
    for scenario in scenarios {
        let row = format!("//! | {} | ", scenario.name);
        assert_eq!(documentation.contains(&row), scenario.by_chromium.is_some(), "{row}");
        if let Some((_, why)) = scenario.by_chromium {
            assert!(documentation.contains(why), "{why}");
            differences += 1;
        }
    }
    let rows = documentation.lines().skip_while(|line| !line.starts_with("//! | scenario |"));
    assert_eq!(rows.take_while(|line| line.starts_with("//! |")).count(), differences + 2);
}
