//! A client that stays connected, over hyper-util's HTTP client: a connector is a function from an attempt to a response.
//! Run it with `cargo run --example hyper --features client,tokio -- http://127.0.0.1:8080/events`.

use std::error::Error;
use std::process::ExitCode;

use eventwire::TokioTimer;
use eventwire::client::{Attempt, ConnectionError, EventSource, Item};
use futures_util::StreamExt;
use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::{Request, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;

type BoxError = Box<dyn Error + Send + Sync>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Some(Ok(url)) = std::env::args().nth(1).map(|url| url.parse::<Uri>()) else {
        eprintln!("usage: cargo run --example hyper --features client,tokio -- URL");
        return ExitCode::FAILURE;
    };

    let client = Client::builder(TokioExecutor::new()).build_http();
    let connector = |attempt: Attempt| {
        let client = client.clone();
        let url = url.clone();
        async move {
            let mut request = Request::get(url).body(Empty::<Bytes>::new())?;
            attempt.add_to(request.headers_mut());
            let response = client.request(request).await?;
            Ok::<_, BoxError>(response.map(BodyExt::into_data_stream))
        }
    };

    let mut source = EventSource::with_connector(connector, TokioTimer);
    while let Some(item) = source.next().await {
        match item {
            Item::Event(event) => println!("{} [{}] {:?}", event.event_type(), event.id(), event.data()),
            Item::Reconnecting { error, delay, .. } => {
                eprintln!("hyper: {}; again in {:.1} s", reason(&error), delay.as_secs_f64());
            }
            _ => {}
        }
    }
    let stopped = source.into_stopped();
    if stopped.is_failure() {
        let reason = stopped.error().map(reason).unwrap_or_default();
        eprintln!("hyper: {stopped}: {reason}; check the URL, and the server behind it");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// HTTP clients wrap the reason in layer after layer; the innermost says what happened.
fn reason(error: &ConnectionError<BoxError>) -> String {
    let ConnectionError::Transport(error) = error else { return error.to_string() };
    let mut error: &dyn Error = error.as_ref();
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}
