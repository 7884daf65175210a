//! Reads events from a file, or anything else that is `Read`, with `Events`: a plain iterator that needs no runtime.
//! Run it with `cargo run --example file -- recording.sse`, or without an argument for a built-in stream.

use std::fs::File;
use std::io::Read;

use eventwire::Events;

const BUILT_IN: &str =
    ": built in\n\nevent: weather\ndata: rain\n\nevent: weather\nid: 2\ndata: sun\ndata: and wind\n\n";

fn main() -> anyhow::Result<()> {
    let reader: Box<dyn Read> = match std::env::args_os().nth(1) {
        Some(path) => Box::new(File::open(path)?),
        None => Box::new(BUILT_IN.as_bytes()),
    };
    // A `BufReader` is not needed: the file is read in large chunks, and the events are slices of them.
    for event in Events::from_reader(reader) {
        let event = event?;
        println!("{:?} [{:?}] {:?}", event.event_type(), event.last_event_id(), event.data());
    }
    Ok(())
}
