//! The statements of `eventwire::migration` about other crates, and about eventwire on the same streams. Each test
//! checks a row of a table there.

mod eventsource_client;
mod eventsource_stream;
mod fake;
mod reqwest_eventsource;
mod sse_stream;

/// The file that replaces reqwest-eventsource, in a program with reqwest 0.12.
#[rustfmt::skip] // `.ci/run` formats it with the settings in `docs`
#[path = "../../../../../docs/reqwest-eventsource-shim.rs"]
mod copied;

use eventwire::{Event, EventsExt};
use futures_util::{FutureExt, Stream, StreamExt, stream};
use std::{convert::Infallible, time::Duration};

/// Long enough for anything that happens on one machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn ready<F: Future>(future: F) -> F::Output {
    future.now_or_never().expect("all is ready")
}

fn chunks(chunks: &[&'static [u8]]) -> impl Stream<Item = Result<&'static [u8], Infallible>> + Unpin {
    stream::iter(chunks.iter().map(|&chunk| Ok(chunk)).collect::<Vec<_>>())
}

/// What eventwire reads.
fn events(of: &[&'static [u8]]) -> Vec<Event> {
    let events: Vec<_> = ready(chunks(of).events().collect());
    events.into_iter().map(|event| event.expect("an event")).collect()
}

/// The data of what eventwire reads.
fn data(of: &[&'static [u8]]) -> Vec<String> {
    events(of).iter().map(|event| event.data().to_owned()).collect()
}
