use eventwire::DecodeError;
use eventwire_recipes::decoder_and_comments::list_blocks;
use std::io::{self, ErrorKind, Read};

/// Reads a byte at a time, and is interrupted before each.
struct Trickle<'a> {
    bytes: &'a [u8],
    is_interrupted: bool,
}

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.is_interrupted = !self.is_interrupted;
        if self.is_interrupted {
            return Err(ErrorKind::Interrupted.into());
        }
        self.bytes.read(&mut buffer[..1])
    }
}

fn list(stream: &str) -> (String, io::Result<()>) {
    let mut out = Vec::new();
    let result = list_blocks(Trickle { bytes: stream.as_bytes(), is_interrupted: false }, &mut out);
    let mut at_once = Vec::new();
    assert_eq!(list_blocks(stream.as_bytes(), &mut at_once).is_ok(), result.is_ok());
    assert_eq!(at_once, out, "split into single bytes, the stream is read otherwise");
    (String::from_utf8(out).unwrap(), result)
}

#[test]
fn events_and_comments_in_order() {
    let (out, result) = list(
        "\u{feff}: hello\nid: 7\nevent: price\ndata: 41\n: in between\ndata: 42\n\nretry: 5\n\n: last\n: unfinished",
    );
    result.unwrap();
    assert_eq!(out, "comment: hello\ncomment: in between\nprice: 41\n42\ncomment: last\nlast event ID: \"7\"\n");
}

#[test]
fn a_large_event_is_skipped() {
    let large = "x".repeat(1024 * 1024);
    let (out, result) = list(&format!("data: 1\n\ndata: {large}\n\n: {large}x\n\ndata: 2\n\n"));
    result.unwrap();
    let limit = "is larger than the limit of 1048576 bytes";
    let skipped = format!("skipped: the event {limit}\nskipped: the comment {limit}\n");
    assert_eq!(out, format!("message: 1\n{skipped}message: 2\nlast event ID: \"\"\n"));
}

#[test]
fn a_truncated_stream_is_an_error() {
    let (out, result) = list("data: 1\n\ndata: 2\n");
    assert_eq!(out, "message: 1\n");
    assert_eq!(result.unwrap_err().to_string(), DecodeError::Truncated.to_string());
}
