//! Generated streams yield the same parts as the naive twin, by every route and however they are split.

use super::{
    generator::{any_case, any_cut, seeded_case},
    naive::{self, Item, Options},
    rewritten, routes,
};
use crate::stream_generator::{Random, cut};
use proptest::{collection::vec, prelude::*, sample::select};
use std::collections::BTreeMap;

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, ..ProptestConfig::default() })]

    #[test]
    fn every_route_and_split_agrees((stream, options) in any_case(), sizes in any_cut()) {
        let expected = naive::interpret(&stream, &options);
        routes::check(&[&stream], &options, &expected);
        routes::check(&cut(&stream, &sizes), &options, &expected);
        routes::check(&cut(&stream, &[1]), &options, &expected);
        routes::check_parts(&cut(&stream, &sizes), &options, &expected);
        rewritten::check(&cut(&stream, &sizes), &options);
    }

    /// Parts of lines that may be headers, or almost: names, values, blanks and line ends in any order.
    #[test]
    fn any_header_lines(
        texts in vec(select(TEXTS_OF_HEADERS), 0..30), body in vec(any::<u8>(), 0..20), sizes in any_cut(),
    ) {
        let stream = [b"--b\r\n", &texts.concat()[..], b"\r\n\r\n", &body, b"\r\n--b--"].concat();
        let options = Options::new(b"b");
        let expected = naive::interpret(&stream, &options);
        routes::check(&cut(&stream, &sizes), &options, &expected);
        rewritten::check(&cut(&stream, &sizes), &options);
    }

    #[test]
    fn arbitrary_bytes(stream in vec(any::<u8>(), 0..300), sizes in any_cut(), (_, options) in any_case()) {
        let expected = naive::interpret(&stream, &options);
        routes::check(&cut(&stream, &sizes), &options, &expected);
        rewritten::check(&cut(&stream, &sizes), &options);
    }
}

const TEXTS_OF_HEADERS: &[&[u8]] = &[
    b"Content-Length",
    b"content-length: 2",
    b": 2",
    b":",
    b"A",
    b"A: 1",
    b"X-Evil: admin",
    b"nocolon",
    b"\r",
    b"\r",
    b"\0",
    b"\0",
    b" ",
    b"\t",
    b"\n",
    b"\r\n",
    b"\r\n",
    b"\r\n",
    b"\n ",
    b"\r\n ",
    b"\xE4",
    b"(",
];

/// Runs `EVENTWIRE_STREAMS` streams, from the seed `EVENTWIRE_SEED`.
#[test]
fn many_seeded_streams() {
    let (count, seed) = crate::stream_generator::count_and_seed();
    let mut random = Random::new(seed);
    for _ in 0..count {
        let (stream, options) = seeded_case(&mut random);
        let expected = naive::interpret(&stream, &options);
        let sizes = random.cut();
        for chunks in [vec![&stream[..]], cut(&stream, &sizes)] {
            let (name, route) = routes::ALL[random.below(routes::ALL.len())];
            let outcome = route(&chunks, &options);
            assert_eq!(outcome, expected, "{name}, {options:?}, chunks {}", routes::show(&chunks));
        }
    }
    eprintln!("{count} streams from seed {seed}: no difference");
}

/// The generator produces parts with all kinds of ends, all errors and close delimiters, and not only streams without
/// a delimiter.
#[test]
fn the_generated_streams_are_of_all_kinds() {
    let mut random = Random::new(1);
    let mut counts = BTreeMap::<String, usize>::new();
    for _ in 0..20_000 {
        let (stream, options) = seeded_case(&mut random);
        for item in naive::interpret(&stream, &options) {
            let name = match item {
                Item::Error { kind, .. } => format!("{kind:?}"),
                Item::End(end) => format!("{end:?}"),
                Item::Begin(head) if head.is_empty() => "no headers".into(),
                Item::Begin(_) => "headers".into(),
                Item::Data(_) => "data".into(),
                Item::Close => "close".into(),
            };
            *counts.entry(name).or_default() += 1;
        }
    }
    eprintln!("{counts:?}");
    assert_eq!(counts.len(), 13, "{counts:?}");
    assert!(counts.values().all(|&count| count >= 300), "{counts:?}");
}

/// Tests every stream of these bytes up to a length, after a given beginning: unsplit, and byte by byte.
fn all_streams_of(beginning: &[u8], alphabet: &[u8], length: usize, options: &Options) {
    let mut stream = beginning.to_vec();
    all_from(&mut stream, alphabet, length, options);
}

fn all_from(stream: &mut Vec<u8>, alphabet: &[u8], length: usize, options: &Options) {
    let expected = naive::interpret(stream, options);
    for chunks in [vec![&stream[..]], stream.chunks(1).collect()] {
        let outcome = routes::borrowed(&chunks, options);
        assert_eq!(outcome, expected, "{options:?}, chunks {}", routes::show(&chunks));
    }
    if length > 0 {
        for &byte in alphabet {
            stream.push(byte);
            all_from(stream, alphabet, length - 1, options);
            stream.pop();
        }
    }
}

#[test]
fn all_short_streams_before_the_first_delimiter() {
    for boundary in [&b"b"[..], b"-", b"--", b"--b", b"-b"] {
        all_streams_of(b"", b"-b\n\r", 7, &Options::new(boundary));
    }
}

#[test]
fn all_short_heads_and_bodies() {
    for (boundary, delimiter) in [(&b"b"[..], &b"--b\n"[..]), (b"-", b"---\n"), (b"--", b"----\n"), (b"--b", b"--b\n")]
    {
        for requires_close in [false, true] {
            let options = Options { requires_close, ..Options::new(boundary) };
            all_streams_of(delimiter, b"-b\n\r ", 6, &options);
            all_streams_of(&[delimiter, b"\n"].concat(), b"-b\n\r", 7, &options);
        }
    }
}

#[test]
fn all_short_bodies_with_a_length() {
    for length in 0..7 {
        let head = format!("--b\nContent-Length: {length}\n\n");
        all_streams_of(head.as_bytes(), b"-b\n\r", 7, &Options::new(b"b"));
        let head = format!("---\nContent-Length: {length}\n\n");
        all_streams_of(head.as_bytes(), b"-\n\rx", 6, &Options::new(b"-"));
    }
}

/// Long chunks are searched block by block. The delimiter is at every offset, also where the chunk ends within it, and
/// between bytes that are almost one.
#[test]
fn a_delimiter_at_every_offset_of_long_chunks() {
    for filler in [&b"a"[..], b"-", b"\n", b"\r\n-", b"\n--", b"--bb"] {
        for len in 30..170 {
            let body: Vec<u8> = filler.iter().copied().cycle().take(len).collect();
            for header in [String::new(), format!("Content-Length: {len}\n"), format!("Content-Length: {}\n", len + 9)]
            {
                let head = format!("--b\n{header}\n");
                let rest = [&body[..], b"\r\n--b\n\nx", &body, b"\n--b--"].concat();
                let options = Options::new(b"b");
                let expected = naive::interpret(&[head.as_bytes(), &rest].concat(), &options);
                for size in [rest.len(), len, len + 1, len + 3, 64, 65, 100] {
                    let chunks: Vec<&[u8]> = [head.as_bytes()].into_iter().chain(rest.chunks(size)).collect();
                    assert_eq!(routes::borrowed(&chunks, &options), expected, "chunks {}", routes::show(&chunks));
                    assert_eq!(routes::owned(&chunks, &options), expected, "chunks {}", routes::show(&chunks));
                }
            }
        }
    }
}
