//! Multipart streams, generated identically each time.

use bytes::Bytes;
use std::hint::black_box;

pub struct PartCorpus {
    pub bytes: Vec<u8>,
    pub parts: usize,
    /// The size of all bodies together.
    pub body_bytes: usize,
}

/// The number of parts, and the size of their bodies, that a decoder has returned.
#[derive(Debug, Default, PartialEq)]
pub struct Seen {
    pub parts: usize,
    pub body_bytes: usize,
}

impl Seen {
    pub fn of(corpus: &PartCorpus) -> Seen {
        Seen { parts: corpus.parts, body_bytes: corpus.body_bytes }
    }

    pub fn part<H>(&mut self, headers: H) {
        black_box(headers);
        self.parts += 1;
    }

    pub fn chunk(&mut self, chunk: &[u8]) {
        self.body_bytes += black_box(chunk).len();
    }
}

pub const NAMES: [&str; 4] = ["text", "text-length", "frames", "frames-length"];

/// The sizes of the chunks: small writes, a packet, and a client's read buffer.
pub const CUTS: [usize; 3] = [64, 1460, 16384];

/// The `boundary` parameter of all corpora.
pub const BOUNDARY: &str = "------------------------4f2b8f1c9d3e";

pub fn named(name: &str) -> Option<PartCorpus> {
    let corpus = match name {
        "text" => built(false, text),
        "text-length" => built(true, text),
        "frames" => built(false, frame),
        "frames-length" => built(true, frame),
        _ => return None,
    };
    Some(corpus)
}

/// Splits the bytes into chunks of this size, which are slices of one allocation.
pub fn cut(corpus: &PartCorpus, size: usize) -> Vec<Bytes> {
    let whole = Bytes::from(corpus.bytes.clone());
    (0..whole.len()).step_by(size).map(|start| whole.slice(start..whole.len().min(start + size))).collect()
}

/// One MiB; less without optimisation, when nothing is measured.
const SIZE: usize = if cfg!(debug_assertions) { 1 << 17 } else { 1 << 20 };

/// Enough parts to reach this size, and the closing delimiter.
fn built(has_lengths: bool, part: fn(&mut Random) -> Part) -> PartCorpus {
    let mut random = Random(0x5EED);
    let (mut parts, mut body_bytes) = (0, 0);
    let mut bytes = format!("--{BOUNDARY}\r\n").into_bytes();
    while bytes.len() < SIZE {
        let (media_type, body) = part(&mut random);
        bytes.extend_from_slice(format!("Content-Type: {media_type}\r\n").as_bytes());
        if has_lengths {
            bytes.extend_from_slice(format!("Content-Length: {}\r\n", body.len()).as_bytes());
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(&body);
        bytes.extend_from_slice(format!("\r\n--{BOUNDARY}\r\n").as_bytes());
        parts += 1;
        body_bytes += body.len();
    }
    // Makes the last delimiter the closing one.
    bytes.truncate(bytes.len() - 2);
    bytes.extend_from_slice(b"--\r\n");
    PartCorpus { bytes, parts, body_bytes }
}

type Part = (&'static str, Vec<u8>);

/// 40 bytes: a few words, like a chunk of a model's answer.
fn text(random: &mut Random) -> Part {
    const WORDS: [&str; 8] = ["the ", "stream ", "of ", "words ", "goes ", "on, ", "and ", "ends. "];
    let mut text = Vec::with_capacity(48);
    while text.len() < 40 {
        text.extend_from_slice(WORDS[random.next() as usize % WORDS.len()].as_bytes());
    }
    text.truncate(40);
    ("text/plain", text)
}

/// 30,000 random bytes, like a JPEG image.
fn frame(random: &mut Random) -> Part {
    ("image/jpeg", (0..30_000).map(|_| random.next() as u8).collect())
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }
}
