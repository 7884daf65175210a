//! A server that closes the connection in the middle of an answer.

use std::io::{self, BufRead, BufReader, Read, Result, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

pub(crate) const PROMPT: &str = "Tell me how you keep a long answer in one piece.";
const ANSWER: &str = "The connection breaks in the middle of this sentence, and the driver asks for the rest: no word is missing, \
    none is repeated, and you pay once.";
/// The answer to the POST ends inside this event.
const CUT: usize = 9;

/// Serves until the process ends, and returns its base URL. It logs each request to standard error.
pub(crate) fn start() -> Result<String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let base_url = format!("http://{}/v1", listener.local_addr()?);
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            // If the client is gone, the next one is served.
            let _ = serve(&client);
        }
    });
    Ok(base_url)
}

fn serve(mut client: &TcpStream) -> Result<()> {
    let mut reader = BufReader::new(client);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head)? > 0 {}
    let request = head.split(" HTTP/").next().unwrap_or_default();
    let _ = writeln!(io::stderr(), "-- {request}");
    // Closing a connection with unread bytes resets it, and the client loses what it has not read yet.
    let length =
        head.to_lowercase().split_once("content-length: ").and_then(|(_, rest)| rest.lines().next()?.parse().ok());
    reader.read_exact(&mut vec![0; length.unwrap_or(0)])?;
    client
        .write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\nretry: 100\n\n")?;
    let after = request.split_once("starting_after=").and_then(|(_, number)| number.parse().ok());
    for event in events().skip(after.map_or(0, |number: usize| number + 1)) {
        let text = format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
        if after.is_none() && event["sequence_number"] == CUT {
            return client.write_all(&text.as_bytes()[..text.len() / 2]);
        }
        client.write_all(text.as_bytes())?;
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// Returns the events of the answer, numbered from 0.
fn events() -> impl Iterator<Item = Value> {
    let words = ANSWER.split_inclusive(' ');
    let usage = json!({ "input_tokens": 11, "output_tokens": words.clone().count() });
    let response = json!({ "id": "resp_1", "status": "completed", "usage": usage });
    let first = json!({ "type": "response.created", "response": { "id": "resp_1", "status": "in_progress" } });
    let last = json!({ "type": "response.completed", "response": response });
    let deltas = words.map(|word| json!({ "type": "response.output_text.delta", "delta": word }));
    [first].into_iter().chain(deltas).chain([last]).enumerate().map(|(number, mut event)| {
        event["sequence_number"] = number.into();
        event
    })
}
