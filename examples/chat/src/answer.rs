//! Prints the answer as it arrives.

use std::io::Write;

use eventwire::{Error, JsonError};
use eventwire_client::{Decide, EventSource, Stopped};
use eventwire_reqwest::{PlatformTimer, RequestConnector};
use futures_util::StreamExt;

use crate::chunk::{Chunk, Completion};
use crate::failure::Failure;
use crate::printer::Printer;
use crate::reason::reason;

pub(crate) async fn print(
    source: EventSource<RequestConnector, PlatformTimer, impl Decide<reqwest::Error>>,
    printer: &mut Printer<impl Write>,
) -> Result<(), Failure> {
    let mut chunks = source.events().json::<Chunk>().require_end_marker();
    while let Some(chunk) = chunks.next().await {
        match chunk {
            Ok(chunk) => {
                for text in chunk.text() {
                    printer.print(text).map_err(Failure::Output)?;
                }
            }
            Err(JsonError::Stream(Error::Transport(stopped))) => {
                return printer.print(&whole(stopped)?).map_err(Failure::Output);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Returns the answer of a server that sends it as JSON instead of streaming it, or why there is none.
fn whole(stopped: Stopped<reqwest::Error>) -> Result<String, Failure> {
    let Some(refusal) = stopped.refusal().filter(|refusal| refusal.status() == 200 && refusal.is_json()) else {
        return Err(stopped.into());
    };
    match (refusal.json::<Completion>(), reason(refusal.body())) {
        (Ok(completion), _) => Ok(completion.into_text()),
        (Err(error), _) if !refusal.is_complete() => Err(Failure::CutOff(error.to_string())),
        (Err(_), Some(reason)) => Err(Failure::Reported(reason)),
        (Err(error), None) => Err(Failure::Unreadable(format!("it is not a chat completion: {error}"))),
    }
}
