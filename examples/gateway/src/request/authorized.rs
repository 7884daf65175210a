//! The API key.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::header::{AUTHORIZATION, HeaderMap};
use axum::http::request::Parts;
use subtle::ConstantTimeEq;

use crate::api_error::ApiError;
use crate::server::{Service, Settings};

/// Proof that the client sent the key in the header `Authorization`, or that no key is required.
pub(crate) struct Authorized;

impl FromRequestParts<Arc<Service>> for Authorized {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, service: &Arc<Service>) -> Result<Authorized, ApiError> {
        check_key(bearer_key(&parts.headers), &service.settings)
    }
}

/// Checks the key that was sent against the one that is required.
pub(crate) fn check_key(sent: Option<&str>, settings: &Settings) -> Result<Authorized, ApiError> {
    match (&settings.api_key, sent) {
        (None, _) => Ok(Authorized),
        // In a time that does not depend on how much of the key is right. It shows whether the length is.
        (Some(key), Some(sent)) if bool::from(key.as_bytes().ct_eq(sent.as_bytes())) => Ok(Authorized),
        (Some(_), Some(_)) => Err(ApiError::wrong_key()),
        (Some(_), None) => Err(ApiError::no_key()),
    }
}

/// Returns the key in `Authorization: Bearer KEY`. The scheme is not case-sensitive.
pub(crate) fn bearer_key(headers: &HeaderMap) -> Option<&str> {
    let (scheme, key) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
}
