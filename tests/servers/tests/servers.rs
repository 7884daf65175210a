//! Tells each server to send each case, and checks the tables.

use eventwire_servers::{
    actix::Actix,
    by_method::{Axum, Salvo, Warp},
    case::{Case, cases},
    difference::{Outcome, differences, outcome},
    excerpt::Excerpt,
    message::Message,
    receipt::Receipt,
    server::{self, Pace, Script, Server},
};
use std::{collections::BTreeSet, time::Duration};

const CONTENT_TYPE: &str = "text/event-stream";

#[test]
fn each_case() {
    check::<Axum>();
    check::<Actix>();
    check::<Salvo>();
    check::<Warp>();
}

/// Runs all cases before it fails, so that one run shows every change of a new version.
#[track_caller]
fn check<S: Server>() {
    let faults: Vec<String> = cases().into_iter().filter_map(fault::<S>).collect();
    assert!(faults.is_empty(), "{}\n{}", S::NAME, faults.join("\n"));
}

fn fault<S: Server>(Case { name, messages }: Case) -> Option<String> {
    let due = Receipt::due(&messages);
    let result = server::run::<S>(Script { messages, pace: Pace::AtOnce });
    let receipt = result.as_ref().ok().map(|response| Receipt::of(&response.chunks));
    let fault = match (outcome(S::NAME, name), &result) {
        (Some(outcome), _) => (!outcome.is(&result)).then_some("differs from the table"),
        (None, _) if due.is_none() => Some("no event stream can carry this, and the table has no row for it"),
        (None, Ok(response)) if response.content_type != CONTENT_TYPE => Some("wrong Content-Type"),
        (None, _) => (receipt != due).then_some("not what was expected"),
    }?;
    let (result, receipt, due) = (Excerpt(result), Excerpt(receipt), Excerpt(due));
    Some(format!("{name}: {fault}\n    sent:     {result}\n    received: {receipt}\n    due:      {due}"))
}

#[test]
fn keep_alives() {
    check_keep_alive::<Axum>();
    check_keep_alive::<Actix>();
    check_keep_alive::<Salvo>();
    check_keep_alive::<Warp>();
}

/// Keep-alives before and between the events do not change the events.
#[track_caller]
fn check_keep_alive<S: Server>() {
    let messages = vec![
        Message::text("one").with_id("1"),
        Message::text("two\nlines").with_type("greeting"),
        Message::text("three"),
    ];
    let due = Receipt::due(&messages);
    let pace = Pace::Slow { pause: Duration::from_secs(40), keep_alive: Duration::from_secs(15) };
    let response = server::run::<S>(Script { messages: messages.clone(), pace }).expect("a response");
    assert_eq!(Some(Receipt::of(&response.chunks)), due);
    assert_eq!(response.content_type, CONTENT_TYPE);

    let (keep_alives, events): (Vec<_>, Vec<_>) = response.chunks.iter().partition(|chunk| chunk.starts_with(b":"));
    assert_eq!(events.len(), messages.len(), "{response:?}");
    assert!(keep_alives.len() > messages.len(), "{response:?}");
    assert!(keep_alives.iter().all(|chunk| *chunk == S::KEEP_ALIVE), "{response:?}");
}

#[test]
fn every_row_names_a_server_and_a_case_and_a_real_difference() {
    let servers = [Axum::NAME, Actix::NAME, Salvo::NAME, Warp::NAME];
    let cases = cases();
    let names: BTreeSet<_> = cases.iter().map(|case| case.name).collect();
    assert_eq!(names.len(), cases.len(), "the names of cases are unique");
    let mut rows = BTreeSet::new();
    for difference in differences() {
        let server = difference.server;
        assert!(servers.contains(&server), "{server}");
        assert!(!difference.outcomes.is_empty(), "{server}: {}", difference.what);
        for (name, outcome) in difference.outcomes {
            assert!(rows.insert((server, name)), "{server}, {name}: twice");
            let case = cases.iter().find(|case| case.name == name);
            let case = case.unwrap_or_else(|| panic!("{server}, {name}: no such case"));
            if let Outcome::Sends(_, messages) = outcome {
                assert_ne!(Receipt::due(&messages), Receipt::due(&case.messages), "{server}, {name}: no difference");
            }
        }
    }
}

#[test]
fn readme_has_the_versions_and_the_differences() {
    let readme = include_str!("../README.md");
    let lock = include_str!("../Cargo.lock");
    let mut expected = String::from("|---|---|---|\n");
    for difference in differences() {
        let server = difference.server;
        let (_, package) =
            lock.split_once(&format!("name = \"{server}\"\nversion = \"")).expect("the package in Cargo.lock");
        let (version, _) = package.split_once('"').expect("a version in quotes");
        let names: Vec<_> = difference.outcomes.iter().map(|(name, _)| *name).collect();
        expected += &format!("| {server} {version} | {} | {} |\n", difference.what, names.join("; "));
    }
    assert!(readme.ends_with(&expected), "README.md does not end with these lines:\n{expected}");
}
