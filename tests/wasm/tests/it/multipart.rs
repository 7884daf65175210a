//! Parts, whose delimiters are found by different code on wasm.

use eventwire_multipart::{Boundary, Collected, PartDecoder, PartEncoder, WholePart};
use futures_util::{StreamExt, stream};
use std::convert::Infallible;

/// The bodies contain line ends and dashes, and are longer than the bytes that are searched for LF alone.
#[test]
async fn what_is_written_is_read() {
    let bodies: Vec<Vec<u8>> = (0..60_usize)
        .map(|number| (0..number * number).map(|at| b"\r\n--boundar\n-x"[(at * 7 + at / 13) % 14]).collect())
        .collect();
    let mut encoder = PartEncoder::new(Boundary::new("boundary").unwrap()).unwrap();
    let mut bytes = Vec::new();
    for body in &bodies {
        encoder.part(&WholePart::new("audio/wav", body.clone()).unwrap(), &mut bytes).unwrap();
    }
    encoder.close(&mut bytes);
    for size in [bytes.len(), 1460, 7] {
        let chunks = stream::iter(bytes.chunks(size).map(|chunk| Ok::<_, Infallible>(chunk.to_vec())));
        let decoder = PartDecoder::new(Boundary::new("boundary").unwrap());
        let parts: Vec<_> = Collected::new(chunks, decoder).map(|part| part.unwrap().body().to_vec()).collect().await;
        assert!(parts == bodies, "in chunks of {size} bytes");
    }
}
