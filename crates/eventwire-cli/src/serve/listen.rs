//! The address of the server.

use std::io;
use std::net::IpAddr;
use std::str::FromStr;

use anyhow::anyhow;
use http::header::HOST;
use http::{Request, uri::Authority};
use tokio::net::{TcpListener, TcpSocket, lookup_host};

/// A host and a port, or a port alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listen {
    /// An IP address without brackets, or a name.
    host: String,
    port: u16,
}

impl FromStr for Listen {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Listen, &'static str> {
        const EXPECTED: &str = "write a port such as 8080, or an address and a port such as 0.0.0.0:8080 or [::1]:8080";
        let (host, port) = text.rsplit_once(':').unwrap_or(("127.0.0.1", text));
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let is_digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        match port.parse() {
            Ok(port) if is_digits && !host.is_empty() => Ok(Listen { host: host.to_owned(), port }),
            _ => Err(EXPECTED),
        }
    }
}

impl Listen {
    pub(super) async fn bind(&self) -> anyhow::Result<TcpListener> {
        let Listen { host, port } = self;
        self.listener().await.map_err(|error| {
            let advice = match error.kind() {
                io::ErrorKind::AddrInUse => {
                    "another program uses the port; choose one with --listen, which takes 0 for any port that is free"
                }
                io::ErrorKind::PermissionDenied => "choose a port from 1024 with --listen",
                _ => "--listen takes an address of this machine",
            };
            anyhow!("cannot listen at {host}, port {port}: {error}; {advice}")
        })
    }

    /// Unlike `TcpListener::bind`, lets a thousand clients wait until they are accepted.
    async fn listener(&self) -> io::Result<TcpListener> {
        let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for address in lookup_host((self.host.as_str(), self.port)).await? {
            let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
            // The port of a server that has just ended. On Windows, it would be that of another program.
            #[cfg(unix)]
            socket.set_reuseaddr(true)?;
            match socket.bind(address).and_then(|()| socket.listen(1024)) {
                Ok(listener) => return Ok(listener),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Returns the host that a request names, if it is not one of this machine. A page of another site can ask a
    /// browser for it, after it has made its own name point to this address (DNS rebinding).
    pub(super) fn foreign_host<B>(&self, request: &Request<B>) -> Option<String> {
        let named = request.headers().get_all(HOST).iter().map(|host| String::from_utf8_lossy(host.as_bytes()));
        let target = request.uri().authority().map(Authority::as_str);
        target.map(Into::into).into_iter().chain(named).find(|host| !self.is_host(host)).map(Into::into)
    }

    /// Returns whether this text, which may have a port, is an IP address, `localhost`, or the host to listen at.
    fn is_host(&self, text: &str) -> bool {
        let Ok(authority) = text.parse::<Authority>() else { return false };
        let host = authority.host().to_ascii_lowercase();
        let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(&host);
        address.parse::<IpAddr>().is_ok()
            || host == "localhost"
            || host.ends_with(".localhost")
            || host == self.host.to_ascii_lowercase()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_to_listen_at_is_not_foreign() {
        let listen: Listen = "App.example:8080".parse().unwrap();
        let asks = |host: &str| listen.foreign_host(&Request::builder().header(HOST, host).body(()).unwrap());
        assert_eq!((asks("app.Example:1"), asks("app.example")), (None, None));
        assert_eq!(asks("www.app.example"), Some("www.app.example".to_owned()));
    }

    #[test]
    fn addresses() {
        for (text, host, port) in
            [("8080", "127.0.0.1", 8080), ("[::1]:0", "::1", 0), ("0.0.0.0:1", "0.0.0.0", 1), ("a.b:2", "a.b", 2)]
        {
            assert_eq!(text.parse(), Ok(Listen { host: host.to_owned(), port }));
        }
    }
}
