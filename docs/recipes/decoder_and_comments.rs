//! Reads events and comments with a decoder and a loop, from anything that is `Read`.

use eventwire::{BlockItemRef, Decoder, Eof};
use std::io::{self, ErrorKind, Read, Write};

/// Writes a line for each event and comment. They are borrowed from the buffer, or from
/// the decoder if split.
pub fn list_blocks(mut source: impl Read, out: &mut impl Write) -> io::Result<()> {
    // By default, the decoder discards an event in which the stream ends.
    let mut decoder = Decoder::new().with_max_event_size(1 << 20).with_eof(Eof::Error);
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let mut chunk = match source.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => &buffer[..length],
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        loop {
            match decoder.decode_block(&mut chunk) {
                Ok(Some(BlockItemRef::Block(block))) => {
                    // A block without data is no event, but the decoder remembers its ID
                    // and its reconnection time.
                    if let Some(event) = block.event() {
                        writeln!(out, "{}: {}", event.event_type(), event.data())?;
                    }
                }
                Ok(Some(BlockItemRef::Comment(text))) => {
                    writeln!(out, "comment: {text}")?;
                }
                Ok(None) => break, // the rest of a block is in the next chunk
                Err(error) => writeln!(out, "skipped: {error}")?, // other blocks follow
            }
        }
    }
    decoder.finish().map_err(io::Error::other)?; // no event, because of `Eof::Error`
    writeln!(out, "last event ID: {:?}", decoder.last_event_id())
}
