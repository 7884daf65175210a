//! The result of a scenario: what the server saw, and what the client saw.

use crate::{scenarios::Sight, server::Server};

/// Returns a description of the difference, if there is one, so that one run shows all scenarios that fail.
pub(crate) fn difference(scenario: &str, server: &Server, client: &[String], expected: Sight) -> Option<String> {
    let requests = server.requests().into_iter().map(|request| match request.header("last-event-id") {
        Some(id) => format!("{} {id}", request.path()),
        None => request.path().to_owned(),
    });
    let (requests, client) = (requests.collect::<Vec<_>>().join(", "), client.join(", "));
    let Sight { requests: expected_requests, client: expected_client } = expected;
    ((requests.as_str(), client.as_str()) != (expected_requests, expected_client)).then(|| {
        format!(
            "{scenario}\n  server saw {requests:?}\n  instead of {expected_requests:?}\n  client saw {client:?}\n  instead of \
            {expected_client:?}\n",
        )
    })
}
