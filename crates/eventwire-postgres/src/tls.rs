//! TLS, by rustls, with the system's certificates or those of a file.

use futures_core::future::BoxFuture;
use rustls::{
    ClientConfig, RootCertStore,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use rustls_platform_verifier::BuilderVerifierExt;
use std::{
    convert::Infallible,
    error::Error as _,
    io::{self, Error, ErrorKind},
    path::Path,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect};
use tokio_rustls::{TlsConnector, client};

/// What certificates are accepted.
#[derive(Clone)]
pub(crate) struct Tls(TlsConnector);

/// A connection that is to become one of TLS.
pub(crate) struct Handshake {
    connector: TlsConnector,
    host: String,
}

/// A connection of TLS.
pub(crate) struct Stream<S>(client::TlsStream<S>);

impl Tls {
    /// Accepts the authorities of a file, or else those of the system.
    pub(crate) fn new(root_certificates: Option<&Path>) -> io::Result<Tls> {
        let config = ClientConfig::builder_with_provider(aws_lc_rs::default_provider().into())
            .with_safe_default_protocol_versions()
            .map_err(Error::other)?;
        let config = match root_certificates {
            None => config.with_platform_verifier().map_err(Error::other)?,
            Some(file) => {
                let mut roots = RootCertStore::empty();
                for certificate in CertificateDer::pem_file_iter(file).map_err(Error::other)? {
                    roots.add(certificate.map_err(Error::other)?).map_err(Error::other)?;
                }
                if roots.is_empty() {
                    return Err(Error::new(ErrorKind::InvalidData, "the file has no certificate"));
                }
                config.with_root_certificates(roots)
            }
        };
        Ok(Tls(Arc::new(config.with_no_client_auth()).into()))
    }
}

/// Whether there is no connection because the server's certificate, or its TLS, is not accepted.
pub(crate) fn is_cause_of(error: &tokio_postgres::Error) -> bool {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<Error>()).and_then(Error::get_ref);
    cause.is_some_and(<dyn std::error::Error + Send + Sync>::is::<rustls::Error>)
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Tls {
    type Stream = Stream<S>;
    type TlsConnect = Handshake;
    type Error = Infallible;

    fn make_tls_connect(&mut self, host: &str) -> Result<Handshake, Infallible> {
        Ok(Handshake { connector: self.0.clone(), host: host.to_owned() })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Handshake {
    type Stream = Stream<S>;
    type Error = Error;
    type Future = BoxFuture<'static, io::Result<Stream<S>>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let name = ServerName::try_from(self.host).map_err(Error::other)?;
            self.connector.connect(name, stream).await.map(Stream)
        })
    }
}

/// The password is not bound to the certificate: that takes a parser for certificates.
impl<S: AsyncRead + AsyncWrite + Unpin> tokio_postgres::tls::TlsStream for Stream<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Stream<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Stream<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
