//! The HTTP client of the reader and of the model.

use std::net::IpAddr;
use std::time::Duration;

use eventwire_reqwest::client_builder;
use reqwest::{Client, ClientBuilder, Url};

use crate::root_cause::root_cause;

/// Returns a client for this URL. A request fails if the server sends no data for longer than `silence`. The error
/// is the cause, on one line.
pub(crate) fn client(url: &Url, silence: Option<Duration>) -> Result<Client, String> {
    let builder = || {
        let builder = if is_loopback(url) { builder().no_proxy() } else { builder() };
        silence.into_iter().fold(builder, ClientBuilder::read_timeout)
    };
    // On a machine without root certificates, the client still works for http:// URLs.
    let client = builder().build().or_else(|_| builder().tls_certs_only([]).build());
    client.map_err(|error| root_cause(&error).to_string())
}

/// It follows no redirects: the conversation and the key are for one server.
fn builder() -> ClientBuilder {
    client_builder().connect_timeout(Duration::from_secs(10))
}

/// Whether the URL is on this machine. A proxy from the environment would connect to its own loopback address instead.
fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}
