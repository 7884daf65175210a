//! The result of a scenario: what the server saw, and what the client saw.

use eventwire_test::TestServer;

/// Returns a description of the difference, if there is one, so that one run shows all scenarios that fail.
pub(crate) fn difference(scenario: &str, server: &TestServer, client: &[String], expected: &str) -> Option<String> {
    let requests = server.requests().into_iter().map(|request| match request.headers().get("last-event-id") {
        Some(id) => format!("{} {}", request.uri(), String::from_utf8_lossy(id.as_bytes())),
        None => request.uri().to_string(),
    });
    let seen = format!("{} -> {}", requests.collect::<Vec<_>>().join(", "), client.join(", "));
    (seen != expected).then(|| format!("{scenario}\n  seen       {seen:?}\n  instead of {expected:?}\n"))
}
