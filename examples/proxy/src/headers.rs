//! The headers that a proxy passes on.

use axum::http::header::{
    ACCEPT_ENCODING, ACCEPT_RANGES, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, EXPECT, HOST,
    HeaderMap, HeaderName, HeaderValue, IF_RANGE, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, RANGE, TE, TRAILER,
    TRANSFER_ENCODING, UPGRADE, VIA,
};

/// Headers about one connection only. The header `connection` may name more.
const HOP_BY_HOP: [HeaderName; 9] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    HeaderName::from_static("proxy-connection"),
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// Headers that no longer hold once the body is changed.
const OF_THE_BYTES: [HeaderName; 6] = [
    HeaderName::from_static("content-digest"),
    CONTENT_LENGTH,
    HeaderName::from_static("content-md5"),
    HeaderName::from_static("digest"),
    ETAG,
    HeaderName::from_static("repr-digest"),
];

/// The headers of a request, as they are sent on.
pub(crate) fn for_upstream(mut headers: HeaderMap) -> HeaderMap {
    remove_hop_by_hop(&mut headers);
    // The first two are set anew when the request is sent. The body has been read, so that nothing is left to expect.
    // A part of an answer cannot be changed, because its range would no longer be right.
    for name in [HOST, CONTENT_LENGTH, EXPECT, RANGE, IF_RANGE] {
        headers.remove(name);
    }
    // The proxy has to read the answer, so it must not be compressed.
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    headers.append(VIA, HeaderValue::from_static("1.1 proxy"));
    headers
}

/// The headers of an answer whose body is passed on as it is.
pub(crate) fn for_client(headers: &HeaderMap) -> HeaderMap {
    let mut headers = headers.clone();
    remove_hop_by_hop(&mut headers);
    // Requests are forwarded without their range.
    headers.remove(ACCEPT_RANGES);
    headers
}

/// The headers of an answer whose body is changed.
pub(crate) fn for_client_rewritten(headers: &HeaderMap) -> HeaderMap {
    let mut headers = for_client(headers);
    for name in OF_THE_BYTES {
        headers.remove(name);
    }
    headers
}

fn remove_hop_by_hop(headers: &mut HeaderMap) {
    let named = headers.get_all(CONNECTION).iter().filter_map(|value| value.to_str().ok());
    let named: Vec<HeaderName> =
        named.flat_map(|list| list.split(',')).filter_map(|name| name.trim().parse().ok()).collect();
    for name in HOP_BY_HOP.into_iter().chain(named) {
        headers.remove(name);
    }
}

/// The media type, without its parameters and in lower case. Empty if the content is compressed, so that the proxy
/// cannot read it.
pub(crate) fn readable_type(headers: &HeaderMap) -> String {
    let encodings =
        headers.get_all(CONTENT_ENCODING).iter().flat_map(|list| list.as_bytes().split(|&byte| byte == b','));
    if !encodings.map(<[u8]>::trim_ascii).all(|name| name.is_empty() || name.eq_ignore_ascii_case(b"identity")) {
        return String::new();
    }
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(encodings: &[&'static str], expected: &str) {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("Text/Event-Stream ; charset=utf-8"));
        for encoding in encodings {
            headers.append(CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        assert_eq!(readable_type(&headers), expected, "{encodings:?}");
    }

    #[test]
    fn only_what_is_not_compressed_can_be_read() {
        for plain in [&[][..], &["identity"], &["Identity"], &[""], &[" , "], &["identity, IDENTITY", ""]] {
            check(plain, "text/event-stream");
        }
        for compressed in [&["gzip"][..], &["identity", "gzip"], &["identity, br"], &["identityx"]] {
            check(compressed, "");
        }
    }
}
