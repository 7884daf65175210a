//! `.eventsource()` over a hyper response: http-body-util makes a stream of the body's data, and that is all the
//! decoder asks for. Run it with `cargo run --example hyper -- http://127.0.0.1:8080/events`.

use std::error::Error;
use std::process::ExitCode;

use eventwire::Eventsource;
use futures_util::StreamExt;
use http_body_util::{BodyExt, Empty};
use hyper::Request;
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Some(url) = std::env::args().nth(1) else {
        eprintln!("usage: cargo run --example hyper -- URL");
        return ExitCode::FAILURE;
    };
    match print_events(&url).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The reason is often a layer or two down.
            let mut line = format!("hyper: {error}");
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
    let request = Request::get(url).header("Accept", "text/event-stream").body(Empty::<Bytes>::new())?;
    let response = Client::builder(TokioExecutor::new()).build_http().request(request).await?;
    if response.status() != 200 {
        return Err(format!("the server answered {}", response.status()).into());
    }

    let mut events = response.into_body().into_data_stream().eventsource();
    while let Some(event) = events.next().await {
        let event = event?;
        println!("{} [{}] {:?}", event.event_type(), event.id(), event.data());
    }
    Ok(())
}
