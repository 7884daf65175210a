//! A media type and its parameters.

use alloc::{borrow::Cow, vec::Vec};

/// A media type and its parameters, from a `Content-Type`. `Content-Disposition` has the same syntax.
///
/// It accepts what real senders write: blanks around `;` and `=`, names in any case, missing quotes, a quote that is never closed.
/// Parsing cannot fail; malformed input gives an empty essence, or lacks a parameter.
///
/// ```
/// use eventwire::multipart::MediaType;
///
/// let media_type = MediaType::new(b"Text/Plain; role=user; title=\"a \\\"b\\\"; c\"");
/// assert!(media_type.is("text/plain"));
/// assert_eq!(media_type.param("Role").as_deref(), Some(&b"user"[..]));
/// assert_eq!(media_type.param("title").as_deref(), Some(&b"a \"b\"; c"[..]));
/// assert_eq!(media_type.param("charset"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MediaType<'a> {
    essence: &'a [u8],
    /// What follows the essence.
    params: &'a [u8],
}

impl<'a> MediaType<'a> {
    /// Parses the value of a header.
    #[must_use]
    pub fn new(value: &'a [u8]) -> MediaType<'a> {
        let (essence, params) = split(value, value.iter().position(|&byte| byte == b';'));
        MediaType { essence: essence.trim_ascii(), params }
    }

    /// The type and subtype, such as `text/plain`, in the sender's spelling.
    #[must_use]
    pub fn essence(&self) -> &'a [u8] {
        self.essence
    }

    /// Whether this is the type and subtype, ignoring case.
    #[must_use]
    pub fn is(&self, essence: &str) -> bool {
        self.essence.eq_ignore_ascii_case(essence.as_bytes())
    }

    /// Whether it is `application/json`, or another type whose name ends in `+json`.
    #[must_use]
    pub fn is_json(&self) -> bool {
        let suffix = self.essence.len().checked_sub(b"+json".len()).map(|start| &self.essence[start..]);
        self.is("application/json") || suffix.is_some_and(|suffix| suffix.eq_ignore_ascii_case(b"+json"))
    }

    /// The value of the first parameter with this name (ignoring case), without quotes.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<Cow<'a, [u8]>> {
        self.params().find_map(|(found, value)| found.eq_ignore_ascii_case(name.as_bytes()).then_some(value))
    }

    /// The names and values of the parameters, in order; values without their quotes.
    pub fn params(&self) -> impl Iterator<Item = (&'a [u8], Cow<'a, [u8]>)> + use<'a> {
        let mut rest = self.params;
        core::iter::from_fn(move || {
            // The rest begins with the `;` before a parameter, or is empty.
            let text = rest.strip_prefix(b";")?;
            let (name, behind) = split(text, text.iter().position(|byte| b"=;".contains(byte)));
            let value;
            (value, rest) = match behind.strip_prefix(b"=") {
                Some(behind) => param_value(behind),
                None => (Cow::Borrowed(&[][..]), behind),
            };
            Some((name.trim_ascii(), value))
        })
    }

    pub(super) fn is_multipart(&self) -> bool {
        let main = self.essence.iter().position(|&byte| byte == b'/').map(|slash| &self.essence[..slash]);
        main.is_some_and(|main| main.eq_ignore_ascii_case(b"multipart"))
    }
}

/// The value at the start of the text after a `=`, and the rest from the next `;` on.
fn param_value(text: &[u8]) -> (Cow<'_, [u8]>, &[u8]) {
    if let Some(quoted) = text.trim_ascii_start().strip_prefix(b"\"") {
        let (value, behind) = quoted_string(quoted);
        return (value, split(behind, behind.iter().position(|&byte| byte == b';')).1);
    }
    let (value, rest) = split(text, text.iter().position(|&byte| byte == b';'));
    (Cow::Borrowed(value.trim_ascii()), rest)
}

/// The value of a quoted string after its first quote, and the rest. Without a closing quote, all of the text is the value.
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
