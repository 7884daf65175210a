//! Prints the events of a URL, and reconnects when the connection drops.
//!
//! `cargo run -p eventwire-reqwest --example events -- http://127.0.0.1:8080/events`

use std::env;
use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use eventwire::client::Item;
use eventwire_reqwest::RequestBuilderExt;
use futures_util::StreamExt;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Some(url) = env::args_os().nth(1) else {
        eprintln!("events: expected one argument, a URL, such as http://127.0.0.1:8080/events");
        return ExitCode::FAILURE;
    };
    match print_events(&url.to_string_lossy()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("events: {}; check the URL and the server", chain(&*error));
            ExitCode::FAILURE
        }
    }
}

async fn print_events(url: &str) -> Result<(), Box<dyn Error>> {
    // These settings detect a dead connection over HTTP/2, and the idle timeout detects one over HTTP/1.1.
    let client = reqwest::Client::builder()
        .http2_keep_alive_interval(Duration::from_secs(20))
        .http2_keep_alive_timeout(Duration::from_secs(10))
        .http2_keep_alive_while_idle(true)
        .build()?;
    let mut source = client.get(url).eventsource()?.with_idle_timeout(Duration::from_secs(60));
    while let Some(item) = source.next().await {
        match item {
            Item::Event(event) => {
                let (event_type, id, data) = (event.event_type(), event.id(), event.data());
                // Escaped, because control characters could change the state of the terminal.
                println!("{} [{}] {data:?}", event_type.escape_debug(), id.escape_debug());
            }
            Item::Reconnecting { error, delay, .. } => {
                eprintln!("events: {}; reconnecting in {delay:.1?}", chain(&error));
            }
            Item::Undecodable(error) => eprintln!("events: {error}"),
            _ => {}
        }
    }
    Ok(source.into_result()?)
}

/// Returns the error and its sources on one line. No error in the chain prints its source.
fn chain(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        line += &format!(": {error}");
        source = error.source();
    }
    line
}
