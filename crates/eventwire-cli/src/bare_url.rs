//! A URL without its scheme, such as `localhost:8080/events`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::Path;

use reqwest::Url;

/// How the names of files end that may contain a stream. None of these is a top-level domain.
const FILES: [&str; 9] = ["sse", "txt", "text", "log", "json", "jsonl", "ndjson", "gz", "out"];

/// Returns the URL that the user may have meant by this path, if there is no such file.
///
/// It starts with `https://`, except for port 80 and the loopback interface, where a certificate is unlikely. A name
/// with a dot may be that of a file, such as `events.sse`: without a port and a path, it is one if it ends as files do.
pub(crate) fn meant_by(path: &Path) -> Option<String> {
    if path.exists() {
        return None;
    }
    let path = path.to_str()?;
    let host_and_port = path.split(['/', '?']).next()?;
    let (host, port) = match host_and_port.rsplit_once(':') {
        Some((host, port)) if !host_and_port.ends_with(']') => (host, Some(port.parse::<u16>().ok()?)),
        _ => (host_and_port, None),
    };
    let address: Option<IpAddr> = match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(host) => host.parse::<Ipv6Addr>().ok().map(IpAddr::from),
        None => host.parse::<Ipv4Addr>().ok().map(IpAddr::from),
    };
    let top = host.rsplit('.').next()?;
    let is_domain =
        !host.starts_with('.') && top.len() < host.len() && top.len() > 1 && top.chars().all(char::is_alphabetic);
    let is_localhost = host == "localhost" || host.ends_with(".localhost");
    let is_loopback = is_localhost || address.is_some_and(|address| address.is_loopback());
    let is_secure = !is_loopback && port != Some(80);
    let is_host = address.is_some() || is_domain || is_localhost || port.is_some();
    let is_file = is_domain && path == host && FILES.contains(&top.to_ascii_lowercase().as_str());
    // The parser would drop line breaks and tabs. A path with `@` is more likely one for scp.
    let is_plain = !path.contains(|char: char| char.is_control() || char.is_whitespace() || char == '@');
    let url = format!("{}://{path}", if is_secure { "https" } else { "http" });
    (is_host && !is_file && is_plain && Url::parse(&url).is_ok()).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::meant_by;

    #[test]
    fn urls() {
        for http in [
            "localhost",
            "localhost:8080",
            "localhost:8080/x?y",
            "localhost/x",
            "localhost?x",
            "app.localhost:3000/x",
            "127.0.0.1/x",
            "[::1]:8080/x",
            "[::1]/x",
            "example.com:80/x",
            "192.168.0.2:80",
        ] {
            assert_eq!(meant_by(http.as_ref()), Some(format!("http://{http}")));
        }
        for https in [
            "example.com",
            "api.example.com",
            "bücher.example",
            "example.com/x",
            "example.com/",
            "example.com/x.sse",
            "files.json/x",
            "api.example.com:8443/x",
            "example.com:443",
            "bücher.example/é",
            "192.168.0.2",
            "192.168.0.2:8080/x",
            "[2001:db8::1]:8080/x",
            "server:3000/x",
        ] {
            assert_eq!(meant_by(https.as_ref()), Some(format!("https://{https}")));
        }
    }

    #[test]
    fn paths() {
        for path in [
            "",
            "/",
            "events.sse",
            "recorded.2026.LOG",
            "answer.sse.gz",
            "server",
            "no/such/file.sse",
            "./x",
            "../x",
            ".hidden/x",
            "/tmp/x.sse",
            "logs.d/x",
            "v1.2/x",
            "localhost.txt",
            "C:\\x",
            "C:/x",
            "a:b/c",
            "host:99999/x",
            ":80/x",
            "example.com:/x",
            "[x]:80/y",
            "[::1",
            "user@example.com:80/x",
            "localhost:80/a\nb",
            "localhost:80/a b",
            "a b.com/x",
        ] {
            assert_eq!(meant_by(path.as_ref()), None, "{path:?}");
        }
    }
}
