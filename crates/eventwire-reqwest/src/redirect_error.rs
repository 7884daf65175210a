//! Why a redirect could not be followed.

use std::{error::Error, fmt};

/// URLs of HTTP may have either. A tab between them is ignored.
const SLASHES: [char; 3] = ['/', '\\', '\t'];

/// A redirect that is not followed. It is the [source](Error::source) of the attempt's `reqwest::Error`.
///
/// * The `Location` is not a valid HTTP URL, for example `http://[::1`, a `data:` URL, or a URL with port 99999. As in
///   the [Fetch] standard this is a network error: the event source reconnects, as after a lost connection. The same
///   holds for several `Location`s, and for a URL of another origin that contains a user or a password.
/// * There were [more redirects](crate::RequestBuilderExt::with_redirects) than allowed. The event source reconnects.
/// * The redirect leads to [another origin](crate::RequestWithRedirects::with_other_origins), which is not allowed.
///   The event source stops, because the error is [permanent](eventwire_client::Attempt::handle_permanent_error).
/// * The body of the request would have to be sent again, and is a stream. This error is permanent, too.
/// * The event source is to follow redirects, but the HTTP client follows them itself. This error is permanent; build
///   the client with [`client_builder`](crate::client_builder).
///
/// Without [`with_redirects`](crate::RequestBuilderExt::with_redirects), only the first case can occur. A redirect
/// without a `Location`, or with an empty one that the client has not followed, is rejected like any other response. In
/// a browser, `fetch` follows redirects and does not report why one failed.
///
/// [Fetch]: https://fetch.spec.whatwg.org/#http-redirect-fetch
#[derive(Clone, PartialEq, Eq)]
pub struct RedirectError {
    location: String,
    reason: Reason,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reason {
    Invalid,
    Credentials,
    TooMany { limit: usize },
    OtherOrigin,
    StreamBody,
    Followed,
}

#[allow(dead_code, reason = "only requests on sockets construct it")]
impl RedirectError {
    pub(crate) fn invalid(location: &[u8]) -> RedirectError {
        RedirectError::new(location, Reason::Invalid)
    }

    pub(crate) fn credentials(location: &[u8]) -> RedirectError {
        RedirectError::new(location, Reason::Credentials)
    }

    pub(crate) fn too_many(location: &[u8], limit: usize) -> RedirectError {
        RedirectError::new(location, Reason::TooMany { limit })
    }

    pub(crate) fn other_origin(location: &[u8]) -> RedirectError {
        RedirectError::new(location, Reason::OtherOrigin)
    }

    pub(crate) fn stream_body(location: &[u8]) -> RedirectError {
        RedirectError::new(location, Reason::StreamBody)
    }

    pub(crate) fn followed(location: &[u8]) -> RedirectError {
        RedirectError::new(location, Reason::Followed)
    }

    fn new(location: &[u8], reason: Reason) -> RedirectError {
        RedirectError { location: String::from_utf8_lossy(location).into_owned(), reason }
    }

    /// Returns whether the redirect will not be followed in the next attempt either, by the settings of the request.
    pub(crate) fn is_permanent(&self) -> bool {
        matches!(self.reason, Reason::OtherOrigin | Reason::StreamBody | Reason::Followed)
    }
}

impl RedirectError {
    /// Returns the location as the server wrote it, with U+FFFD for bytes that are not UTF-8.
    #[must_use]
    pub fn location(&self) -> &str {
        &self.location
    }
}

/// Prints the location without the parts that may be secret: a user, a password, the query and the fragment.
impl fmt::Display for RedirectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let public = &self.location[..self.location.find(['?', '#']).unwrap_or(self.location.len())];
        // As in URLs of HTTP, slashes may be missing or be backslashes.
        let scheme = public.find(':').filter(|at| !public[..*at].contains(SLASHES)).map_or(0, |at| at + 1);
        let slashes = public[scheme..].find(|c| !SLASHES.contains(&c)).unwrap_or(0);
        let (scheme_and_slashes, rest) = public.split_at(scheme + slashes);
        let authority = &rest[..rest.find(SLASHES).unwrap_or(rest.len())];
        let has_authority = scheme > 0 || slashes > 1;
        let user = authority.rfind('@').filter(|_| has_authority).map_or(0, |at| at + 1);
        // Escaped, because the server may send any characters.
        let (before, after) = (scheme_and_slashes.escape_debug(), rest[user..].escape_debug());
        write!(f, "cannot follow the redirect to \"{before}{after}\"")?;
        match self.reason {
            Reason::Invalid => Ok(()),
            Reason::Credentials => f.write_str(": it is of another origin and contains a user or a password"),
            Reason::TooMany { limit } => write!(f, ": more than {limit} redirects"),
            Reason::OtherOrigin => f.write_str(": it is of another origin, which is not allowed"),
            Reason::StreamBody => f.write_str(": the body of the request is a stream, which cannot be sent again"),
            Reason::Followed => f.write_str(": the HTTP client follows redirects itself, so use client_builder()"),
        }
    }
}

/// Like `Display`, because this is printed as well.
impl fmt::Debug for RedirectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RedirectError").field(&format_args!("{self}")).finish()
    }
}

impl Error for RedirectError {}

#[cfg(test)]
mod tests {
    use super::RedirectError;

    #[test]
    fn it_prints_no_secrets_and_no_control_characters() {
        for (location, printed) in [
            ("http://[::1", "http://[::1"),
            ("ftp://user:secret@host/a@b", "ftp://host/a@b"),
            ("http://user:se@cret@[::1", "http://[::1"),
            ("//user:secret@[::1", "//[::1"),
            ("http://a?user@b", "http://a"),
            ("http://[a/?token=secret#part", "http://[a/"),
            ("?token=//secret", ""),
            ("http:user:secret@[::1", "http:[::1"),
            ("http:/user:secret@[::1", "http:/[::1"),
            ("https:\\\\user:secret@host\\a@b:99999", "https:\\\\\\\\host\\\\a@b:99999"),
            ("/\t/user:secret@[::1", "/\\t/[::1"),
            ("\\/user:secret@[::1", "\\\\/[::1"),
            ("/a@b:c", "/a@b:c"),
            ("a@b/c:d", "a@b/c:d"),
            ("mailto:user@host", "mailto:host"),
            ("data:\n\u{1B}\"", "data:\\n\\u{1b}\\\""),
            ("", ""),
        ] {
            let error = RedirectError::invalid(location.as_bytes());
            assert_eq!(error.to_string(), format!("cannot follow the redirect to \"{printed}\""));
            assert_eq!(format!("{error:?}"), format!("RedirectError({error})"));
            assert_eq!(error.location(), location);
        }
    }
}
