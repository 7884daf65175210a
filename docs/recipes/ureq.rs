//! Reads one response with ureq, which is blocking: events and comments, with a limit on
//! their size.

use eventwire::{BlockItem, DecodeError, Decoder, Eof, Error};
use eventwire_client::open_reader;
use std::{io::Write, time::Duration};

/// Writes a line for each event and comment until the server ends the response.
pub fn print_response(url: &str, out: &mut impl Write) -> anyhow::Result<()> {
    let config = ureq::Agent::config_builder()
        .timeout_connect(Some(Duration::from_secs(10)))
        .timeout_per_read(Some(Duration::from_secs(60))) // a dead peer looks idle
        .http_status_as_error(false); // `open_reader` checks it, and says why
    let request = config.build().new_agent().get(url);
    let response = request.header("Accept", "text/event-stream").call()?;
    let (head, body) = response.into_parts();
    let events = open_reader(head, body.into_reader())?.into_body();
    let decoder = Decoder::new().with_max_event_size(1024 * 1024).with_eof(Eof::Error);
    for item in events.with_decoder(decoder).blocks() {
        match item {
            Ok(BlockItem::Block(block)) => {
                // A block without data is no event.
                if let Some(event) = block.event() {
                    writeln!(out, "{}: {}", event.event_type(), event.data())?;
                }
            }
            Ok(BlockItem::Comment(text)) => writeln!(out, "comment: {}", text.text())?,
            Err(Error::Decode(error)) if error != DecodeError::Truncated => {
                writeln!(out, "skipped: {error}")?; // it was too large
            }
            // The connection was lost, or it ended inside an event.
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
