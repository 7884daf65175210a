//! Media types, as far as they are needed.

/// The essence (`type/subtype`) of the last valid media type in a header's value, which may list several, [as Fetch has it].
///
/// [as Fetch has it]: https://fetch.spec.whatwg.org/#concept-header-extract-mime-type
pub(super) fn last_essence(value: &[u8]) -> Option<&[u8]> {
    let mut is_quoted = false;
    let mut is_escaped = false;
    let types = value.split(|&byte| {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_quoted => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            _ => {}
        }
        byte == b',' && !is_quoted
    });
    types.filter_map(essence).last()
}

fn essence(media_type: &[u8]) -> Option<&[u8]> {
    let essence = media_type.split(|&byte| byte == b';').next()?.trim_ascii();
    let slash = essence.iter().position(|&byte| byte == b'/')?;
    let (main, sub) = (&essence[..slash], &essence[slash + 1..]);
    (is_token(main) && is_token(sub) && essence != b"*/*").then_some(essence)
}

/// A [token](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2) of HTTP.
fn is_token(text: &[u8]) -> bool {
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    !text.is_empty() && text.iter().all(is_token)
}
