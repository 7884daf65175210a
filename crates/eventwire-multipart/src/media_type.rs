//! A media type and its parameters.

use alloc::{borrow::Cow, vec::Vec};

/// A media type and its parameters, parsed from the value of a `Content-Type` header.
///
/// It accepts deviations of real senders: blanks around `;` and `=`, names in any case, missing quotes, a missing
/// closing quote. Parsing cannot fail. Malformed input results in an empty essence or a missing parameter.
///
/// ```
/// use eventwire_multipart::WholePart;
///
/// let part = WholePart::new("Text/Plain; role=user; title=\"a \\\"b\\\"; c\"", "Hello")?;
/// let media_type = part.media_type().unwrap();
/// assert!(media_type.is("text/plain"));
/// assert_eq!(media_type.param("Role").as_deref(), Some(&b"user"[..]));
/// assert_eq!(media_type.param("title").as_deref(), Some(&b"a \"b\"; c"[..]));
/// assert_eq!(media_type.param("charset"), None);
/// # Ok::<(), eventwire_multipart::InvalidHeader>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MediaType<'a> {
    essence: &'a [u8],
    /// The rest of the value, after the essence.
    params: &'a [u8],
}

impl<'a> MediaType<'a> {
    /// Parses the value of a header. It never fails.
    pub(super) fn new(value: &'a [u8]) -> MediaType<'a> {
        let (essence, params) = split(value, value.iter().position(|&byte| byte == b';'));
        MediaType { essence: essence.trim_ascii(), params }
    }

    /// Returns the type and subtype, such as `text/plain`, in the sender's spelling.
    #[must_use]
    pub fn essence(&self) -> &'a [u8] {
        self.essence
    }

    /// Returns whether the type and subtype equal `essence`, ignoring case.
    #[must_use]
    pub fn is(&self, essence: &str) -> bool {
        self.essence.eq_ignore_ascii_case(essence.as_bytes())
    }

    /// Returns whether the type is `application/json`, or ends in `+json`.
    #[cfg(feature = "json")]
    pub(super) fn is_json(&self) -> bool {
        let suffix = self.essence.last_chunk::<5>();
        self.is("application/json") || suffix.is_some_and(|suffix| suffix.eq_ignore_ascii_case(b"+json"))
    }

    /// Returns the value of the first parameter with this name, without quotes. The name is compared
    /// case-insensitively.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<Cow<'a, [u8]>> {
        // The rest is empty, or begins with the `;` before a parameter.
        let mut rest = self.params;
        while let Some(text) = rest.strip_prefix(b";") {
            let (found, behind) = split(text, text.iter().position(|byte| b"=;".contains(byte)));
            let value;
            (value, rest) = match behind.strip_prefix(b"=") {
                Some(behind) => param_value(behind),
                None => (Cow::Borrowed(&[][..]), behind),
            };
            if found.trim_ascii().eq_ignore_ascii_case(name.as_bytes()) {
                return Some(value);
            }
        }
        None
    }

    pub(super) fn is_multipart(&self) -> bool {
        self.essence.get(..10).is_some_and(|start| start.eq_ignore_ascii_case(b"multipart/"))
    }
}

/// Returns the parameter value at the start of a text that follows `=`, and the rest from the next `;` on.
fn param_value(text: &[u8]) -> (Cow<'_, [u8]>, &[u8]) {
    if let Some(quoted) = text.trim_ascii_start().strip_prefix(b"\"") {
        let (value, behind) = quoted_string(quoted);
        return (value, split(behind, behind.iter().position(|&byte| byte == b';')).1);
    }
    let (value, rest) = split(text, text.iter().position(|&byte| byte == b';'));
    (Cow::Borrowed(value.trim_ascii()), rest)
}

/// Returns the value of a quoted string, and the rest. `text` starts after the opening quote. Without a closing
/// quote, all of the text is the value.
fn quoted_string(text: &[u8]) -> (Cow<'_, [u8]>, &[u8]) {
    let special = text.iter().position(|byte| b"\"\\".contains(byte));
    let Some(first) = special.filter(|&at| text[at] == b'\\') else {
        let (value, behind) = split(text, special);
        return (Cow::Borrowed(value), behind);
    };
    let mut value = Vec::from(&text[..first]);
    let mut rest = &text[first..];
    loop {
        match rest {
            [b'\\', escaped, behind @ ..] => {
                value.push(*escaped);
                rest = behind;
            }
            [] | [b'"', ..] => return (Cow::Owned(value), rest),
            [byte, behind @ ..] => {
                value.push(*byte);
                rest = behind;
            }
        }
    }
}

fn split(text: &[u8], at: Option<usize>) -> (&[u8], &[u8]) {
    text.split_at(at.unwrap_or(text.len()))
}
