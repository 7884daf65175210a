//! A `Decoder` fed by hand with the chunks of a stream, wherever they come from and however they are cut.
//! It does no I/O and needs no runtime. Run it with `cargo run --example decoder`.

use eventwire::{DecodeError, Decoder};

fn main() -> Result<(), DecodeError> {
    // Cut in the middle of a field name, of a value and of a CRLF: the events are the same for any cut.
    let chunks =
        ["id: 1\nda", "ta: hello\n\nevent: up", "date\ndata: one line\r", "\ndata: and another\r\n\r\n: bye\n"];

    let mut decoder = Decoder::new();
    for chunk in chunks {
        let mut input = chunk.as_bytes();
        // Each call takes one event off the front of `input`, and `None` says that it is used up. The event is
        // lent by the decoder and the chunk, so nothing is copied; `to_event()` makes one that can be kept.
        while let Some(event) = decoder.decode(&mut input)? {
            println!("{} [{}] {:?}", event.event_type(), event.id(), event.data());
        }
    }
    // The stream is over. An unfinished event is dropped, as the standard says; `with_eof` chooses otherwise.
    if let Some(event) = decoder.finish()? {
        println!("{} [{}] {:?}", event.event_type(), event.id(), event.data());
    }
    println!("a client would come back with Last-Event-ID: {}", decoder.last_event_id());
    Ok(())
}
