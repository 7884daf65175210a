//! A URL without its scheme, such as `localhost:8080/events`.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::Path;

use reqwest::Url;

/// Returns the URL that the user may have meant by this path, if there is no such file.
///
/// It starts with `http://` if a certificate is unlikely: for an IP address, a name without a dot such as `localhost`,
/// and port 80. A name with a dot needs a port or a path, because `events.sse` is the name of a file.
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
    let ipv6 = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let is_address = host.parse::<Ipv4Addr>().is_ok() || ipv6.is_some_and(|host| host.parse::<Ipv6Addr>().is_ok());
    let top = host.rsplit('.').next()?;
    let is_domain =
        !host.starts_with('.') && top.len() < host.len() && top.len() > 1 && top.chars().all(char::is_alphabetic);
    let is_secure = is_domain && !host.ends_with(".localhost") && port != Some(80);
    let is_host = is_address || is_domain || host == "localhost" || port.is_some();
    let is_more_than_a_name = !is_domain || port.is_some() || path.len() > host_and_port.len();
    // The parser would drop line breaks and tabs. A path with `@` is more likely one for scp.
    let is_plain = !path.contains(|char: char| char.is_control() || char.is_whitespace() || char == '@');
    let url = format!("{}://{path}", if is_secure { "https" } else { "http" });
    (is_host && is_more_than_a_name && is_plain && Url::parse(&url).is_ok()).then_some(url)
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
            "192.168.0.2:8080/x",
            "[::1]:8080/x",
            "[::1]/x",
            "server:3000/x",
            "example.com:80/x",
        ] {
            assert_eq!(meant_by(http.as_ref()), Some(format!("http://{http}")));
        }
        for https in ["example.com/x", "example.com/", "api.example.com:8443/x", "example.com:443", "bücher.example/é"]
        {
            assert_eq!(meant_by(https.as_ref()), Some(format!("https://{https}")));
        }
    }

    #[test]
    fn paths() {
        for path in [
            "",
            "/",
            "events.sse",
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
