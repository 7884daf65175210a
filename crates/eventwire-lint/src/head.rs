//! What is wrong with the head of a response.

use std::borrow::Cow;

use eventwire_client::ResponseHead;
use http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue, SERVER, VIA,
};
use http::{Response, StatusCode, Version};

use crate::Finding;
use crate::Severity::{Fail, Note, Warn};

/// Returns what is wrong with the head, for a page of this origin if there is one.
pub(crate) fn findings<B>(response: &Response<B>, origin: Option<&str>) -> Vec<Finding> {
    let head = ResponseHead::from(response);
    let headers = response.headers();
    let findings = match response.status() {
        StatusCode::OK => [content_type(&head, headers), http_1_0(response.version()), length(headers), cache(headers)],
        status => [Some(refused(status)), None, None, None],
    };
    findings.into_iter().flatten().chain(origin.and_then(|origin| cross_origin(headers, origin))).collect()
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

fn refused(status: StatusCode) -> Finding {
    if status == StatusCode::NO_CONTENT {
        return fail(
            "no-content",
            "the status is 204 No Content",
            "A browser's EventSource stops and does not reconnect",
            "Answer 200 with `Content-Type: text/event-stream` as long as there is a stream, and 204 only when clients \
             must stop",
        );
    }
    if status.is_redirection() {
        return redirect(status);
    }
    fail(
        "status",
        format!("the status is {status}"),
        "A browser's EventSource fails and does not reconnect",
        "Answer 200 if there is a stream. A browser does not show other answers to a page",
    )
}

fn redirect(status: StatusCode) -> Finding {
    Finding::new(
        Note,
        "redirect",
        format!("the status is {status}"),
        "A client follows the redirect each time that it connects",
        "Use the final URL",
    )
}

fn content_type(head: &ResponseHead<'_>, headers: &HeaderMap) -> Option<Finding> {
    let value = headers.get(CONTENT_TYPE);
    if !head.is_event_stream() {
        let what = match value {
            Some(value) => format!("the content type is `{}`", text(value)),
            None => "there is no content type".to_owned(),
        };
        return Some(fail(
            "content-type",
            what,
            "A browser's EventSource fails and does not reconnect",
            "Send `Content-Type: text/event-stream`",
        ));
    }
    let charset = headers.get_all(CONTENT_TYPE).iter().find_map(charset)?;
    (!charset.eq_ignore_ascii_case("utf-8")).then(|| {
        fail(
            "charset",
            format!("the content type has the charset `{charset}`"),
            "Chromium's EventSource fails. Other clients ignore the charset, because an event stream is always UTF-8",
            "Send `Content-Type: text/event-stream` without a charset, and the text in UTF-8",
        )
    })
}

fn charset(value: &HeaderValue) -> Option<String> {
    let value = text(value);
    let mut parameters = value.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let (_, charset) = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
    Some(charset.trim().trim_matches('"').to_owned())
}

fn http_1_0(version: Version) -> Option<Finding> {
    (version < Version::HTTP_11).then(|| {
        Finding::new(
            Warn,
            "http-1.0",
            format!("the answer is {version:?}"),
            "A client cannot tell the end of the stream from a lost connection",
            "Answer with HTTP/1.1 or later. If a proxy connects to the server with 1.0, as nginx does by default, set \
             `proxy_http_version 1.1`",
        )
    })
}

fn length(headers: &HeaderMap) -> Option<Finding> {
    let length = headers.get(CONTENT_LENGTH)?;
    Some(Finding::new(
        Warn,
        "content-length",
        format!("there is a `Content-Length: {}`", text(length)),
        "The length is known only if the whole stream was made before the first byte was sent",
        "Send each event when it happens, without a length",
    ))
}

fn cache(headers: &HeaderMap) -> Option<Finding> {
    let mut values = headers.get_all(CACHE_CONTROL).iter().map(text).collect::<Vec<_>>();
    values.iter_mut().for_each(|value| value.make_ascii_lowercase());
    let value = values.join(", ");
    let has = |name| value.split(',').any(|directive| directive.trim().split('=').next() == Some(name));
    if has("no-store") || has("no-cache") || has("private") && !has("max-age") {
        return None;
    }
    let (severity, what) = match value.as_str() {
        "" => (Note, "there is no `Cache-Control`".to_owned()),
        value if has("max-age") || has("s-maxage") || has("public") || has("immutable") => {
            (Warn, format!("`Cache-Control: {value}` lets caches store the stream"))
        }
        value => (Note, format!("`Cache-Control: {value}` does not forbid caches to store the stream")),
    };
    Some(Finding::new(
        severity,
        "cache-control",
        what,
        "A cache may answer a client that reconnects with an old stream",
        "Send `Cache-Control: no-store`, or `no-cache`",
    ))
}

fn cross_origin(headers: &HeaderMap, origin: &str) -> Option<Finding> {
    let what = match headers.get(ACCESS_CONTROL_ALLOW_ORIGIN) {
        Some(value) if value == "*" || value == origin => return None,
        Some(value) => format!("`Access-Control-Allow-Origin` is `{}`, not `{origin}`", text(value)),
        None => format!("there is no `Access-Control-Allow-Origin` for a page of {origin}"),
    };
    Some(fail(
        "cors",
        what,
        "A browser does not give the stream to the page: its EventSource fails and does not reconnect",
        format!("Send `Access-Control-Allow-Origin: {origin}`, with `Vary: Origin` if it depends on the request"),
    ))
}

fn fail(
    code: &'static str,
    what: impl Into<String>,
    effect: &'static str,
    cure: impl Into<Cow<'static, str>>,
) -> Finding {
    Finding::new(Fail, code, what, effect, cure)
}

/// Returns the value as text. Bytes that are not UTF-8 are replaced.
fn text(value: &HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}
