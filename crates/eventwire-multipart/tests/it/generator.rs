//! Generates multipart streams that are almost valid, and the settings to read them with.

use super::naive::Options;
use crate::stream_generator::Random;
use proptest::{collection::vec, prelude::*, sample::select};

pub(crate) const BOUNDARIES: &[&[u8]] = &[
    b"b",
    b"b",
    b"bound",
    b"aab",
    b"-",
    b"-",
    b"--",
    b"---",
    b"--b",
    b"--b",
    b"----frame",
    b"-b",
    b"b-",
    b"b--",
    b"--b--",
    b"a b",
    b" ",
    b"b ",
    b":",
    b"\xFF",
    b"012345678901234567890123456789",
];

/// A step of a stream: its kind, and a number whose meaning depends on the kind. Small numbers are ordinary.
pub(crate) type Step = (usize, usize);

const KINDS: usize = 24;
const NUMBERS: usize = 16;

const TEXTS: &[&[u8]] = &[
    b"a",
    b"abc",
    b"x\n",
    b"x\r\n",
    b"\r",
    b"-",
    b"--",
    b"---",
    b" ",
    b"\t",
    b"\0",
    b"\xFF\xFE",
    b"-----\r\n",
    b"b",
    b"--b",
    b"\r\r\n",
];
const LINE_ENDS: &[&[u8]] = &[b"\n", b"\r\n", b"\n\n", b"\r\n\r\n", b"\r", b"\n\r\n", b"\r\n\n", b"\r\r\n"];
const HEADERS: &[&[u8]] = &[
    b"A: 1\r\n",
    b"A: 1\n",
    b"Content-Type: text/plain\r\n",
    b"B : 2\r\n",
    b"no colon\n",
    b"A: 1\rB: 2\n",
    b" folded\r\n",
    b"\tfolded\n",
    b"A:\n",
    b"Content-Length: 3\r\n",
    b"Content-Length: 5\n\n",
    b"content-length:1\r\n\r\n",
    b"Content-Length: +3\r\n",
    b"Content-Length: 99999999999999999999\r\n",
    b"CONTENT-LENGTH : 0004 \t\r\n",
    b"Content-Length:\n",
];

/// Returns the bytes of a step. Most delimiter lines of the stream begin with the dash-boundary.
fn bytes_of((kind, number): Step, dash_boundary: &[u8]) -> Vec<u8> {
    let with = |before: &[u8], after: &[u8]| [before, dash_boundary, after].concat();
    let text = TEXTS[number % TEXTS.len()];
    let line_end = LINE_ENDS[number % LINE_ENDS.len()];
    match kind % KINDS {
        0 | 1 => text.to_vec(),
        2 => line_end.to_vec(),
        3..=5 => with(b"\r\n", line_end),
        6 => with(b"\n", b"\n"),
        7 => with(b"", b"\r\n"),
        8 => HEADERS[number % HEADERS.len()].to_vec(),
        9 => [HEADERS[number % HEADERS.len()], b"\r\n"].concat(),
        10 => with(line_end, b"--"),
        11 => with(b"", [&b"--\r\n"[..], b"--", b"-\n", b"-", b"---\n", b"-- \n", b"--\r", b" --\n"][number % 8]),
        12 => with(line_end, [&b" \n"[..], b" \t\r\n", b"x\n", b" x\n", b"\r", b"", b" ", b"\r\r\n"][number % 8]),
        // The beginning of a delimiter, of any length.
        13 => dash_boundary[..number.min(dash_boundary.len())].to_vec(),
        14 => [&b"\r\n"[..], &dash_boundary[..number.min(dash_boundary.len())]].concat(),
        15 => with(b"\n", &[b' '; 70][..[63, 64, 65, 66][number % 4]]),
        // A part with a length, which may be wrong by a few bytes.
        16..=18 => {
            let body = [TEXTS[number % 4], TEXTS[number / 2 % TEXTS.len()]].concat();
            let length = (body.len() + [2, 2, 3, 4, 0, 1, 5, 40][number % 8]).saturating_sub(2);
            let head = format!("Content-Length: {length}\r\n\r\n");
            [&with(b"", b"\r\n"), head.as_bytes(), &body, b"\r\n"].concat()
        }
        // A part without a length.
        19 | 20 => [&with(b"", line_end), &b"\r\n"[..], text].concat(),
        21 => format!("Content-Length: {number}\r\n").into_bytes(),
        22 => with(dash_boundary, b"\n"),
        _ => [text, line_end].concat(),
    }
}

/// Returns the stream of these steps. Its delimiter lines begin with two dashes and the boundary, or with the
/// boundary as it is if that begins with dashes.
pub(crate) fn stream_of(boundary: &[u8], is_as_it_is: bool, steps: &[Step]) -> Vec<u8> {
    let has_dashes = is_as_it_is && boundary.starts_with(b"--");
    let dash_boundary = if has_dashes { boundary.to_vec() } else { [b"--", boundary].concat() };
    steps.iter().flat_map(|&step| bytes_of(step, &dash_boundary)).collect()
}

/// A stream and the settings to read it with.
pub(crate) type Case = (Vec<u8>, Options);

/// Generates a case, which shrinks step by step.
pub(crate) fn any_case() -> impl Strategy<Value = Case> {
    let steps = vec((0..KINDS, 0..NUMBERS), 0..25);
    let limits = (
        prop_oneof![3 => Just(usize::MAX), 2 => 0..40usize],
        prop_oneof![3 => Just(usize::MAX), 2 => 0..60usize],
        prop_oneof![3 => Just(usize::MAX), 2 => 0..4usize],
    );
    (select(BOUNDARIES), steps, any::<[bool; 2]>(), limits).prop_map(
        |(boundary, steps, [is_as_it_is, requires_close], (max_preamble_size, max_headers_size, max_headers))| {
            let options =
                Options { requires_close, max_preamble_size, max_headers_size, max_headers, ..Options::new(boundary) };
            (stream_of(boundary, is_as_it_is, &steps), options)
        },
    )
}

/// Generates sizes of chunks, mostly small, sometimes empty.
pub(crate) fn any_cut() -> BoxedStrategy<Vec<usize>> {
    vec(prop_oneof![4 => 0..4usize, 4 => 0..40usize, 1 => 40..200usize], 1..20).boxed()
}

/// A case of the seeded generator, which is faster than proptest.
pub(crate) fn seeded_case(random: &mut Random) -> Case {
    let boundary = BOUNDARIES[random.below(BOUNDARIES.len())];
    let count = [4, 12, 30][random.below(3)];
    let steps: Vec<Step> = (0..random.below(count)).map(|_| (random.below(KINDS), random.below(NUMBERS))).collect();
    let mut stream = stream_of(boundary, random.below(3) == 0, &steps);
    if random.below(4) == 0 && !stream.is_empty() {
        let place = random.below(stream.len());
        stream[place] = u8::try_from(random.below(256)).expect("a byte");
    }
    let mut limit = |below| if random.below(3) == 0 { random.below(below) } else { usize::MAX };
    let (max_preamble_size, max_headers_size, max_headers) = (limit(40), limit(60), limit(4));
    let options = Options {
        requires_close: random.below(3) == 0,
        max_preamble_size,
        max_headers_size,
        max_headers,
        ..Options::new(boundary)
    };
    (stream, options)
}
