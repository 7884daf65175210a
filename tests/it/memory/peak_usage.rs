//! A decoder's maximum memory is a small multiple of the limit, even for hostile streams: guarantee 5.
//!
//! These streams are readable, and each has its own figure. `search.rs` looks for the worst stream. A buffer that grows
//! counts twice for a moment, as the old and the new one, as with the worst allocators.

use crate::counting_allocator::measure;
use bytes::Bytes;
use core::mem;
use eventwire::{BlockItemRef, Decoder, Utf8Policy};

/// A little more than a power of two, so that buffers that double have the most slack.
const LIMIT: usize = 270_000;
/// What a decoder uses in addition, in bytes: the last type and the last ID of up to 1 KiB each, counters and the like.
pub(super) const SMALL: usize = 4096;

/// Checks the decoder's maximum memory as multiples of the limit: with borrowed events, and with owned events, where
/// the event that is being decoded counts as well.
#[track_caller]
fn check(what: &str, chunks: &[Bytes], borrowed_limit: usize, owned_limit: usize) {
    let borrowed = peak(|decoder| {
        for mut input in chunks.iter().map(|chunk| &chunk[..]) {
            while !input.is_empty() {
                let _ = decoder.decode(&mut input);
            }
        }
    });
    let owned = peak(|decoder| {
        for mut input in chunks.iter().cloned() {
            while !input.is_empty() {
                let _ = decoder.decode_bytes(&mut input);
            }
        }
    });
    let of_the_limit = |bytes: usize| format!("{}.{:02} limits", bytes / LIMIT, bytes % LIMIT * 100 / LIMIT);
    eprintln!("{what}: {} borrowed, {} owned", of_the_limit(borrowed), of_the_limit(owned));
    assert!(borrowed <= borrowed_limit * LIMIT + SMALL, "{what}, borrowed: {}", of_the_limit(borrowed));
    assert!(owned <= owned_limit * LIMIT + SMALL, "{what}, owned: {}", of_the_limit(owned));
}

fn peak(decode: impl FnOnce(&mut Decoder)) -> usize {
    measure(|| decode(&mut Decoder::new().with_max_event_size(LIMIT))).1.peak
}

/// Returns a chunk of this byte that needs no memory of its own.
fn fill(byte: u8) -> Bytes {
    static LETTERS: [u8; 4096] = [b'x'; 4096];
    static DIGITS: [u8; 4096] = [b'1'; 4096];
    static BROKEN: [u8; 4096] = [0xFF; 4096];
    static NULS: [u8; 4096] = [0; 4096];
    Bytes::from_static(match byte {
        b'1' => &DIGITS,
        0xFF => &BROKEN,
        0 => &NULS,
        _ => &LETTERS,
    })
}

/// Returns a line of this many bytes, including its name and its end, in pieces of 4 KiB.
fn line(begin: &'static str, byte: u8, size: usize) -> Vec<Bytes> {
    let value = size - begin.len() - 1;
    let mut chunks = vec![Bytes::from_static(begin.as_bytes())];
    chunks.extend((0..value).step_by(4096).map(|at| fill(byte).slice(..(value - at).min(4096))));
    chunks.push(Bytes::from_static(b"\n"));
    chunks
}

/// The same in one chunk.
fn whole(begin: &'static str, byte: u8, size: usize) -> Vec<Bytes> {
    vec![Bytes::from(line(begin, byte, size).concat())]
}

/// The same in two pieces, the second one short. The buffer has exactly enough room for the first, and doubles for
/// the second.
fn doubled(begin: &'static str, byte: u8, size: usize) -> Vec<Bytes> {
    let whole = Bytes::from(line(begin, byte, size).concat());
    vec![whole.slice(..begin.len()), whole.slice(begin.len()..size - 100), whole.slice(size - 100..)]
}

fn blank() -> Vec<Bytes> {
    vec![Bytes::from_static(b"\n")]
}

