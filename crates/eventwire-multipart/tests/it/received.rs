//! Headers as a decoder returns them.

use super::{naive::Options, routes};
use eventwire_multipart::{Headers, PieceRef};

/// Returns the headers that the crate finds in a block of lines.
pub(crate) fn headers_of(block: &[u8]) -> Headers {
    let mut decoder = routes::decoder(&Options {
        max_headers_size: usize::MAX,
        max_headers: usize::MAX,
        ..Options::new(b"in no block of headers")
    });
    let stream = [b"--in no block of headers\n", block, b"\n"].concat();
    match decoder.decode(&mut &stream[..]) {
        Ok(Some(PieceRef::PartBegin(headers))) => headers.into(),
        other => panic!("{other:?} in place of headers"),
    }
}
