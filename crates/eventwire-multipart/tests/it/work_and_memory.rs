//! Decoding takes linear time, and the decoder stores at most a header block, for any stream.
//!
//! Time is not measured. For these streams, a decoder that starts again with each chunk, piece or line would take
//! hours.

use crate::counting_allocator::{live, measure};
use bytes::Bytes;
use eventwire_multipart::{Boundary, PartDecodeErrorKind, PartDecoder, Piece, PieceRef};

const MIB: usize = 1 << 20;
/// A boundary of 30 bytes, a common length.
const BOUNDARY: &str = "0123456789abcdefghijklmnopqrst";

fn decoder() -> PartDecoder {
    PartDecoder::new(Boundary::new(BOUNDARY).expect("a boundary"))
}

/// The numbers of calls for a stream, of bytes of data, of errors and of ends of parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Found {
    calls: usize,
    data: usize,
    errors: usize,
    ends: usize,
}

fn decode_all<'c>(decoder: &mut PartDecoder, chunks: impl IntoIterator<Item = &'c [u8]>) -> Found {
    let mut found = Found::default();
    for mut chunk in chunks {
        loop {
            found.calls += 1;
            match decoder.decode(&mut chunk) {
                Ok(None) => break,
                Ok(Some(PieceRef::Data(data))) => found.data += data.len(),
                Ok(Some(PieceRef::PartEnd(_))) => found.ends += 1,
                Ok(Some(_)) => {}
                Err(_) => found.errors += 1,
            }
        }
        assert!(chunk.is_empty());
    }
    found
}

fn delimiter() -> String {
    format!("\r\n--{BOUNDARY}\r\n")
}

/// Returns streams of about this length that are as difficult to decode as possible.
fn hard_streams(length: usize) -> Vec<(&'static str, Vec<u8>)> {
    let begin = format!("--{BOUNDARY}\r\n\r\n");
    let repeat = |pattern: &str| {
        let count = length / pattern.len();
        [begin.as_bytes(), pattern.repeat(count).as_bytes()].concat()
    };
    let before =
        |head: &str, pattern: &str| [head.as_bytes(), pattern.repeat(length / pattern.len()).as_bytes()].concat();
    vec![
        ("line feeds", repeat("\n")),
        ("carriage returns", repeat("\r")),
        ("line ends", repeat("\r\n")),
        ("dashes", repeat("-")),
        ("delimiters without their last byte", repeat(&format!("\r\n--{}", &BOUNDARY[..29]))),
        ("delimiters with a wrong trail", repeat(&format!("\r\n--{BOUNDARY}x"))),
        ("delimiters with too many blanks", repeat(&format!("\r\n--{BOUNDARY}{}", " ".repeat(65)))),
        ("delimiters within lines", repeat(&format!("x--{BOUNDARY}\r"))),
        ("delimiters", repeat(&delimiter())),
        ("parts of a byte", repeat(&format!("\r\nx{}", delimiter()))),
        ("parts with a length", repeat(&format!("Content-Length: 1\r\n\r\nx{}", delimiter()))),
        ("junk", before(&format!("--{BOUNDARY}\r\nContent-Length: 0\r\n\r\n"), "junk\r\n--0")),
        ("a preamble of lines", before("", &format!("--{BOUNDARY}x\n"))),
        ("a preamble of one line", before("", "-")),
        ("header lines", before(&format!("--{BOUNDARY}\r\n"), "A: 1\r\n")),
        ("a header line", before(&format!("--{BOUNDARY}\r\n"), "A")),
        ("header blocks that are too large", repeat(&format!("{}{}", "A: 1\r\n".repeat(100), delimiter()))),
        ("one line", repeat("x")),
    ]
}

fn tolerant() -> PartDecoder {
    decoder().with_max_preamble_size(usize::MAX)
}

#[test]
fn the_work_is_linear() {
    let calls = |stream: &[u8], size: usize| decode_all(&mut tolerant(), stream.chunks(size)).calls;
    for ((name, short), (_, long)) in hard_streams(MIB / 4).into_iter().zip(hard_streams(MIB)) {
        for size in [1, 64, 65_536, usize::MAX] {
            let (once, four_times) = (calls(&short, size), calls(&long, size));
            assert!(four_times <= 5 * once + 100, "{name}, chunks of {size}: {once} and {four_times} calls");
        }
    }
}

#[test]
fn only_a_header_block_is_stored() {
    for (name, stream) in hard_streams(MIB) {
        for size in [1, 7, 1460, usize::MAX] {
            let (_, usage) = measure(|| decode_all(&mut tolerant(), stream.chunks(size)));
            // 16 KiB of headers, which may exist twice while the buffer grows.
            assert!(usage.peak <= 2 * 16_384 + 1024, "{name}, chunks of {size}: {} bytes", usage.peak);
        }
    }
}

