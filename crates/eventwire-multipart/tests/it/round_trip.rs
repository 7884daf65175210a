//! Parts that are encoded and decoded again are unchanged.

use super::{
    naive::{self, Ending, Item, Options},
    routes,
};
use crate::{generator::any_cut, stream_generator::cut};
use eventwire_multipart::{Boundary, Headers, PartEncoder, WholePart};
use proptest::{collection::vec, prelude::*, sample::select};

const BOUNDARIES: &[&str] = &["b", "bound", "-", "--", "--b", "b--", "a b", "=a/b:c", "012345678901234567890123456789"];

const PIECES: &[&[u8]] = &[
    b"\r\n",
    b"\n",
    b"\r",
    b"-",
    b"--",
    b"b",
    b"--b",
    b"--bound",
    b"\n--bou",
    b"a",
    b" ",
    b"---",
    b"--a b",
    b"--012345678",
];

/// A body with many parts of delimiters.
fn any_body() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => select(PIECES)
            .prop_map(<[u8]>::to_vec),
        1 => vec(any::<u8>(), 0..5),
    ];
    vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn any_headers() -> impl Strategy<Value = Vec<(&'static str, &'static str)>> {
    let headers: &[(&str, &str)] = &[
        ("Content-Type", "text/plain"),
        ("A", "1"),
        ("x-b", ""),
        ("Content-Length", "3"),
        ("--b", "x"),
        ("C", "--b: c"),
    ];
    vec(select(headers.to_vec()), 0..4)
}

/// A part, and the sizes of its pieces if it is written in pieces.
type Part = (Vec<(&'static str, &'static str)>, Vec<u8>, Option<Vec<usize>>);

fn any_part() -> impl Strategy<Value = Part> {
    (any_headers(), any_body(), proptest::option::of(any_cut()))
}

fn headers(pairs: &[(&str, &str)]) -> Headers {
    pairs.iter().fold(Headers::new(), |headers, (name, value)| headers.with(name, value).expect("a valid header"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, ..ProptestConfig::default() })]

    #[test]
    fn decoded_parts_are_the_encoded_ones(
        boundary in select(BOUNDARIES), parts in vec(any_part(), 0..5), has_leading_line_end in any::<bool>(),
        is_closed in any::<bool>(), sizes in any_cut(),
    ) {
        let mut encoder = PartEncoder::new(Boundary::new(boundary).expect("a boundary")).expect("one to write");
        if has_leading_line_end {
            encoder = encoder.with_leading_line_end();
        }
        let (mut stream, mut expected) = (Vec::new(), Vec::new());
        for (pairs, body, pieces) in &parts {
            let headers = headers(pairs);
            let length = stream.len();
            let is_written = match pieces {
                None => encoder.part(&WholePart::from_headers(headers, body.clone()), &mut stream).is_ok(),
                Some(sizes) => {
                    let is_begun = encoder.begin(headers.as_ref(), &mut stream).is_ok();
                    if is_begun {
                        let mut written = Vec::new();
                        for chunk in cut(body, sizes) {
                            if encoder.data(chunk, &mut stream).is_err() {
                                break;
                            }
                            written.extend_from_slice(chunk);
                        }
                        encoder.end(&mut stream);
                        expected.push((pairs.clone(), written, false));
                    }
                    continue;
                }
            };
            if is_written {
                expected.push((pairs.clone(), body.clone(), true));
            } else {
                prop_assert_eq!(stream.len(), length, "a rejected part is not written");
            }
        }
        if is_closed {
            encoder.close(&mut stream);
        }

        let items = naive::interpret(&stream, &Options::new(boundary.as_bytes()));
        routes::check(&cut(&stream, &sizes), &Options::new(boundary.as_bytes()), &items);
        let mut items = items.into_iter();
        for (pairs, body, has_length) in expected {
            let Some(Item::Begin(head)) = items.next() else { panic!("a part is missing") };
            let found = naive::header_pairs(&head);
            // The encoder sets the length: right for an entire part, and left out for a streamed one.
            let others = |name: &[u8]| !name.eq_ignore_ascii_case(b"content-length");
            prop_assert_eq!(found.iter().any(|(name, _)| !others(name)), has_length);
            let found: Vec<_> = found.into_iter().filter(|(name, _)| others(name)).collect();
            let pairs: Vec<_> = pairs.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes())).filter(|(name, _)| others(name)).collect();
            prop_assert_eq!(found, pairs);
            if !body.is_empty() {
                prop_assert_eq!(items.next(), Some(Item::Data(body)));
            }
            prop_assert_eq!(items.next(), Some(Item::End(if has_length { Ending::Length } else { Ending::Delimiter })));
        }
        prop_assert_eq!(items.next(), is_closed.then_some(Item::Close));
    }
}
