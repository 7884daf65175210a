//! Whether a page of another origin may read the stream. The head of the response is the lint's.

use eventwire_lint::Finding;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, ORIGIN,
};
use http::{HeaderMap, HeaderValue};

use super::judgement::Judgement;
use super::target::Target;
use crate::failure;

/// Sends the preflight request of a page that sends `Last-Event-ID` itself.
pub(crate) async fn judge(target: &Target, judgement: &mut Judgement) {
    let Some(origin) = target.origin() else {
        judgement.not_judged("cors", "give the origin of a page: --origin https://app.example.com");
        return;
    };
    let mut headers = HeaderMap::new();
    headers.insert(ORIGIN, origin.clone());
    headers.insert(ACCESS_CONTROL_REQUEST_METHOD, HeaderValue::from_static("GET"));
    headers.insert(ACCESS_CONTROL_REQUEST_HEADERS, HeaderValue::from_static("last-event-id"));
    let Some(answer) = target.preflight(headers).await else {
        judgement.not_judged("preflight", "the server did not answer an OPTIONS request");
        return;
    };
    let value = |name| answer.headers().get(name).map(|value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()));
    let allowed = answer.headers().get_all(ACCESS_CONTROL_ALLOW_HEADERS).iter();
    let allowed = allowed.map(|value| String::from_utf8_lossy(value.as_bytes())).collect::<Vec<_>>().join(",");
    let mut names = allowed.split(',').map(str::trim);
    let is_allowed = answer.status().is_success()
        && value(ACCESS_CONTROL_ALLOW_ORIGIN).is_some_and(|allowed| allowed == "*" || allowed.as_bytes() == origin)
        && names.any(|name| name == "*" || name.eq_ignore_ascii_case("last-event-id"));
    if !is_allowed {
        let what = format!(
            "the CORS preflight (OPTIONS) for the header `Last-Event-ID` was answered {}, and does not allow it",
            failure::status(answer.status())
        );
        judgement.add(Finding::new("preflight", what));
    }
}
