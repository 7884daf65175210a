//! A response that is no event stream: what the server says in it, and what to do.

use std::convert::Infallible;

use bytes::Bytes;
use eventwire_client::{OpenError, open_chunks};
use eventwire_reqwest::PlatformTimer;
use futures_util::stream;
use http::header::CONTENT_ENCODING;

use super::seen::Seen;
use crate::coding::coding;
use crate::failure;

/// Completes the finding about the response: it says what the server wrote in the body, and what to do.
pub(crate) async fn explain(seen: &mut Seen) {
    let Some(head) = seen.head.clone() else { return };
    let is_decoded = coding(&head).is_some();
    let (mut head, ()) = head.into_parts();
    if is_decoded {
        head.headers.remove(CONTENT_ENCODING);
    }
    let body = stream::iter([Ok::<_, Infallible>(Bytes::copy_from_slice(&seen.body))]);
    let opened = open_chunks(head, body, PlatformTimer).await;
    let Err(OpenError::Refused(refusal) | OpenError::WrongContentType(refusal)) = opened else { return };
    let advice = failure::advice_on_status(refusal.status()).map(|advice| format!("; {advice}")).unwrap_or_default();
    let what = failure::refused(&refusal) + &advice;
    if let Some(finding) = seen.findings.iter_mut().find(|finding| matches!(finding.code, "status" | "content-type")) {
        finding.what = what;
    }
}
