//! The host of a request, and the page that it comes from.

use std::io::{Read, Write};
use std::net::SocketAddr;

use axum::http::{Request, Version};
use gateway::{ForeignRequest, KnownHosts, Settings};
use reqwest::Method;
use serde_json::Value;

use crate::client::{Answer, CHAT, Gateway, TEXT, chat};
use crate::refusals::check;

fn hosts(address: &str) -> KnownHosts {
    KnownHosts::new(address.parse::<SocketAddr>().unwrap(), ["stream.example".to_owned(), "box".to_owned()])
}

/// Checks a request with these headers.
fn answered(hosts: &KnownHosts, headers: &[(&str, &str)]) -> Result<(), ForeignRequest> {
    let mut request = Request::builder().uri("/v1/models");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    hosts.check(&request.body(()).unwrap())
}

#[test]
fn hosts_of_this_server() {
    let server = hosts("192.0.2.1:8080");
    let known = "localhost LocalHost:8080 app.localhost:1 127.0.0.1 127.0.0.1:8080 127.9.8.7 [::1] [::1]:8080 \
        [::ffff:127.0.0.1] 192.0.2.1 192.0.2.1:80 stream.example Stream.Example:443 box";
    for host in known.split(' ') {
        assert_eq!(answered(&server, &[("host", host)]), Ok(()), "{host}");
    }
}

#[test]
fn other_hosts() {
    let server = hosts("192.0.2.1:8080");
    let unknown = "evil.example evil.example:8080 localhost.evil.example evillocalhost 127.0.0.1.evil.example \
        stream.example.evil.example a.stream.example 192.0.2.2 [2001:db8::1] 0.0.0.0 localhost@evil.example \
        evil.example@localhost ::1 http://localhost localhost/";
    for host in unknown.split(' ').chain(["", "local host"]) {
        assert_eq!(answered(&server, &[("host", host)]), Err(ForeignRequest::UnknownHost(host.to_owned())), "{host}");
        // Each of several is checked.
        assert!(answered(&server, &[("host", "localhost"), ("host", host)]).is_err(), "{host}");
    }
    assert_eq!(answered(&server, &[]), Err(ForeignRequest::NoHost));
}

#[test]
fn a_server_on_all_addresses() {
    for address in ["0.0.0.0:80", "[::]:80"] {
        let server = hosts(address);
        for host in ["192.0.2.2", "[2001:db8::1]:80", "localhost"] {
            assert_eq!(answered(&server, &[("host", host)]), Ok(()), "{host}");
        }
        assert!(answered(&server, &[("host", "evil.example")]).is_err());
    }
}

/// As in `--host box:8080`.
#[test]
fn a_port_in_a_name_is_ignored() {
    let server = KnownHosts::new("127.0.0.1:80".parse().unwrap(), ["box:8080".to_owned(), "not a name".to_owned()]);
    assert_eq!(answered(&server, &[("host", "box")]), Ok(()));
    assert_eq!(answered(&server, &[("host", "box:81")]), Ok(()));
    assert!(answered(&server, &[("host", "not")]).is_err());
}

/// Over HTTP/2, the host is in the URI; in HTTP/1.1 it can be there, too.
#[test]
fn the_host_in_the_uri() {
    let server = hosts("127.0.0.1:80");
    for version in [Version::HTTP_11, Version::HTTP_2] {
        let at = |uri: &str| Request::builder().version(version).uri(uri);
        assert_eq!(server.check(&at("http://localhost:80/").body(()).unwrap()), Ok(()));
        let evil = ForeignRequest::UnknownHost("evil.example".to_owned());
        assert_eq!(server.check(&at("http://evil.example/").body(()).unwrap()), Err(evil.clone()));
        assert_eq!(server.check(&at("http://evil.example/").header("host", "localhost").body(()).unwrap()), Err(evil));
        let mixed = at("http://localhost/").header("host", "evil.example");
        assert!(server.check(&mixed.body(()).unwrap()).is_err());
    }
}

#[test]
fn pages() {
    let server = hosts("127.0.0.1:8080");
    let from = |headers: &[(&str, &str)]| answered(&server, &[&[("host", "localhost:8080")], headers].concat());
    for own in [
        &[("origin", "http://localhost:8080")][..],
        &[("origin", "https://LOCALHOST:8080")],
        &[("sec-fetch-site", "same-origin")],
        &[("sec-fetch-site", "none")],
    ] {
        assert_eq!(from(own), Ok(()), "{own:?}");
    }
    for other in [
        &[("origin", "http://localhost")][..],
        &[("origin", "http://localhost:8081")],
        &[("origin", "http://127.0.0.1:8080")],
        &[("origin", "http://evil.example")],
        &[("origin", "null")],
        &[("origin", "")],
        &[("origin", "http://localhost:8080"), ("origin", "http://evil.example")],
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "same-site")],
        &[("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "cross-site"), ("origin", "http://localhost:8080")],
    ] {
        assert_eq!(from(other), Err(ForeignRequest::OtherOrigin), "{other:?}");
    }
}

#[tokio::test]
async fn every_method_and_path_is_checked() {
    let settings =
        Settings { hosts: vec!["stream.example".into()], api_key: Some("sesame".into()), ..Settings::default() };
    let gateway = Gateway::with(settings).await;
    let body = chat("a").to_string();
    for method in [Method::GET, Method::POST, Method::OPTIONS, Method::DELETE] {
        for path in [CHAT, TEXT, "/v1/models", "/v1/events?text=a", "/nowhere"] {
            let request = || gateway.request(method.clone(), path).body(body.clone());
            // As a page sends it whose name has been bound to this server's address.
            let rebound = request().header("host", "evil.example:8080").header("origin", "http://evil.example:8080");
            let answer = Answer::of(rebound.header("sec-fetch-site", "same-origin")).await;
            check(&answer, 421, Value::Null, "unknown_host", &["\"evil.example:8080\"", "--host"]);
            let answer = Answer::of(request().header("origin", "http://evil.example")).await;
            check(&answer, 403, Value::Null, "other_origin", &["the pages of other origins"]);
            let named = Answer::of(request().header("host", "stream.example")).await;
            assert!([401, 404, 405].contains(&named.status), "{}", named.status);
        }
    }
}

/// The server says "continue" when it begins to read the body.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_body_of_a_foreign_request_is_not_read() {
    let gateway = Gateway::start().await;
    let ask = |version: &str, headers: &str| {
        let mut connection = gateway.connect();
        let head = format!("POST {CHAT} HTTP/{version}\r\n{headers}Content-Length: 2\r\nExpect: 100-continue\r\n\r\n");
        connection.write_all(head.as_bytes()).unwrap();
        let mut status = [0; 12];
        connection.read_exact(&mut status).unwrap();
        String::from_utf8(status.to_vec()).unwrap()
    };
    assert_eq!(ask("1.1", "Host: localhost\r\n"), "HTTP/1.1 100");
    assert_eq!(ask("1.1", "Host: evil.example\r\n"), "HTTP/1.1 421");
    assert_eq!(ask("1.1", "Host: localhost\r\nOrigin: http://evil.example\r\n"), "HTTP/1.1 403");
    assert_eq!(ask("1.1", ""), "HTTP/1.1 400");
    assert_eq!(ask("1.0", ""), "HTTP/1.0 400");
}
