//! Redirects that the connector follows itself, as in the Fetch standard's [HTTP-redirect fetch].
//!
//! [HTTP-redirect fetch]: https://fetch.spec.whatwg.org/#http-redirect-fetch

use super::{
    platform::to_reqwest_error,
    reqwest::{self, Client, Request, Response, Url},
    send::{answered, is_same},
};
use crate::redirect_error::RedirectError;
use eventwire_client::Attempt;
use http::{
    HeaderMap, HeaderName, Method, StatusCode, Uri,
    header::{
        AUTHORIZATION, COOKIE, EXPECT, HOST, LOCATION, PROXY_AUTHORIZATION, REFERER, TRAILER, TRANSFER_ENCODING,
        WWW_AUTHENTICATE,
    },
};
use std::{fmt, sync::Arc};

/// Decides whether a redirect to a URL of another origin is followed.
type OtherOrigins = Arc<dyn Fn(&Url) -> bool + Send + Sync>;

/// Which redirects the connector follows. By default none, because the HTTP client follows them.
#[derive(Clone, Default)]
pub(super) struct Redirects {
    limit: Option<usize>,
    other_origins: Option<OtherOrigins>,
}

impl Redirects {
    /// Follows this many redirects in one attempt.
    pub(super) fn up_to(limit: usize) -> Redirects {
        Redirects { limit: Some(limit), other_origins: None }
    }

    /// Follows redirects to those URLs of another origin for which the function returns `true`.
    pub(super) fn allow(&mut self, other_origins: impl Fn(&Url) -> bool + Send + Sync + 'static) {
        self.other_origins = Some(Arc::new(other_origins));
    }

    /// Sends the request and returns the response after the redirects, with its URL.
    pub(super) async fn send(
        self,
        client: Client,
        request: Request,
        attempt: &Attempt,
    ) -> reqwest::Result<(Response, Url)> {
        let mut url = request.url().clone();
        let Some(limit) = self.limit else {
            let response = check_redirect(client.execute(request).await, &url)?;
            url = answered(attempt, url, response.url());
            return Ok((response, url));
        };
        let mut request = request;
        let mut count = 0;
        loop {
            let method = request.method().clone();
            let copy = copy(&mut request);
            let outcome = client.execute(request).await;
            if let Some(next) = followed(&outcome, &url) {
                attempt.handle_carried_out();
                attempt.handle_permanent_error();
                return match to_reqwest_error(RedirectError::followed(next.as_str().as_bytes())) {
                    Some(error) => Err(error.with_url(url)),
                    None => outcome.map(|response| (response, url)),
                };
            }
            let response = outcome?;
            let Some(location) = location(&response) else { return Ok((response, url)) };
            let becomes_get = becomes_get(response.status(), &method);
            if becomes_get {
                attempt.handle_carried_out();
            }
            let next = match copy {
                _ if response.headers().get_all(LOCATION).iter().nth(1).is_some() => {
                    Err(RedirectError::invalid(&location))
                }
                _ if count == limit => Err(RedirectError::too_many(&location, limit)),
                Some(Copy::Complete(next)) => self.next(next, becomes_get, &url, &location),
                Some(Copy::WithoutBody(next)) if becomes_get => self.next(next, becomes_get, &url, &location),
                _ => Err(RedirectError::stream_body(&location)),
            };
            request = match next {
                Ok(next) => next,
                Err(error) => {
                    if error.is_permanent() {
                        attempt.handle_permanent_error();
                    }
                    return match to_reqwest_error(error) {
                        Some(error) => Err(error.with_url(url)),
                        None => Ok((response, url)),
                    };
                }
            };
            url = request.url().clone();
            count += 1;
        }
    }

    /// Returns the request for the location, from a copy of the last one, which was sent to `url`.
    fn next(
        &self,
        mut request: Request,
        becomes_get: bool,
        url: &Url,
        location: &[u8],
    ) -> Result<Request, RedirectError> {
        let target = resolve(url, location).filter(|target| matches!(target.scheme(), "http" | "https"));
        let Some(mut target) = target else { return Err(RedirectError::invalid(location)) };
        let has_credentials = !target.username().is_empty() || target.password().is_some();
        if target.origin() != url.origin() {
            if !self.other_origins.as_ref().is_some_and(|allows| allows(&target)) {
                return Err(RedirectError::other_origin(location));
            }
            if has_credentials {
                return Err(RedirectError::credentials(location));
            }
            // `Host` is that of the request's URL, unless the caller has set it for that server.
            for name in [AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION, WWW_AUTHENTICATE, REFERER, HOST] {
                request.headers_mut().remove(name);
            }
            request.headers_mut().remove("cookie2");
        }
        if has_credentials {
            // Browsers send them only after a 401. A URL of HTTP must not contain them.
            let _ = target.set_username("");
            let _ = target.set_password(None);
        }
        if target.fragment().is_none() {
            target.set_fragment(url.fragment());
        }
        if becomes_get {
            *request.method_mut() = Method::GET;
            *request.body_mut() = None;
            remove_body_headers(request.headers_mut());
        }
        *request.url_mut() = target;
        Ok(request)
    }
}

/// A closure need not be `Debug`.
impl fmt::Debug for Redirects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redirects").field("limit", &self.limit).finish_non_exhaustive()
    }
}

/// A copy of a request.
enum Copy {
    Complete(Request),
    /// The body is a stream, which cannot be sent twice.
    WithoutBody(Request),
}

/// Returns a copy, unless there is none. A request without a body always has one.
fn copy(request: &mut Request) -> Option<Copy> {
    if let Some(copy) = request.try_clone() {
        return Some(Copy::Complete(copy));
    }
    let body = request.body_mut().take();
    let copy = request.try_clone();
    *request.body_mut() = body;
    copy.map(Copy::WithoutBody)
}

