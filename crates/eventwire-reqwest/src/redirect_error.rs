//! The type [`RedirectError`].

use std::{error::Error, fmt};

/// A redirect that cannot be followed: its `Location` is not a valid HTTP URL, for example `http://[::1`, a `data:`
/// URL, or a URL with port 99999.
///
/// It is the [source](Error::source) of the attempt's `reqwest::Error`. As in the [Fetch] standard it is a network
/// error: the event source reconnects, as after a lost connection. A redirect without a `Location` is rejected like
/// any other response. In a browser, `fetch` follows redirects and does not report why one failed.
///
/// [Fetch]: https://fetch.spec.whatwg.org/#http-redirect-fetch
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedirectError {
    location: String,
}

impl RedirectError {
    #[cfg_attr(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none")), expect(dead_code))]
    pub(crate) fn new(location: String) -> RedirectError {
        RedirectError { location }
    }

    /// Returns the location as the server wrote it, with U+FFFD for bytes that are not UTF-8.
    #[must_use]
    pub fn location(&self) -> &str {
        &self.location
    }
}

/// Prints the location without a user and a password.
impl fmt::Display for RedirectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, rest) = match self.location.split_once("//") {
            Some((scheme, rest)) => (&self.location[..scheme.len() + 2], rest),
            None => ("", self.location.as_str()),
        };
        let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
        let user = authority.rfind('@').filter(|_| !scheme.is_empty()).map_or(0, |at| at + 1);
        // Escaped, because the server may send any characters.
        write!(f, "cannot follow the redirect to \"{}{}\"", scheme.escape_debug(), rest[user..].escape_debug())
    }
}

impl Error for RedirectError {}

#[cfg(test)]
mod tests {
    use super::RedirectError;

    #[test]
    fn it_prints_no_password_and_no_control_characters() {
        for (location, printed) in [
            ("http://[::1", "http://[::1"),
            ("ftp://user:secret@host/a@b", "ftp://host/a@b"),
            ("http://user:se@cret@[::1", "http://[::1"),
            ("//user:secret@[::1", "//[::1"),
            ("http://a?user@b", "http://a?user@b"),
            ("mailto:a@b", "mailto:a@b"),
            ("data:\n\u{1B}\"", "data:\\n\\u{1b}\\\""),
            ("", ""),
        ] {
            let error = RedirectError::new(location.to_owned());
            assert_eq!(error.to_string(), format!("cannot follow the redirect to \"{printed}\""));
            assert_eq!(error.location(), location);
        }
    }
}
