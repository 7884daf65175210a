//! The HTTP client.

use std::time::Duration;

use reqwest::{Client, ClientBuilder, Error};

pub(crate) fn client() -> Result<Client, Error> {
    build(builder)
}

/// A proxy would look for the loopback interface on its own machine.
pub(crate) fn loopback_client() -> Result<Client, Error> {
    build(|| builder().no_proxy())
}

/// On a machine without root certificates, http:// URLs can be fetched all the same.
fn build(builder: impl Fn() -> ClientBuilder) -> Result<Client, Error> {
    builder().build().or_else(|_| builder().tls_certs_only([]).build())
}

fn builder() -> ClientBuilder {
    // No other timeout: a stream may be silent for as long as it likes.
    Client::builder().connect_timeout(Duration::from_secs(10))
}
