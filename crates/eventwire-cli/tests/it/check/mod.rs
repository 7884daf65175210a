//! Runs `eventwire check` against servers that have one fault each, and against right ones.

mod body;
mod faults;
mod nginx;
mod redirects;
mod requests;
mod right;
mod server;

use eventwire_test_support::{End, Process};
use serde_json::Value;

fn check(args: &[&str]) -> End {
    Process::start(env!("CARGO_BIN_EXE_eventwire"), &[&["check"], args].concat(), &[]).end()
}

/// Runs `check --json`, and returns severity and code of each finding, in alphabetical order, and the whole output.
///
/// A machine that is very busy may delay a response by a second. So what times show is left out, unless it is expected.
fn found(args: &[&str], expected: &[&str]) -> (Vec<String>, String) {
    let end = check(&[args, &["--json"]].concat());
    assert_eq!(end.err, "");
    let objects: Vec<Value> = end.out.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    for object in objects.iter().filter(|object| object["code"].is_string()) {
        assert!(!object["effect"].as_str().unwrap().is_empty(), "the list has no code {}", object["code"]);
    }
    let mut found: Vec<String> = objects
        .iter()
        .filter_map(|object| Some(format!("{} {}", object["severity"].as_str()?, object["code"].as_str()?)))
        .filter(|finding| expected.contains(&finding.as_str()) || !is_about_times(finding))
        .collect();
    found.sort();
    let fails = objects.iter().any(|object| object["severity"] == "fail");
    assert_eq!(end.code, Some(i32::from(fails)), "{}", end.out);
    (found, end.out)
}

fn is_about_times(finding: &str) -> bool {
    ["late-headers", "held-back", "silence"].iter().any(|code| finding.ends_with(code))
}
