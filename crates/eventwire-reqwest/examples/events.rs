//! `.eventsource()` makes a request of reqwest's a stream of events that stays connected. Run it with
//! `cargo run --example reqwest --features reqwest -- http://127.0.0.1:8080/events`.

use std::error::Error;
use std::process::ExitCode;

use eventwire::client::RequestBuilderExt;
use futures_util::StreamExt;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Some(url) = std::env::args().nth(1) else {
        eprintln!("usage: cargo run --example reqwest --features reqwest -- URL");
        return ExitCode::FAILURE;
    };
    match print_events(&url).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The reason is often a layer or two down.
            let mut line = format!("reqwest: {error}");
            let mut cause = error.source();
            while let Some(error) = cause {
                line += &format!(": {error}");
                cause = error.source();
            }
            eprintln!("{line}; check the URL, and the server behind it");
            ExitCode::FAILURE
        }
    }
}

async fn print_events(url: &str) -> Result<(), Box<dyn Error>> {
    let mut events = reqwest::Client::new().get(url).eventsource()?.events();
    while let Some(event) = events.next().await {
        let event = event?;
        println!("{} [{}] {:?}", event.event_type(), event.id(), event.data());
    }
    Ok(())
}
