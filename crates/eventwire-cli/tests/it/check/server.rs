//! What most servers of these tests have in common.

use bytes::Bytes;
use eventwire_test::Script;

pub(crate) type Request = http::Request<Bytes>;

/// Returns a right response, without events.
pub(crate) fn right() -> Script {
    Script::new().header("cache-control", "no-cache")
}

/// Returns the value of this header.
pub(crate) fn header<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    request.headers().get(name).map(|value| str::from_utf8(value.as_bytes()).unwrap())
}

/// Returns the number after which a client continues.
pub(crate) fn last_id(request: &Request) -> u64 {
    header(request, "last-event-id").and_then(|id| id.parse().ok()).unwrap_or(0)
}
