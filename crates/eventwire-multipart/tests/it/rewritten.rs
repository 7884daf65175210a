//! Parts that are decoded from any bytes, encoded, and decoded again are unchanged: what a proxy does.

use super::{
    naive::{self, Ending, Item, Options},
    routes,
};
use eventwire_multipart::{Boundary, Headers, PartEncoder, Piece, Pieces, WholePart};
use std::convert::Infallible;

/// A boundary that no generator and no fixture contains.
const BOUNDARY: &str = "the boundary of a proxy: 7d0c4f51e8";

/// Checks this law for the parts in a stream.
#[track_caller]
pub(crate) fn check(chunks: &[&[u8]], options: &Options) {
    let mut encoder = PartEncoder::new(Boundary::new(BOUNDARY).expect("a boundary")).expect("one to write");
    let (mut written, mut expected) = (Vec::new(), Vec::new());
    for (number, (headers, body)) in received(chunks, options).into_iter().enumerate() {
        check_headers(&headers);
        let is_whole = number % 2 == 0;
        let is_refused = if is_whole {
            encoder.part(&WholePart::from_headers(headers.clone(), body.clone()), &mut written).is_err()
        } else {
            encoder.begin(headers.as_ref(), &mut written).is_err() || encoder.data(&body, &mut written).is_err()
        };
        // A fuzzer may find the boundary.
        if is_refused {
            return;
        }
        encoder.end(&mut written);
        let length = is_whole.then_some(body.len());
        expected.push(Item::Begin(block(&headers, length)));
        if !body.is_empty() {
            expected.push(Item::Data(body));
        }
        expected.push(Item::End(if is_whole { Ending::Length } else { Ending::Delimiter }));
    }
    encoder.close(&mut written);
    expected.push(Item::Close);

    // The encoder may add a length, a blank after a colon and a CR, which can exceed the limits of the first reader.
    let reader = Options { max_headers_size: usize::MAX, max_headers: usize::MAX, ..Options::new(BOUNDARY.as_bytes()) };
    let items = naive::interpret(&written, &reader);
    assert_eq!(items, expected, "of chunks {}", routes::show(chunks));
    routes::check(&[&written], &reader, &items);
}

/// Returns the headers and the body of each part, complete or not.
fn received(chunks: &[&[u8]], options: &Options) -> Vec<(Headers, Vec<u8>)> {
    let mut parts = Vec::<(Headers, Vec<u8>)>::new();
    let chunks = chunks.iter().map(|chunk| Ok::<_, Infallible>(chunk.to_vec()));
    for piece in Pieces::new(chunks, routes::decoder(options)).flatten() {
        match piece {
            Piece::PartBegin(headers) => parts.push((headers, Vec::new())),
            Piece::Data(data) => parts.last_mut().expect("a part").1.extend(data),
            _ => {}
        }
    }
    parts
}

/// Returns the lines that are written for these headers: nothing but one line for each, and a single line for the
/// length of a complete body. Every reader agrees on them.
fn block(headers: &Headers, length: Option<usize>) -> Vec<u8> {
    let line = |name: &str, value: &[u8]| [name.as_bytes(), b": ", value, b"\r\n"].concat();
    let is_length = |name: &str| name.eq_ignore_ascii_case("content-length");
    let length = length.map(|length| length.to_string().into_bytes());
    let headers = headers.as_ref();
    let received: Vec<&[u8]> = headers.iter().filter(|(name, _)| is_length(name)).map(|(_, value)| value).collect();
    let is_kept = length.as_ref().is_some_and(|length| received == [&length[..]]);
    let kept = headers.iter().filter(|(name, _)| is_kept || !is_length(name));
    let mut block: Vec<u8> = kept.flat_map(|(name, value)| line(name, value)).collect();
    if let Some(length) = length.filter(|_| !is_kept) {
        block.extend(line("Content-Length", &length));
    }
    block
}

/// Checks that received headers are those that the twin finds, and that each can be added.
#[track_caller]
fn check_headers(headers: &Headers) {
    let headers = headers.as_ref();
    let pairs: Vec<(&str, &[u8])> = headers.iter().collect();
    let expected = naive::header_pairs(headers.as_bytes());
    assert_eq!(pairs.iter().map(|&(name, value)| (name.as_bytes(), value)).collect::<Vec<_>>(), expected);
    let rebuilt = pairs.iter().fold(Headers::new(), |headers, (name, value)| headers.with(name, value).expect("valid"));
    assert_eq!(rebuilt.as_ref().iter().collect::<Vec<_>>(), pairs);
    for &(name, _) in &pairs {
        let of_name = pairs.iter().filter(|(found, _)| found.eq_ignore_ascii_case(name)).map(|&(_, value)| value);
        assert!(headers.get_all(name).eq(of_name));
    }
}
