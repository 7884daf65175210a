//! The API key.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
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
        check(bearer(&parts.headers), &service.settings)
    }
}

/// Checks the key that was sent against the one that is required.
pub(crate) fn check(sent: Option<&str>, settings: &Settings) -> Result<Authorized, ApiError> {
    let Some(key) = &settings.api_key else { return Ok(Authorized) };
    let why = match sent {
        // In a time that does not depend on how much of the key is right. It shows whether the length is.
        Some(sent) if bool::from(key.as_bytes().ct_eq(sent.as_bytes())) => return Ok(Authorized),
        // The key itself is not printed, because error messages end up in logs.
        Some(_) => "The API key is wrong; check the one that the request sends.",
        None => "This server requires an API key; send it as `Authorization: Bearer KEY`.",
    };
    Err(ApiError::new(StatusCode::UNAUTHORIZED, "invalid_api_key", why))
}

/// Returns the key in `Authorization: Bearer KEY`. The scheme is not case-sensitive.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, key) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
}
