//! No part is delayed: each piece is returned with the byte that decides it.
//!
//! No separate rule determines what is decided. The twin reads the beginning of the stream with many continuations,
//! and no continuation can change what all of these outcomes have in common at their beginning.

use super::{
    generator::seeded_case,
    naive::{self, Ending, Item, Kind, Options},
    routes,
};
use crate::stream_generator::Random;
use eventwire_multipart::PieceRef;

/// An item, or one byte of data.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Begin(Vec<u8>),
    Byte(u8),
    End(Ending),
    Close,
    Error(Kind, u64),
}

fn tokens(items: &[Item]) -> Vec<Token> {
    let mut tokens = Vec::new();
    for item in items {
        match item {
            Item::Begin(head) => tokens.push(Token::Begin(head.clone())),
            Item::Data(data) => tokens.extend(data.iter().map(|&byte| Token::Byte(byte))),
            Item::End(end) => tokens.push(Token::End(*end)),
            Item::Close => tokens.push(Token::Close),
            Item::Error { kind, part } => tokens.push(Token::Error(*kind, *part)),
        }
    }
    tokens
}

/// Returns the items of these chunks, without more chunks or an end.
fn unfinished(chunks: &[&[u8]], options: &Options) -> Vec<Item> {
    let (mut decoder, mut items) = (routes::decoder(options), Vec::new());
    for chunk in chunks {
        let mut input = *chunk;
        while let Some(piece) = decoder.decode(&mut input).transpose() {
            items.push(piece.map_or_else(routes::error_item, routes::borrowed_item));
        }
    }
    items
}

/// Returns ways to continue a stream: with the rest of a delimiter, of a close delimiter or of a blank line, with
/// other bytes, or with nothing.
fn continuations(options: &Options) -> Vec<Vec<u8>> {
    let boundary = &options.boundary[..];
    let mut continuations: Vec<Vec<u8>> =
        [&b""[..], b"x", b" ", b"-", b"\n", b"\r\n", b"\n\nx", b": 1\nx\n", b" \n\nx", b"\r\n\r\nx"]
            .map(<[u8]>::to_vec)
            .to_vec();
    // Enough bytes to exceed every limit, in one line and in many.
    continuations.push(vec![b'x'; 100]);
    continuations.push(b"x\n".repeat(50));
    let as_it_is = boundary.starts_with(b"--").then(|| boundary.to_vec());
    for dash_boundary in [Some([b"--", boundary].concat()), as_it_is].into_iter().flatten() {
        for (before, after) in [(&b"\r\n"[..], &b"\n\nx"[..]), (b"", b"--\n"), (b"", b"\n--x")] {
            let delimiter = [before, &dash_boundary, after].concat();
            continuations.extend((0..delimiter.len()).map(|from| delimiter[from..].to_vec()));
        }
    }
    continuations
}

/// Returns what no continuation can change.
fn decided(stream: &[u8], options: &Options, continuations: &[Vec<u8>]) -> Vec<Token> {
    let outcome = |continuation: &Vec<u8>| tokens(&naive::interpret(&[stream, continuation].concat(), options));
    let mut decided = outcome(&continuations[0]);
    for continuation in &continuations[1..] {
        let other = outcome(continuation);
        let common = decided.iter().zip(&other).take_while(|(one, other)| one == other).count();
        decided.truncate(common);
    }
    decided
}

fn without_errors_at_the_end(mut tokens: &[Token]) -> &[Token] {
    while let [rest @ .., Token::Error(..)] = tokens {
        tokens = rest;
    }
    tokens
}

#[track_caller]
fn check(stream: &[u8], options: &Options) {
    let continuations = continuations(options);
    for length in 0..=stream.len() {
        let start = &stream[..length];
        let expected = decided(start, options, &continuations);
        for chunks in [vec![start], start.chunks(1).collect()] {
            let given = tokens(&unfinished(&chunks, options));
            // When an error is reported is not guaranteed.
            let given = without_errors_at_the_end(&given);
            let expected = without_errors_at_the_end(&expected);
            assert_eq!(given, expected, "{options:?}, chunks {}", routes::show(&chunks));
        }
    }
}

#[test]
fn each_piece_is_returned_with_the_byte_that_decides_it() {
    let mut random = Random::new(3);
    let count = if cfg!(miri) { 2 } else { 400 };
    let mut checked = 0;
    while checked < count {
        let (stream, options) = seeded_case(&mut random);
        if stream.len() <= 100 {
            check(&stream, &options);
            checked += 1;
        }
    }
}

#[test]
fn pieces_of_a_part_with_a_length() {
    for length in 0..9 {
        for body in ["abc", "a\r\n-c", "a\n--bc", "\r\n\r\n--", "-----"] {
            let stream = format!("--b\r\nContent-Length: {length}\r\n\r\n{body}\r\n--b\r\n\r\n");
            check(stream.as_bytes(), &Options::new(b"b"));
        }
    }
}

/// Returns the pieces for each byte of a stream, as text.
fn by_byte(stream: &[u8], options: &Options) -> Vec<String> {
    let mut decoder = routes::decoder(options);
    let mut pieces = Vec::new();
    for byte in stream.chunks(1) {
        let (mut input, mut said) = (byte, String::new());
        while let Some(piece) = decoder.decode(&mut input).expect("no error") {
            said += &match piece {
                PieceRef::PartBegin(_) => "{".into(),
                PieceRef::Data(data) => data.escape_ascii().to_string(),
                PieceRef::PartEnd(_) => "}".into(),
                PieceRef::Close => "|".into(),
                other => panic!("{other:?}"),
            };
        }
        pieces.push(said);
    }
    pieces
}

#[test]
fn only_a_possible_delimiter_is_held_back() {
    let head = b"--b\n\n";
    let body = b"one\r\n-two\n--b.\r\r\n--b\n";
    let pieces = by_byte(&[&head[..], body].concat(), &Options::new(b"b"));
    assert_eq!(pieces[..5], ["", "", "", "", "{"]);
    let expected =
        ["o", "n", "e", "", "", "", "\\r\\n-t", "w", "o", "", "", "", "", "\\n--b.", "", "\\r", "", "", "", "", "}"];
    assert_eq!(pieces[5..], expected);
}
