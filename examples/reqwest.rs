//! `.eventsource()` turns the body of a reqwest response into a stream of events. Run it with
//! `cargo run --example reqwest -- http://127.0.0.1:8080/events`.

use std::error::Error;
use std::process::ExitCode;

use eventwire::Eventsource;
use futures_util::StreamExt;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Some(url) = std::env::args().nth(1) else {
        eprintln!("usage: cargo run --example reqwest -- URL");
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
            eprintln!("{line}");
            ExitCode::FAILURE
        }
    }
}

async fn print_events(url: &str) -> Result<(), Box<dyn Error>> {
    let request = reqwest::Client::new().get(url).header("Accept", "text/event-stream");
    let response = request.send().await?.error_for_status()?;

    let mut events = response.bytes_stream().eventsource();
    while let Some(event) = events.next().await {
        let event = event?;
        println!("{} [{}] {:?}", event.event_type(), event.id(), event.data());
    }
    Ok(())
}
