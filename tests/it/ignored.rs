//! The beginning of the text that is no field. `decode_routes` compares it with that of the naive twin at the end of
//! every stream, by every route.

use crate::{
    decode_routes, decoder_state,
    generated_streams::any_limit,
    law,
    naive::{self, Options, Scope},
    stream_generator::cut,
};
use eventwire::{Decoder, Eof};

/// Returns what is ignored of these chunks, before the end of the stream.
fn ignored(chunks: &[&[u8]]) -> Vec<u8> {
    let mut decoder = Decoder::new();
    for chunk in chunks {
        decoder_state::feed(&mut decoder, chunk);
    }
    decoder.ignored().to_vec()
}

#[test]
fn lines_that_are_no_field() {
    let stream =
        b"\xEF\xBB\xBFdata: 1\nerror: a\r\n: comment\n\rid: 2\nretry: x\nevent\n\n<p>\n\n  \n: c\nda\nDATA: b\n\ndata";
    assert_eq!(ignored(&[stream]).escape_ascii().to_string(), r"error: a\n<p>\n  \nda\nDATA: b");
    assert_eq!(ignored(&[b"data: 1\n\n: only\n\r\n\nid: 1\n"]), b"");
    assert_eq!(ignored(&[]), b"");
}

#[test]
fn at_most_one_kibibyte() {
    for (lines, expected) in [
        (vec!["x".repeat(1024)], "x".repeat(1024)),
        (vec!["x".repeat(5000)], "x".repeat(1024)),
        (vec!["x".repeat(1023), "y".repeat(9)], "x".repeat(1023)),
        (vec!["x".repeat(1022), "y".repeat(9)], "x".repeat(1022) + "\ny"),
        (vec!["x".repeat(8); 500], ["x".repeat(8) + "\n"].concat().repeat(113) + "xxxxxxx"),
    ] {
        for end in ["", "\n", "\r\n"] {
            let stream = lines.join("\n") + end;
            for size in [1, 7, 64, 1000, 10_000] {
                let chunks: Vec<&[u8]> = stream.as_bytes().chunks(size).collect();
                assert_eq!(String::from_utf8_lossy(&ignored(&chunks)), expected, "chunks of {size}");
            }
        }
    }
}

/// The unfinished last line counts from its seventh byte, or at the end of the stream.
#[test]
fn the_last_line_counts_before_it_ends() {
    assert_eq!(ignored(&[b"error: x"]), b"error: x");
    assert_eq!(ignored(&[b"err", b"or", b": x"]), b"error: x");
    for (line, expected) in
        [(&b"{}"[..], &b"{}"[..]), (b"dat", b"dat"), (b"\xEF\xBB", b"\xEF\xBB"), (b"data", b""), (b":", b"")]
    {
        for eof in [Eof::Discard, Eof::Dispatch, Eof::Error] {
            let mut decoder = Decoder::new().with_eof(eof);
            decoder_state::feed(&mut decoder, line);
            let mut reset = decoder.clone();
            let mut blocks = decoder.clone();
            let _ = decoder.finish();
            reset.reset();
            while !matches!(blocks.finish_block(), Ok(None)) {}
            // Nobody knows how the line would have continued.
            assert_eq!(reset.ignored(), b"");
            for decoder in [decoder, blocks] {
                assert_eq!(decoder.ignored(), expected, "{}, {eof:?}", line.escape_ascii());
            }
        }
    }
}

/// The text stays after the end, until the next stream has a byte.
#[test]
fn the_next_stream_begins_with_none() {
    let mut decoder = Decoder::new();
    decoder_state::feed(&mut decoder, b"error: x\n\ndata: 1\n\n");
    decoder.finish().unwrap();
    assert_eq!(decoder.ignored(), b"error: x");
    decoder.reset();
    decoder_state::feed(&mut decoder, b"");
    assert_eq!((decoder.finish(), decoder.ignored()), (Ok(None), &b"error: x"[..]));
    for first in [&b"d"[..], b"\n", b":", b"\xEF", b"\xEF\xBB\xBF"] {
        let mut next = decoder.clone();
        decoder_state::feed(&mut next, first);
        assert_eq!(next.ignored(), b"", "{}", first.escape_ascii());
    }
    decoder_state::feed(&mut decoder, b"timestamp: 1\n");
    assert_eq!(decoder.ignored(), b"timestamp: 1");
}

/// It is never more than what has arrived, and never forgets anything of the same stream.
#[test]
fn it_grows_with_the_stream() {
    let stream = b"error: {\ndata: 1\n\n\"message\": \"m\"\n}\nid: 2\n\n<html>\r\nxyz";
    let mut last = Vec::new();
    for at in 0..=stream.len() {
        let (beginning, _) = stream.split_at(at);
        let whole = ignored(&[beginning]);
        for place in 0..=at {
            let (head, tail) = beginning.split_at(place);
            assert_eq!(ignored(&[head, tail]), whole, "{at} bytes, cut at {place}");
        }
        assert!(whole.starts_with(&last), "{}", whole.escape_ascii());
        last = whole;
    }
}

/// Long enough for the limit, with fields of every kind between the lines.
#[test]
fn long_texts() {
    law::check(256, |random| {
        let mut stream = String::new();
        for _ in 0..random.below(30) {
            stream += random.one_of(LINES);
            stream += &"-".repeat(random.below(200));
            stream += random.one_of(&["\n", "\r\n", "\r"]);
        }
        if random.coin() {
            stream += "{\"open";
        }
        let scope = random.one_of(&[Scope::Events, Scope::Blocks, Scope::WithoutComments]);
        let options = Options { scope, max_event_size: any_limit(random), ..Options::default() };
        let expected = naive::interpret(stream.as_bytes(), &options);
        decode_routes::check(&[stream.as_bytes()], &options, &expected);
        decode_routes::check(&cut(stream.as_bytes(), &random.cut()), &options, &expected);
    });
}

const LINES: &[&str] =
    &["error: ", "{", "  \"", "data: ", "data:", "event: ", "id: ", ": ", "", "retry: 1", "time", "é"];
