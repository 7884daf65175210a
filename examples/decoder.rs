//! Feeds a `Decoder` by hand with the chunks of a stream. The chunks can come from any source, split at any byte. A
//! decoder does no I/O and needs no runtime. Run this example with `cargo run --example decoder`.

use eventwire::{DecodeError, Decoder};

fn main() -> Result<(), DecodeError> {
    // The chunks are split inside a field name, a value and a CRLF. The events are the same however they are split.
    let chunks =
        ["id: 1\nda", "ta: hello\n\nevent: up", "date\ndata: one line\r", "\ndata: and another\r\n\r\n: bye\n"];

    let mut decoder = Decoder::new();
    for chunk in chunks {
        let mut input = chunk.as_bytes();
        // Each call decodes one event and advances `input`. `None` means that `input` is used up. The event borrows
        // from the decoder and the chunk, so nothing is allocated. To keep an event, call `to_event()`.
        while let Some(event) = decoder.decode(&mut input)? {
            println!("{} [{}] {:?}", event.event_type(), event.last_event_id(), event.data());
        }
    }
    // The stream has ended. By default an unfinished event is dropped, as the standard requires; see `with_eof`.
    if let Some(event) = decoder.finish()? {
        println!("{} [{}] {:?}", event.event_type(), event.last_event_id(), event.data());
    }
    println!("a client would reconnect with Last-Event-ID: {}", decoder.last_event_id());
    Ok(())
}
