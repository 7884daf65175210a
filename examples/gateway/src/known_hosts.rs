//! A check of where a request wants to go and where it comes from, in one file, to copy into a server of your own. The
//! gateway calls it in a middleware; see `known_hosts_only` in `server.rs`.
//!
//! A server that listens on the loopback interface is not private: each page that is open in a browser on this machine
//! can send it requests. The browser hides the answers from pages of other origins, but by DNS rebinding a page becomes
//! one of the server's own: the page's name, `evil.example`, resolves to the page's server at first and to 127.0.0.1
//! later. The browser then sends the header `Host: evil.example`, which shows it.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use axum::http::header::{HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{Request, StatusCode};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The hosts under which clients may reach a server: `localhost`, names that end with `.localhost`, loopback addresses,
/// the address on which it listens, and other names that it is given. All ports are allowed, because a proxy or a
/// container may forward another one.
#[derive(Clone, Debug)]
pub struct KnownHosts {
    address: IpAddr,
    names: Arc<[String]>,
}

/// Why a request is refused. It is printed as one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ForeignRequest {
    /// The request has no header `Host`.
    #[error("it has no header `host`")]
    NoHost,
    /// The host is none of the server's.
    #[error("{0:?} is not a host of this server")]
    UnknownHost(String),
    /// The request comes from a page of another origin: of another scheme, host or port.
    #[error("this server does not answer the pages of other origins")]
    OtherOrigin,
}

impl KnownHosts {
    /// Returns the hosts of a server that listens on this address and also has these names, whose ports are ignored.
    pub fn new(address: SocketAddr, names: impl IntoIterator<Item = String>) -> KnownHosts {
        let host = |name: String| match Authority::try_from(name.as_str()) {
            Ok(authority) => authority.host().to_owned(),
            Err(_) => name,
        };
        KnownHosts { address: address.ip(), names: names.into_iter().map(host).collect() }
    }

    /// Checks the host of a request, of any method, and the page that it comes from, if it comes from one. It does not
    /// look at the body.
    ///
    /// # Errors
    ///
    /// [`ForeignRequest`] if the host is missing or unknown, or if the page has another origin.
    pub fn check<B>(&self, request: &Request<B>) -> Result<(), ForeignRequest> {
        // Over HTTP/2, the host is in `:authority`, which is a part of the URI. A proxy's request has both.
        let mut hosts: Vec<Authority> = request.uri().authority().cloned().into_iter().collect();
        for host in request.headers().get_all(HOST) {
            let unknown = || ForeignRequest::UnknownHost(String::from_utf8_lossy(host.as_bytes()).into_owned());
            hosts.push(Authority::try_from(host.as_bytes()).map_err(|_| unknown())?);
        }
        let first = hosts.first().ok_or(ForeignRequest::NoHost)?;
        match hosts.iter().find(|host| !self.contains(host)) {
            Some(host) => Err(ForeignRequest::UnknownHost(host.to_string())),
            None if !is_of_own_page(request.headers(), first) => Err(ForeignRequest::OtherOrigin),
            None => Ok(()),
        }
    }

    fn contains(&self, authority: &Authority) -> bool {
        let host = authority.host();
        let address = match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
            Some(host) => host.parse::<Ipv6Addr>().ok().map(IpAddr::from),
            None => host.parse().ok(),
        };
        let is_known = match address.map(|address| address.to_canonical()) {
            // A server that listens on all addresses of the machine cannot list them. Rebinding needs a name.
            Some(address) => {
                address.is_loopback() || address == self.address.to_canonical() || self.address.is_unspecified()
            }
            None => {
                let host = host.to_ascii_lowercase();
                host == "localhost" || host.ends_with(".localhost")
            }
        };
        (is_known || self.names.iter().any(|name| name.eq_ignore_ascii_case(host))) && !authority.as_str().contains('@')
    }
}

/// Returns whether a request comes from a page of this host, or from no page. Programs other than browsers send neither
/// of these headers.
fn is_of_own_page(headers: &HeaderMap, host: &Authority) -> bool {
    let mut sites = headers.get_all(SEC_FETCH_SITE).iter().peekable();
    if sites.peek().is_some() {
        // `none` is a request of the user, who has typed the address, for example.
        return sites.all(|site| matches!(site.as_bytes(), b"same-origin" | b"none"));
    }
    // Over plain HTTP, browsers send `Sec-Fetch-Site` only to this machine. `Origin` they send with each POST.
    let is_own = |origin: &HeaderValue| {
        let origin = origin.to_str().unwrap_or_default();
        let origin = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        origin.is_some_and(|origin| origin.eq_ignore_ascii_case(host.as_str()))
    };
    headers.get_all(ORIGIN).iter().all(is_own)
}

impl ForeignRequest {
    /// Returns the status of the response.
    #[must_use]
    pub const fn status(&self) -> StatusCode {
        match self {
            ForeignRequest::NoHost => StatusCode::BAD_REQUEST,
            ForeignRequest::UnknownHost(_) => StatusCode::MISDIRECTED_REQUEST,
            ForeignRequest::OtherOrigin => StatusCode::FORBIDDEN,
        }
    }

    /// Returns a word for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            ForeignRequest::NoHost => "missing_host",
            ForeignRequest::UnknownHost(_) => "unknown_host",
            ForeignRequest::OtherOrigin => "other_origin",
        }
    }
}
