//! Where a server is, as a URL says it, and how to connect to it.

use crate::{
    connection::CONNECT,
    error::{Error, Kind, describe},
};
use percent_encoding::percent_decode_str;
use rustls::{
    ClientConfig, RootCertStore,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, pem::PemObject},
};
use rustls_platform_verifier::BuilderVerifierExt;
use std::{error, io, path::PathBuf, time::Duration};
use tokio::time;
use tokio_postgres::{
    Client, Config, Connection, Socket,
    config::{Host, SslMode},
    tls::MakeTlsConnect,
};
use tokio_postgres_rustls::MakeRustlsConnect;

/// A URL, read. Its parameters of TLS are those of libpq, of which tokio-postgres does not know all.
#[derive(Clone)]
pub(crate) struct Address {
    config: Config,
    /// Its hosts and ports, for messages.
    hosts: String,
    tls: MakeRustlsConnect,
}

/// A connection of TCP, with or without TLS.
pub(crate) type Stream = Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;

/// How long a server may be silent before the system asks whether it is there.
const KEEPALIVE: Duration = Duration::from_secs(10);

impl Address {
    pub(crate) fn parse(url: &str) -> Result<Address, Error> {
        if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
            return Err(Error::new(Kind::Url, "it does not begin with postgres://"));
        }
        // A password may contain a question mark.
        let host = url.find('@').unwrap_or(0);
        let (url, query) = url.split_at(url[host..].find('?').map_or(url.len(), |at| host + at));
        let (mut root_certificates, mut parameters) = (None, Vec::new());
        for parameter in query.trim_start_matches('?').split('&').filter(|parameter| !parameter.is_empty()) {
            match parameter.split_once('=') {
                Some(("sslrootcert", file)) => root_certificates = Some(percent_decode_str(file).decode_utf8_lossy()),
                // A certificate is always verified.
                Some(("sslmode", "verify-ca" | "verify-full")) => parameters.push("sslmode=require"),
                _ => parameters.push(parameter),
            }
        }
        if root_certificates.is_some() && !query.contains("sslmode=") {
            parameters.push("sslmode=require");
        }
        let config = format!("{url}?{}", parameters.join("&")).parse::<Config>();
        let mut config = config.map_err(|error| Error::new(Kind::Url, &describe(&error)))?;
        let count = config.get_hosts().len().max(config.get_hostaddrs().len());
        if count == 0 {
            return Err(Error::new(Kind::Url, "it has no host"));
        }
        if config.get_hosts().iter().any(|host| matches!(host, Host::Tcp(name) if name.contains('@'))) {
            return Err(Error::new(Kind::Url, "its host has an @. In a password, write %40"));
        }
        let (_, hosts) = url.rsplit_once('@').or_else(|| url.split_once("://")).unwrap_or_default();
        let hosts = hosts.split('/').next().filter(|hosts| !hosts.is_empty());
        let hosts = hosts.unwrap_or("the host of the URL").to_owned();
        if config.get_keepalives_interval().is_none() {
            config.keepalives_idle(KEEPALIVE).keepalives_interval(KEEPALIVE / 5).keepalives_retries(5);
        }
        if config.get_application_name().is_none() {
            config.application_name("eventwire");
        }
        if config.get_connect_timeout().is_none() {
            // A host that does not answer leaves time for the next one.
            config.connect_timeout(CONNECT / u32::try_from(count).unwrap_or(1));
        }
        let tls = tls(root_certificates.map(|file| file.into_owned().into()));
        let tls = tls.map_err(|error| Error::new(Kind::Url, &format!("cannot read the certificates: {error}")))?;
        Ok(Address { config, hosts, tls })
    }

    pub(crate) async fn connect(&self) -> Result<(Client, Stream), Error> {
        let cause = match time::timeout(CONNECT, self.try_connect()).await {
            Ok(Ok(connected)) => return Ok(connected),
            Ok(Err(error)) => describe(&error),
            Err(_) => "not in time".to_owned(),
        };
        Err(Error::connect(&format!("{}: {cause}", self.hosts)))
    }

    async fn try_connect(&self) -> Result<(Client, Stream), tokio_postgres::Error> {
        match self.config.connect(self.tls.clone()).await {
            // As libpq does it: with this mode, one who can change the certificate can refuse TLS as well.
            Err(error) if self.config.get_ssl_mode() == SslMode::Prefer && is_of_tls(&error) => {
                self.config.clone().ssl_mode(SslMode::Disable).connect(self.tls.clone()).await
            }
            result => result,
        }
    }
}

/// Accepts the authorities of a file, or else those of the system.
fn tls(root_certificates: Option<PathBuf>) -> Result<MakeRustlsConnect, Box<dyn error::Error>> {
    let config = ClientConfig::builder_with_provider(aws_lc_rs::default_provider().into());
    let config = config.with_safe_default_protocol_versions()?;
    let config = if let Some(file) = root_certificates {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_file_iter(file)? {
            roots.add(certificate?)?;
        }
        config.with_root_certificates(roots)
    } else {
        config.with_platform_verifier()?
    };
    Ok(MakeRustlsConnect::new(config.with_no_client_auth()))
}

fn is_of_tls(error: &tokio_postgres::Error) -> bool {
    let cause = error::Error::source(error).and_then(|cause| cause.downcast_ref::<io::Error>());
    cause.and_then(io::Error::get_ref).is_some_and(<dyn error::Error + Send + Sync>::is::<rustls::Error>)
}
