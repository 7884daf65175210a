//! Where a server is, as a URL says it, and how to connect to it.

use crate::{
    error::{Error, describe},
    tls::{self, Stream, Tls},
};
use percent_encoding::percent_decode_str;
use std::{path::PathBuf, time::Duration};
use tokio_postgres::{Client, Config, Connection, Socket, config::SslMode};

/// A URL, read. The parameters of TLS are those of libpq, of which tokio-postgres does not know all.
#[derive(Clone)]
pub(crate) struct Address {
    config: Config,
    tls: Tls,
}

/// How long a server may be silent before the system asks whether it is there, and how long it may then be.
const KEEPALIVE: Duration = Duration::from_secs(10);

impl Address {
    pub(crate) fn parse(url: &str) -> Result<Address, Error> {
        if !["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme)) {
            return Err(Error::url("it does not begin with postgres://"));
        }
        // A password may contain a question mark.
        let host = url.find('@').unwrap_or(0);
        let (url, query) = url.split_at(url[host..].find('?').map_or(url.len(), |at| host + at));
        let (mut root_certificates, mut has_mode, mut parameters) = (None, false, Vec::new());
        for parameter in query.trim_start_matches('?').split('&').filter(|parameter| !parameter.is_empty()) {
            match parameter.split_once('=') {
                Some(("sslrootcert", file)) => {
                    root_certificates = Some(PathBuf::from(&*percent_decode_str(file).decode_utf8_lossy()));
                }
                Some(("sslmode", mode)) => {
                    has_mode = true;
                    // A certificate is always verified.
                    let is_verified = matches!(mode, "verify-ca" | "verify-full");
                    parameters.push(if is_verified { "sslmode=require" } else { parameter });
                }
                _ => parameters.push(parameter),
            }
        }
        let url = format!("{url}?{}", parameters.join("&"));
        let mut config: Config = url.parse().map_err(|error| Error::url(&describe(&error)))?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(Error::url("it has no host"));
        }
        if root_certificates.is_some() && !has_mode {
            config.ssl_mode(SslMode::Require);
        }
        let tls = Tls::new(root_certificates.as_deref())
            .map_err(|error| Error::url(&format!("the certificates cannot be read: {error}")))?;
        if config.get_keepalives_interval().is_none() {
            config.keepalives_idle(KEEPALIVE).keepalives_interval(KEEPALIVE / 5).keepalives_retries(5);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(2 * KEEPALIVE);
        }
        Ok(Address { config, tls })
    }

    pub(crate) async fn connect(&self) -> Result<(Client, Connection<Socket, Stream<Socket>>), tokio_postgres::Error> {
        match self.config.connect(self.tls.clone()).await {
            // As libpq does it: with this mode, one who could change the certificate could refuse TLS as well.
            Err(error) if self.config.get_ssl_mode() == SslMode::Prefer && tls::is_cause_of(&error) => {
                self.config.clone().ssl_mode(SslMode::Disable).connect(self.tls.clone()).await
            }
            result => result,
        }
    }
}
