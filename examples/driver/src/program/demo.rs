//! A server that closes the connection in the middle of an answer.

use serde_json::{Value, json};
use std::{
    io::{self, Write},
    net::Ipv4Addr,
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    time::sleep,
};

const ANSWER: &str = "The connection breaks in the middle of this sentence, and the driver asks for the rest: no word is missing, \
    none is repeated, and you pay once.";
/// The answer to the POST ends inside this event.
const CUT: usize = 9;

/// Serves until the runtime ends, and returns its base URL. It logs each request to standard error.
pub(super) async fn start() -> io::Result<String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let base_url = format!("http://{}/v1", listener.local_addr()?);
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            tokio::spawn(serve(client));
        }
    });
    Ok(base_url)
}

async fn serve(client: TcpStream) -> io::Result<()> {
    let mut client = BufReader::new(client);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if client.read_line(&mut head).await? == 0 {
            return Ok(());
        }
    }
    let request = head.split(" HTTP/").next().unwrap_or_default();
    let _ = writeln!(io::stderr(), "-- {request}");
    // Closing a connection with unread bytes resets it, and the client loses what it has not read yet.
    let length =
        head.to_lowercase().split_once("content-length: ").and_then(|(_, rest)| rest.lines().next()?.parse().ok());
    client.read_exact(&mut vec![0; length.unwrap_or(0)]).await?;
    client
        .write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\nretry: 100\n\n")
        .await?;
    let after = request.split_once("starting_after=").and_then(|(_, number)| number.parse().ok());
    for event in events().iter().skip(after.map_or(0, |number: usize| number + 1)) {
        let text = format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
        if after.is_none() && event["sequence_number"] == CUT {
            return client.write_all(&text.as_bytes()[..text.len() / 2]).await;
        }
        client.write_all(text.as_bytes()).await?;
        sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

/// The events of the answer, numbered from 0.
fn events() -> Vec<Value> {
    let words = ANSWER.split_inclusive(' ');
    let mut events =
        vec![json!({ "type": "response.created", "response": { "id": "resp_1", "status": "in_progress" } })];
    events.extend(words.clone().map(|word| json!({ "type": "response.output_text.delta", "delta": word })));
    let usage = json!({ "input_tokens": 11, "output_tokens": words.count() });
    let response = json!({ "id": "resp_1", "status": "completed", "usage": usage });
    events.push(json!({ "type": "response.completed", "response": response }));
    for (number, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = number.into();
    }
    events
}
