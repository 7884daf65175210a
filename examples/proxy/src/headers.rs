//! The headers that a proxy passes on.

use axum::http::header::{
    ACCEPT_ENCODING, ACCEPT_RANGES, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, EXPECT, HOST,
    HeaderMap, HeaderName, HeaderValue, IF_RANGE, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, RANGE, TE, TRAILER,
    TRANSFER_ENCODING, UPGRADE, VIA,
};

/// Headers that apply to one connection only. The header `connection` may name more.
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

/// Headers that are wrong once the body is changed.
const OF_THE_BYTES: [HeaderName; 6] = [
    HeaderName::from_static("content-digest"),
    CONTENT_LENGTH,
    HeaderName::from_static("content-md5"),
    HeaderName::from_static("digest"),
    ETAG,
    HeaderName::from_static("repr-digest"),
];

/// Returns the headers of a request for the server.
pub(crate) fn for_upstream(mut headers: HeaderMap) -> HeaderMap {
    remove_hop_by_hop(&mut headers);
    // The first two are set again when the request is sent. `Expect` has no meaning after the body has been read. A
    // partial answer cannot be changed, because its range would be wrong, so none is requested.
    for name in [HOST, CONTENT_LENGTH, EXPECT, RANGE, IF_RANGE] {
        headers.remove(name);
    }
    // The answer must not be compressed, because the proxy reads it.
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    headers.append(VIA, HeaderValue::from_static("1.1 proxy"));
    headers
}

/// Returns the headers of an answer whose body is passed on unchanged.
pub(crate) fn for_client(headers: &HeaderMap) -> HeaderMap {
    let mut headers = headers.clone();
    remove_hop_by_hop(&mut headers);
    // The proxy forwards requests without their range, so it does not offer ranges.
    headers.remove(ACCEPT_RANGES);
    headers
}

/// Returns the headers of an answer whose body is changed.
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

/// Returns the media type in lower case, without its parameters. It is empty if the proxy cannot read the content,
/// because it is compressed.
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
