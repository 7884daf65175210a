//! Content codings, as far as a reader of text needs them.

/// Returns the content codings that a header `Content-Encoding` names, if a body in them is no longer text.
///
/// Other names are ignored, as in browsers: some servers send `none`, `UTF-8` or `chunked` with plain text.
pub fn content_codings(header: &[u8]) -> impl Iterator<Item = &'static str> {
    let names = header.split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
    names.filter_map(|name| CODINGS.into_iter().find(|coding| name.eq_ignore_ascii_case(coding.as_bytes())))
}

/// `dcb` and `dcz` are `br` and `zstd` with a dictionary, of RFC 9842.
const CODINGS: [&str; 9] = ["gzip", "x-gzip", "deflate", "compress", "x-compress", "br", "zstd", "dcb", "dcz"];
