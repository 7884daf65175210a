//! Any bytes, split in any way, yield the same parts as the naive twin of multipart streams, by every route. Encoded
//! and decoded again, they are unchanged.
#![no_main]

#[path = "../../tests/it/always_ready.rs"]
mod always_ready;
mod case;
#[path = "../../crates/eventwire-multipart/tests/it/naive.rs"]
mod naive;
#[path = "../../crates/eventwire-multipart/tests/it/rewritten.rs"]
mod rewritten;
#[path = "../../crates/eventwire-multipart/tests/it/routes.rs"]
mod routes;

use case::Case;
use libfuzzer_sys::fuzz_target;
use naive::Options;

/// The boundary that the header's number selects.
const BOUNDARIES: [&[u8]; 16] = [
    b"b",
    b"-",
    b"--",
    b"--b",
    b"b--",
    b"-b",
    b" ",
    b"boundary",
    b"frame",
    b"--frame",
    b"--myboundary",
    b"graphql",
    b"----MultipartStreamBoundary",
    b"simple boundary",
    b"012345678901234567890123456789",
    b"myboundary",
];

fuzz_target!(|input: &[u8]| {
    let Some(case) = Case::of(input) else { return };
    let options = options(case.mode, case.number);
    let expected = naive::interpret(case.stream, &options);
    routes::check(&[case.stream], &options, &expected);
    let chunks = case.chunks();
    routes::check(&chunks, &options, &expected);
    routes::check_parts(&chunks, &options, &expected);
    rewritten::check(&chunks, &options);
});

/// Four bits of the mode are one setting each. Small limits also depend on the number.
fn options(mode: u8, number: usize) -> Options {
    let small = number / 16;
    let mut options = Options { requires_close: mode & 4 != 0, ..Options::new(BOUNDARIES[number % 16]) };
    if mode & 8 != 0 {
        options.max_preamble_size = small;
    }
    if mode & 16 != 0 {
        options.max_headers_size = 4 * small;
    }
    if mode & 32 != 0 {
        options.max_headers = small / 2;
    }
    options
}