#[test]
fn an_ordinary_event() {
    let valid = [line("data:", b'x', LIMIT), blank()].concat();
    check("an event in pieces", &valid, 2, 2);
    check("an event in two pieces", &[doubled("data:", b'x', LIMIT), blank()].concat(), 2, 2);
    let chunk = Bytes::from([whole("data:", b'x', LIMIT), blank()].concat().concat());
    check("an event in one chunk", &[chunk], 0, 0);
    let lines: Vec<Bytes> = (0..LIMIT / 4096).flat_map(|_| line("data:", b'x', 4096)).collect();
    check("an event of many lines", &[lines, blank()].concat(), 2, 2);
}

#[test]
fn lines_that_do_not_end() {
    for (begin, byte, multiple) in [
        ("data:", b'x', 2),
        ("data:", 0xFF, 2),
        ("event:", b'x', 2),
        ("id:", b'x', 2),
        ("id:", 0, 2),
        ("retry:", b'1', 0),
        (":", b'x', 0),
        ("x", b'x', 0),
        ("unknown:", 0xFF, 0),
    ] {
        let endless = line(begin, byte, 64 * LIMIT);
        let short = [b"\ndata\n\n".as_slice().into()].to_vec();
        check(&format!("an endless {begin}"), &[endless, short].concat(), multiple, multiple);
    }
    let endless: Vec<Bytes> = (0..2000).flat_map(|_| line("data:", b'x', 4096)).collect();
    check("endless data lines", &endless, 2, 2);
    let endless = vec![Bytes::from_static(b"id: 1\nevent: t\ndata\n"); 500_000];
    check("endless lines", &endless, 1, 1);
}

#[test]
fn broken_text() {
    // U+FFFD replaces one byte by three.
    let broken = |begin| [line(begin, 0xFF, LIMIT - 5), [b"data\n\n".as_slice().into()].to_vec()].concat();
    check("broken data", &[line("data:", 0xFF, LIMIT), blank()].concat(), 4, 4);
    check("a broken type", &broken("event:"), 4, 6);
    check("a broken ID", &broken("id:"), 6, 9);
}

/// A check keeps an incomplete character, and nothing of what follows an invalid one.
#[test]
fn a_line_that_is_checked() {
    for begin in [&b"unknown: \xE2\x82"[..], b": \xFF", b"\xE2"] {
        let peak = peak(|decoder| {
            *decoder = mem::take(decoder).with_utf8_policy(Utf8Policy::Stop);
            assert_eq!(decoder.decode(&mut &*begin), Ok(None));
            for _ in 0..100 {
                assert_eq!(decoder.decode(&mut &*fill(b'x')), Ok(None));
            }
            assert!(decoder.decode(&mut &b"\n"[..]).is_err());
        });
        assert!(peak <= SMALL, "{}: {peak}", begin.escape_ascii());
    }
}

/// If blocks are read, comments are stored too.
#[test]
fn comments() {
    for (what, byte, multiple) in [("a comment", b'x', 2), ("a broken comment", 0xFF, 4)] {
        for chunks in [line(":", byte, LIMIT), doubled(":", byte, LIMIT), whole(":", byte, LIMIT)] {
            let peak = peak(|decoder| {
                let mut comments = 0;
                for chunk in &chunks {
                    let mut input = &chunk[..];
                    while let Some(block) = decoder.decode_block(&mut input).unwrap() {
                        comments += usize::from(matches!(block, BlockItemRef::Comment(text) if !text.is_empty()));
                    }
                }
                assert_eq!(comments, 1);
            });
            eprintln!("{what}: {peak} bytes with a limit of {LIMIT}");
            assert!(peak <= multiple * LIMIT + SMALL, "{what}: {peak}");
        }
    }
    let endless = peak(|decoder| {
        assert_eq!(decoder.decode_block(&mut &b": "[..]), Ok(None));
        assert_eq!((0..1000).filter(|_| decoder.decode_block(&mut &*fill(b'x')).is_err()).count(), 1);
    });
    assert!(endless <= 2 * LIMIT + SMALL, "an endless comment: {endless}");
}
