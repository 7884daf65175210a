//! Reads events from an `AsyncRead`: the output of a process, a socket, a file.

use eventwire::{Decoder, Eof, Error, Events, TokioTimer};
use futures_util::StreamExt;
use std::{pin::pin, time::Duration};
use tokio::io::AsyncRead;
use tokio_util::io::ReaderStream;

/// Calls `on_event` with the type and the data of each event, until the reader ends.
pub async fn read_events(
    reader: impl AsyncRead,
    mut on_event: impl FnMut(&str, &str),
) -> anyhow::Result<()> {
    // Unless set, the limit is 16 MiB. A reader that ends inside an event is an error.
    let decoder = Decoder::new().with_max_event_size(1024 * 1024).with_eof(Eof::Error);
    // One read is one chunk: events arrive as soon as their bytes do.
    let chunks = ReaderStream::new(reader);
    let events = Events::new(chunks)
        .with_decoder(decoder)
        .with_idle_timeout(Duration::from_secs(60), TokioTimer);
    let mut events = pin!(events);
    while let Some(event) = events.next().await {
        match event {
            Ok(event) => on_event(event.event_type(), event.data()),
            Err(Error::Decode(error @ eventwire::DecodeError::EventTooLarge { .. })) => {
                eprintln!("skipped: {error}");
            }
            // The reader failed, was silent, or ended inside an event.
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
