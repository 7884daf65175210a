//! Reads one response with ureq, which is blocking: events and comments, with a limit on their size.

use eventwire::{BlockItem, DecodeError, Decoder, Eof, Error, Events};
use std::{io::Write, time::Duration};

/// Writes a line for each event and comment until the server ends the response.
pub fn print_response(url: &str, out: &mut impl Write) -> anyhow::Result<()> {
    let config = ureq::Agent::config_builder()
        .timeout_connect(Some(Duration::from_secs(10)))
        .timeout_per_read(Some(Duration::from_secs(60))); // a dead peer looks like an idle one
    let agent = config.build().new_agent();
    // A status of 400 or more is an error of ureq.
    let body = agent.get(url).header("Accept", "text/event-stream").call()?.into_body();
    if body.mime_type() != Some("text/event-stream") {
        anyhow::bail!("not an event stream but {}", body.mime_type().unwrap_or("a body without a type"));
    }
    let decoder = Decoder::new().with_max_event_size(1024 * 1024).with_eof(Eof::Error);
    for item in Events::from_reader(body.into_reader()).with_decoder(decoder).blocks() {
        match item {
            Ok(BlockItem::Block(block)) => {
                // A block without data is no event.
                if let Some(event) = block.event() {
                    writeln!(out, "{}: {}", event.event_type(), event.data())?;
                }
            }
            Ok(BlockItem::Comment(comment)) => writeln!(out, "comment: {}", comment.text())?,
            Err(Error::Decode(error @ (DecodeError::EventTooLarge { .. } | DecodeError::CommentTooLarge { .. }))) => {
                writeln!(out, "skipped: {error}")?; // only this block is skipped
            }
            Err(error) => return Err(error.into()), // the connection was lost, or it ended inside an event
        }
    }
    Ok(())
}
