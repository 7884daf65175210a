//! The same scenarios with the `EventSource` of Chromium.

use crate::{
    scenarios::{Browser, SCENARIOS, Scenario},
    seen::Seen,
    server::Server,
};
use futures_util::future::join_all;
use std::{env, path::Path, process::Command};

#[tokio::test]
#[ignore = "needs Chromium and playwright-core: tests/interop/run --only eventsource"]
async fn every_scenario() {
    let (node, chromium) = (env::var("EVENTWIRE_NODE").unwrap(), env::var("EVENTWIRE_CHROMIUM").unwrap());
    let servers = join_all(SCENARIOS.iter().map(|scenario| Server::start(scenario.script))).await;
    let urls: Vec<String> = servers.iter().map(Server::url).collect();
    let lines = tokio::task::spawn_blocking(move || browse(Path::new(&node), &chromium, &urls)).await.unwrap();
    let differences = SCENARIOS.iter().zip(&servers).zip(lines).filter_map(|((scenario, server), line)| {
        let (requests, client) = expected(scenario);
        Seen::new(server, line).difference(scenario.name, requests, client)
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
        assert_eq!(documentation.contains(&row), matches!(scenario.browser, Browser::Differs { .. }), "{row}");
        if let Browser::Differs { why, .. } = scenario.browser {
            assert!(documentation.contains(why), "{why}");
            differences += 1;
        }
    }
    let rows = documentation.lines().skip_while(|line| !line.starts_with("//! | scenario |"));
    assert_eq!(rows.take_while(|line| line.starts_with("//! |")).count(), differences + 2);
}

fn expected(scenario: &Scenario) -> (&'static [&'static str], &'static [&'static str]) {
    match scenario.browser {
        Browser::Same => (scenario.requests, scenario.client),
        Browser::Differs { requests, client, .. } => (requests, client),
    }
}

/// Returns what the browser's pages have seen, one entry for each URL.
fn browse(node: &Path, chromium: &str, urls: &[String]) -> Vec<Vec<String>> {
    // Node searches for packages in the folder of the script.
    let script = node.join("eventsource.mjs");
    let profile = node.join("profile-of-eventsource");
    let output = Command::new("node").arg(&script).arg(chromium).arg(&profile).args(urls).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let lines: Vec<Vec<String>> = output
        .stdout
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    assert_eq!(lines.len(), urls.len(), "{errors}");
    lines
}