#[test]
fn a_decoder_is_small() {
    let before = live();
    let mut decoder = decoder();
    let found = decode_all(&mut decoder, [format!("{}Content-Type: text/plain\r\n\r\nx", delimiter()).as_bytes()]);
    assert_eq!(found.data, 1);
    let size = size_of_val(&decoder) + live() - before;
    eprintln!("a decoder in a body: {size} bytes, {} of them in itself", size_of_val(&decoder));
    assert!(size <= 512, "{size} bytes");
    // Byte by byte, the header block is stored in the decoder's buffer as well.
    let head = format!("{}Content-Type: text/plain\r\nX-Frame: 17\r\n\r\n", delimiter());
    for _ in 0..100 {
        decode_all(&mut decoder, head.as_bytes().chunks(1));
        let size = size_of_val(&decoder) + live() - before;
        assert!(size <= 512 + 2 * head.len(), "{size} bytes");
    }
}

#[test]
fn a_part_of_a_gibibyte_in_constant_memory() {
    let head = format!("--{BOUNDARY}\r\nContent-Type: video/mp4\r\n\r\n");
    let mut chunk = vec![b'x'; 65_536];
    chunk[100] = b'\n';
    chunk[65_535] = b'\r';
    let chunk = Bytes::from(chunk);
    let count = if cfg!(miri) { 2 } else { 16_384 };
    let close = format!("\r\n--{BOUNDARY}--");

    let mut borrowed = decoder();
    let (found, usage) = measure(|| {
        let chunks = std::iter::repeat_n(&chunk[..], count);
        decode_all(&mut borrowed, [head.as_bytes()].into_iter().chain(chunks).chain([close.as_bytes()]))
    });
    assert_eq!((found.data, found.ends), (count * chunk.len(), 1));
    assert!(borrowed.is_closed());
    assert!(usage.peak <= 512, "{} bytes at a time, borrowed", usage.peak);
    assert!(usage.allocated <= 1024, "{} bytes in all, borrowed", usage.allocated);

    let mut giving = decoder();
    let first = Bytes::from(head);
    let (data, usage) = measure(|| {
        let mut data = 0;
        for mut input in std::iter::once(first).chain(std::iter::repeat_n(chunk.clone(), count)) {
            while let Some(piece) = giving.decode_bytes(&mut input).expect("no error") {
                if let Piece::Data(bytes) = piece {
                    data += bytes.len();
                }
            }
        }
        data
    });
    // The last CR may begin a delimiter.
    assert_eq!(data, count * chunk.len() - 1);
    assert!(usage.peak <= 1024, "{} bytes at a time, owned", usage.peak);
    assert!(usage.allocations <= 8, "{} allocations, giving", usage.allocations);
}

#[test]
fn a_part_with_a_length_in_constant_memory() {
    let size = 65_536;
    let count = 1000;
    let head = format!("--{BOUNDARY}\r\nContent-Length: {}\r\n\r\n", size * count);
    let chunk = vec![b'x'; size];
    let mut decoder = decoder();
    let (found, usage) = measure(|| {
        decode_all(&mut decoder, [head.as_bytes()].into_iter().chain(std::iter::repeat_n(&chunk[..], count)))
    });
    assert_eq!((found.data, found.ends), (size * count, 1), "complete with its last byte");
    assert!(usage.peak <= 512, "{} bytes", usage.peak);
}

#[test]
fn a_decoder_without_limits_has_none() {
    let unlimited =
        decoder().with_max_preamble_size(usize::MAX).with_max_headers_size(usize::MAX).with_max_headers(usize::MAX);
    let head = "A: 1\r\n".repeat(10_000);
    let stream = format!("{}{head}\r\nx{}", delimiter(), delimiter());
    for size in [1, 1000, usize::MAX] {
        let found = decode_all(&mut unlimited.clone(), stream.as_bytes().chunks(size));
        assert_eq!((found.data, found.ends, found.errors), (1, 1, 0), "chunks of {size}");
    }
}

#[test]
fn a_header_line_above_the_limit_is_an_error_when_it_cannot_be_a_delimiter() {
    let mut decoder = decoder().with_max_headers_size(5);
    assert_eq!(decode_all(&mut decoder, [format!("--{BOUNDARY}\n").as_bytes()]).errors, 0);
    // Two dashes, the boundary, two dashes, 64 blanks and a line end.
    let longest_delimiter = 2 + BOUNDARY.len() + 2 + 64 + 2;
    let line = vec![b'x'; 2 * longest_delimiter];
    let has_failed = |byte: &[u8]| decode_all(&mut decoder, [byte]).errors == 1;
    let failed: Vec<bool> = line.chunks(1).map(has_failed).collect();
    assert_eq!(failed.iter().position(|&has_failed| has_failed), Some(longest_delimiter));
    assert_eq!(failed.iter().filter(|&&has_failed| has_failed).count(), 1);
}

#[test]
fn limits_of_zero() {
    let mut strict = decoder().with_max_preamble_size(0).with_max_headers_size(0).with_max_headers(0);
    let stream = format!("--{BOUNDARY}\n\nx\n--{BOUNDARY}\nA");
    assert_eq!(decode_all(&mut strict, [stream.as_bytes()]).data, 1);
    assert_eq!(strict.finish().map_err(|error| error.kind()), Err(PartDecodeErrorKind::HeadersTooLarge));
    let mut strict = decoder().with_max_preamble_size(0);
    let error = strict.decode(&mut format!("\n--{BOUNDARY}\n").as_bytes()).map(|_| ());
    assert_eq!(error.map_err(|error| error.kind()), Err(PartDecodeErrorKind::PreambleTooLarge));
}
