//! The key that a client shows.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::header::{AUTHORIZATION, HeaderMap};
use axum::http::request::Parts;

use super::Settings;
use super::error::ApiError;

/// Proof that the client has shown the key in its `Authorization`, or that none is asked for.
pub(super) struct Authorized;

impl FromRequestParts<Arc<Settings>> for Authorized {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, settings: &Arc<Settings>) -> Result<Authorized, ApiError> {
        check(bearer(&parts.headers), settings)
    }
}

/// Whether this is the key that is asked for.
pub(super) fn check(shown: Option<&str>, settings: &Settings) -> Result<Authorized, ApiError> {
    match (&settings.api_key, shown) {
        (None, _) => Ok(Authorized),
        (Some(key), Some(shown)) if key == shown => Ok(Authorized),
        (Some(_), Some(_)) => Err(ApiError::wrong_key()),
        (Some(_), None) => Err(ApiError::no_key()),
    }
}

/// The key in `Authorization: Bearer KEY`. The scheme's case does not count.
pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, key) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
}
