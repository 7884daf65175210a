//! What is wrong with the head of a response.

use eventwire_client::ResponseHead;
use http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION, SERVER,
    VIA,
};
use http::{Response, StatusCode, Version};

use crate::finding::{Finding, Severity};

/// Returns what is wrong with the head, for a page of this origin if there is one. Of a response that is no stream,
/// it returns only that.
pub(crate) fn findings<B>(response: &Response<B>, origin: Option<&str>) -> Vec<Finding> {
    let head = ResponseHead::from(response);
    let headers = response.headers();
    if response.status() != StatusCode::OK {
        return vec![refused(response.status(), headers)];
    }
    if !head.is_event_stream() {
        return vec![content_type(headers)];
    }
    let cors = origin.and_then(|origin| cross_origin(headers, origin));
    [charset(headers), http_1_0(response.version()), length(headers), cache(headers), cors]
        .into_iter()
        .flatten()
        .collect()
}

/// Returns the proxy or server that the headers name, for a person.
pub(crate) fn proxy(headers: &HeaderMap) -> Option<String> {
    const TRACES: [(&str, &str); 4] = [
        ("cf-ray", "Cloudflare"),
        ("x-amz-cf-id", "Amazon CloudFront"),
        ("x-varnish", "Varnish"),
        ("x-envoy-upstream-service-time", "Envoy"),
    ];
    for (name, proxy) in TRACES {
        if headers.contains_key(name) {
            return Some(format!("{proxy} (it sent `{name}`)"));
        }
    }
    if let Some(via) = headers.get(VIA) {
        return Some(format!("the proxy in `Via: {}`", text(via)));
    }
    // Many servers name themselves. These are usually in front of another one.
    const PROXIES: [&str; 12] = [
        "nginx",
        "openresty",
        "cloudflare",
        "envoy",
        "varnish",
        "caddy",
        "apache",
        "haproxy",
        "awselb",
        "google frontend",
        "akamai",
        "vercel",
    ];
    let server = text(headers.get(SERVER)?);
    let lower = server.to_ascii_lowercase();
    PROXIES.iter().any(|proxy| lower.contains(proxy)).then(|| format!("`Server: {server}`"))
}

fn refused(status: StatusCode, headers: &HeaderMap) -> Finding {
    let code = match status {
        StatusCode::NO_CONTENT => "no-content",
        StatusCode::MOVED_PERMANENTLY
        | StatusCode::FOUND
        | StatusCode::SEE_OTHER
        | StatusCode::TEMPORARY_REDIRECT
        | StatusCode::PERMANENT_REDIRECT
            if headers.contains_key(LOCATION) =>
        {
            "redirect"
        }
        _ => "status",
    };
    // One that is not registered has no reason.
    let reason = status.canonical_reason().map(|reason| format!(" {reason}")).unwrap_or_default();
    let finding = Finding::new(code, format!("the status is {}{reason}", status.as_str()));
    Finding { cure: cure(status).unwrap_or(finding.cure), ..finding }
}

/// Returns what to do about this status, in place of what the list says.
fn cure(status: StatusCode) -> Option<&'static str> {
    Some(match status.as_u16() {
        401 | 403 => {
            "Send what the server asks for: a cookie or a token. If clients must sign in first, let the page do it before it \
             opens the stream"
        }
        404 | 410 => "Check the path of the URL, and the routes of the server and of its proxy",
        405 => "Let the server accept this method. A browser's EventSource sends a GET",
        429 => "Allow more requests, or more connections at the same time",
        500.. => "Look into the log of the server, and of its proxy",
        _ => return None,
    })
}

fn content_type(headers: &HeaderMap) -> Finding {
    let values: Vec<String> = headers.get_all(CONTENT_TYPE).iter().map(text).collect();
    let what = match &values[..] {
        [] => "there is no content type".to_owned(),
        [value] => format!("the content type is `{value}`"),
        values => format!("there are several content types: `{}`", values.join("`, `")),
    };
    Finding::new("content-type", what)
}

fn charset(headers: &HeaderMap) -> Option<Finding> {
    let charset = headers.get_all(CONTENT_TYPE).iter().find_map(charset_of)?;
    let what = format!("the content type has the charset `{charset}`");
    (!charset.is_empty() && !charset.eq_ignore_ascii_case("utf-8")).then(|| Finding::new("charset", what))
}

fn charset_of(value: &HeaderValue) -> Option<String> {
    let value = text(value);
    let mut parameters = value.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let (_, charset) = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
    Some(charset.trim().trim_matches('"').to_owned())
}

fn http_1_0(version: Version) -> Option<Finding> {
    (version < Version::HTTP_11).then(|| Finding::new("http-1.0", format!("the response is {version:?}")))
}

fn length(headers: &HeaderMap) -> Option<Finding> {
    let length = headers.get(CONTENT_LENGTH)?;
    Some(Finding::new("content-length", format!("there is a `Content-Length: {}`", text(length))))
}

fn cache(headers: &HeaderMap) -> Option<Finding> {
    let values: Vec<String> = headers.get_all(CACHE_CONTROL).iter().map(text).collect();
    let value = values.join(", ").to_ascii_lowercase();
    let has = |name| value.split(',').any(|directive| directive.trim().split('=').next() == Some(name));
    if has("no-store") || has("no-cache") {
        return None;
    }
    // What is stale at once is asked for again.
    let is_stale = value.split(',').any(|directive| directive.trim() == "max-age=0");
    let is_stored = !is_stale && ["max-age", "s-maxage", "public", "immutable"].into_iter().any(has);
    let what = if value.is_empty() {
        "there is no `Cache-Control`".to_owned()
    } else {
        format!("`Cache-Control: {value}` does not keep caches from storing the stream")
    };
    let severity = if is_stored { Severity::Warn } else { Severity::Note };
    Some(Finding { severity, ..Finding::new("cache-control", what) })
}

fn cross_origin(headers: &HeaderMap, origin: &str) -> Option<Finding> {
    let mut values = headers.get_all(ACCESS_CONTROL_ALLOW_ORIGIN).iter();
    let what = match values.next() {
        Some(_) if values.next().is_some() => "there are several `Access-Control-Allow-Origin`".to_owned(),
        Some(value) if value == "*" || value == origin => return None,
        Some(value) => format!("`Access-Control-Allow-Origin` is `{}`, not `{origin}`", text(value)),
        None => format!("there is no `Access-Control-Allow-Origin` for pages from {origin}"),
    };
    Some(Finding::new("cors", what))
}

/// Returns the value as text. Bytes that are not UTF-8 are replaced.
fn text(value: &HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}
