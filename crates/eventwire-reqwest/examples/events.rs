//! Prints the events of a URL, and reconnects when the connection drops.
//!
//! `cargo run -p eventwire-reqwest --example events -- http://127.0.0.1:8080/events`

use std::env;
use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use eventwire_reqwest::{Item, RequestBuilderExt};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Some(url) = env::args_os().nth(1) else {
        eprintln!("events: expected one argument, a URL, such as http://127.0.0.1:8080/events");
        return ExitCode::FAILURE;
    };
    match print_events(&url.to_string_lossy()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("events: {error}; check the URL and the server");
            ExitCode::FAILURE
        }
    }
}

async fn print_events(url: &str) -> Result<(), Box<dyn Error>> {
    // The client's settings detect a dead connection over HTTP/2, and the idle timeout detects one over HTTP/1.1.
    let client = eventwire_reqwest::client_builder().build()?;
    let source = client.get(url).with_redirects(10).eventsource()?;
    let mut source = source.with_idle_timeout(Duration::from_secs(60));
    while let Some(item) = source.next().await {
        match item {
            Item::Event(event) => {
                let (event_type, id, data) = (event.event_type(), event.last_event_id(), event.data());
                // Escaped, because control characters could change the state of the terminal.
                println!("{} [{}] {data:?}", event_type.escape_debug(), id.escape_debug());
            }
            Item::Reconnecting { error, delay, .. } => {
                eprintln!("events: {error}; reconnecting in {delay:.1?}");
            }
            Item::Undecodable(error) => eprintln!("events: {error}"),
            _ => {}
        }
    }
    Ok(source.into_result()?)
}
