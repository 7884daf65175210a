//! Media types, as far as a response needs them.

use core::str;

/// Finds the media type of a response among its `Content-Type` headers.
///
/// It [gets, decodes and splits] them and [extracts a MIME type]. The standard first joins all headers with `", "`,
/// so a quoted string may begin in one header and continue in the next. An essence contains neither quotes nor
/// commas, so it never spans two headers, and nothing has to be copied.
///
/// [gets, decodes and splits]: https://fetch.spec.whatwg.org/#concept-header-list-get-decode-split
/// [extracts a MIME type]: https://fetch.spec.whatwg.org/#concept-header-extract-mime-type
#[derive(Debug, Default)]
pub struct MediaTypes<'a> {
    last_essence: Option<&'a str>,
    /// Whether a quoted string is open at the end of the last header.
    is_quoted: bool,
}

impl<'a> MediaTypes<'a> {
    /// Reads the next header of the response.
    pub fn push(&mut self, header: &'a [u8]) {
        let continued = usize::from(self.is_quoted);
        // A backslash at the end of a header escapes the comma that joins it to the next one.
        let mut is_escaped = false;
        let types = header.split(|&byte| {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if self.is_quoted => is_escaped = true,
                b'"' => self.is_quoted = !self.is_quoted,
                _ => {}
            }
            byte == b',' && !self.is_quoted
        });
        self.last_essence = types.skip(continued).filter_map(essence).last().or(self.last_essence);
    }

    /// Returns the essence (`type/subtype`) of the last valid media type.
    #[must_use]
    pub fn last_essence(self) -> Option<&'a str> {
        self.last_essence
    }
}

fn essence(media_type: &[u8]) -> Option<&str> {
    let essence = media_type.split(|&byte| byte == b';').next()?.trim_ascii();
    let slash = essence.iter().position(|&byte| byte == b'/')?;
    let (main, sub) = (&essence[..slash], &essence[slash + 1..]);
    let is_valid = is_token(main) && is_token(sub) && essence != b"*/*";
    str::from_utf8(essence).ok().filter(|_| is_valid)
}

/// Returns whether this is a [token](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2) of HTTP.
fn is_token(text: &[u8]) -> bool {
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    !text.is_empty() && text.iter().all(is_token)
}
