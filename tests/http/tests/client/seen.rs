//! The result of a scenario: what the server saw, and what the client saw.

use crate::server::Server;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The path of each request, and its `Last-Event-ID` if it has one.
    pub(crate) requests: Vec<String>,
    /// `open`; an event as `type|data|ID`; `reconnecting`; `closed`.
    pub(crate) client: Vec<String>,
}

impl Seen {
    pub(crate) fn new(server: &Server, client: Vec<String>) -> Seen {
        let requests = server.requests().into_iter().map(|request| match request.header("last-event-id") {
            Some(id) => format!("{} {id}", request.path()),
            None => request.path().to_owned(),
        });
        Seen { requests: requests.collect(), client }
    }

    /// Returns a description of the difference, if there is one, so that one run shows all scenarios that fail.
    pub(crate) fn difference(&self, scenario: &str, requests: &[&str], client: &[&str]) -> Option<String> {
        let is_the_same = self.requests == requests && self.client == client;
        (!is_the_same).then(|| {
            format!(
                "{scenario}\n  server saw {:?}\n  instead of {requests:?}\n  client saw {:?}\n  instead of {client:?}\n",
                self.requests, self.client,
            )
        })
    }
}
