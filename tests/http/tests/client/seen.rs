//! The result of a scenario: what the server saw, and what the client saw.

use crate::server::Server;

/// Returns a description of the difference, if there is one, so that one run shows all scenarios that fail.
pub(crate) fn difference(scenario: &str, server: &Server, client: &[String], expected: &str) -> Option<String> {
    let requests = server.requests().into_iter().map(|request| match request.header("last-event-id") {
        Some(id) => format!("{} {id}", request.path()),
        None => request.path().to_owned(),
    });
    let seen = format!("{} -> {}", requests.collect::<Vec<_>>().join(", "), client.join(", "));
    (seen != expected).then(|| format!("{scenario}\n  seen       {seen:?}\n  instead of {expected:?}\n"))
}