/// Returns the URL of the redirect that the HTTP client has followed itself, after a request to this URL.
fn followed(outcome: &reqwest::Result<Response>, url: &Url) -> Option<Url> {
    let next = match outcome {
        Ok(response) => response.url(),
        // The error of a request that cannot be started contains the request's URL. That of a redirect contains the
        // next URL.
        Err(error) if error.is_builder() => error.url()?,
        Err(_) => return None,
    };
    (!is_same(next, url)).then(|| next.clone())
}

/// Returns the outcome of a request to this URL, or an error if it is a redirect that cannot be followed.
///
/// For a client that follows redirects, or that returns them without following them.
fn check_redirect(outcome: reqwest::Result<Response>, url: &Url) -> reqwest::Result<Response> {
    let (from, location) = match &outcome {
        Ok(response) => (response.url(), dead_end(response)),
        Err(_) => (url, followed(&outcome, url).map(|next| next.as_str().into())),
    };
    match location.and_then(|location| to_reqwest_error(RedirectError::invalid(&location))) {
        Some(error) => Err(error.with_url(from.clone())),
        None => outcome,
    }
}

/// Returns the location that this response redirects to, if reqwest cannot resolve it. reqwest then returns the
/// response as if it were not a redirect.
///
/// If the location can be resolved, the client was told not to follow the redirect.
fn dead_end(response: &Response) -> Option<Vec<u8>> {
    location(response).filter(|location| resolve(response.url(), location).is_none())
}

/// Returns the bytes of the `Location` of a redirect. A response without one, or with an empty one, is not followed.
fn location(response: &Response) -> Option<Vec<u8>> {
    let (301..=303 | 307 | 308) = response.status().as_u16() else { return None };
    let location = response.headers().get(LOCATION)?.as_bytes();
    (!location.is_empty()).then(|| location.to_owned())
}

/// Returns the URL of a location, unless reqwest has no such URLs.
fn resolve(url: &Url, location: &[u8]) -> Option<Url> {
    let target = url.join(str::from_utf8(location).ok()?).ok()?;
    Uri::try_from(target.as_str()).is_ok().then_some(target)
}

/// Returns whether the next request is a GET without a body. So the server has carried out the request, and the GET is
/// for its result; after any other redirect, the same request is sent to another URL.
fn becomes_get(status: StatusCode, method: &Method) -> bool {
    match status.as_u16() {
        301 | 302 => *method == Method::POST,
        303 => *method != Method::GET && *method != Method::HEAD,
        _ => false,
    }
}

/// Removes the headers that describe the body.
fn remove_body_headers(headers: &mut HeaderMap) {
    let describes_body = |name: &&HeaderName| {
        name.as_str().starts_with("content-") || [TRANSFER_ENCODING, TRAILER, EXPECT].contains(*name)
    };
    for name in headers.keys().filter(describes_body).cloned().collect::<Vec<_>>() {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::{
        Redirects,
        reqwest::{Client, Url},
    };

    /// Returns the URL and the `Authorization` of the request after a redirect from one URL to another.
    fn next(redirects: &Redirects, from: &str, location: &str) -> Result<(String, bool), String> {
        let url = Url::parse(from).unwrap();
        let request = Client::new().get(from).bearer_auth("key").build().unwrap();
        let next = redirects.next(request, false, &url, location.as_bytes()).map_err(|error| error.to_string())?;
        Ok((next.url().to_string(), next.headers().contains_key("authorization")))
    }

    #[test]
    fn a_redirect_within_an_origin() {
        let same = |from, location| next(&Redirects::up_to(1), from, location).unwrap();
        for (from, location, expected) in [
            ("https://a/b/c?d", "e", "https://a/b/e"),
            ("https://a/b/c?d", "//a:443/e", "https://a/e"),
            ("http://A/", "HTTP://a:80/e?f", "http://a/e?f"),
            ("http://a/b?c", "?d", "http://a/b?d"),
            // The fragment is kept, unless there is another.
            ("http://a/b#c", "d", "http://a/d#c"),
            ("http://a/b#c", "d#e", "http://a/d#e"),
            ("http://a/b#c", "#d", "http://a/b#d"),
            // Credentials are not sent.
            ("http://a/b", "http://user:password@a/c", "http://a/c"),
        ] {
            assert_eq!(same(from, location), (expected.to_owned(), true));
        }
    }

    #[test]
    fn a_redirect_to_another_origin() {
        for (from, location) in [
            ("https://a/", "http://a/"),
            ("http://a/", "https://a/"),
            ("http://a/", "http://a:81/"),
            ("http://a/", "//b/"),
            ("http://a/", "http://a.b/"),
        ] {
            let refused = next(&Redirects::up_to(1), from, location).unwrap_err();
            assert!(refused.ends_with(": it is of another origin, which is not allowed"), "{refused}");
            let mut redirects = Redirects::up_to(1);
            redirects.allow(|_| true);
            assert!(!next(&redirects, from, location).unwrap().1, "{location}");
            let with_password = location.replace("//", "//user:password@");
            let refused = next(&redirects, from, &with_password).unwrap_err();
            assert!(refused.ends_with(": it is of another origin and contains a user or a password"), "{refused}");
        }
    }

    #[test]
    fn a_function_decides_about_https() {
        let mut redirects = Redirects::up_to(1);
        redirects.allow(|url| url.scheme() == "https");
        assert_eq!(next(&redirects, "https://a/", "https://b/"), Ok(("https://b/".to_owned(), false)));
        assert!(next(&redirects, "https://a/", "http://a/").is_err());
    }
}
