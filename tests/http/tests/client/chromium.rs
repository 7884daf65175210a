//! The same scenarios with the `EventSource` of Chromium.

use crate::{browser::browse, scenarios::SCENARIOS, seen::difference, server::Server};
use futures_util::future::join_all;

#[tokio::test]
#[ignore = "needs Chromium and playwright-core: tests/interop/run tests"]
async fn every_scenario() {
    let servers = join_all(SCENARIOS.iter().map(|scenario| Server::start(scenario.script))).await;
    let lines = browse(servers.iter().map(Server::url).collect()).await;
    let differences = SCENARIOS.iter().zip(&servers).zip(lines).filter_map(|((scenario, server), line)| {
        let expected = scenario.by_chromium.map_or(scenario.seen, |(seen, _)| seen);
        difference(scenario.name, server, &line, expected)
    });
    let differences: String = differences.collect();
    assert!(differences.is_empty(), "{differences}");
}

#[test]
fn the_documentation_lists_all_differences() {
    let documentation = include_str!("../../../../crates/eventwire-client/src/lib.rs");
    assert!(documentation.contains(&format!("the same {} scenarios", SCENARIOS.len())));
    let mut differences = 0;
    for scenario in SCENARIOS {
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
