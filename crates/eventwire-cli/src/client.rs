//! The HTTP client.

use std::time::Duration;

use eventwire_reqwest::client_builder;
use reqwest::{Client, ClientBuilder, Error};

pub(crate) fn client() -> Result<Client, Error> {
    build(builder)
}

/// A client without a proxy, which would connect to its own loopback interface.
pub(crate) fn loopback_client() -> Result<Client, Error> {
    build(|| builder().no_proxy())
}

/// On a machine without root certificates, it can still fetch http:// URLs.
fn build(builder: impl Fn() -> ClientBuilder) -> Result<Client, Error> {
    builder().build().or_else(|_| builder().tls_certs_only([]).build())
}

fn builder() -> ClientBuilder {
    // There is no other timeout, because a stream may be silent for any length of time.
    client_builder().connect_timeout(Duration::from_secs(10))
}
