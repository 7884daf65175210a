//! A server with the Responses API that follows a script.

use std::io::Result;
use std::slice::SliceIndex;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep};

/// The answer to one request. After it, the server closes the connection.
#[derive(Clone)]
pub(crate) struct Reply {
    bytes: String,
    then: Then,
}

#[derive(Clone, Copy)]
enum Then {
    Close,
    /// Nothing, until the client closes the connection.
    Hang,
    /// These bytes every ten seconds, until the client closes the connection.
    Repeat(&'static str),
}

/// Status, headers and body.
pub(crate) fn reply(bytes: &str) -> Reply {
    let (head, body) = bytes.split_once("\r\n\r\n").unwrap_or((bytes, ""));
    Reply { bytes: format!("HTTP/1.1 {head}\r\nConnection: close\r\n\r\n{body}"), then: Then::Close }
}

/// An event stream of these bytes.
pub(crate) fn stream_of(events: &str) -> Reply {
    reply(&format!("200 OK\r\nContent-Type: text/event-stream\r\n\r\n{events}"))
}

/// An event stream of these events of the answer.
pub(crate) fn stream(range: impl SliceIndex<[String], Output = [String]>) -> Reply {
    stream_of(&events()[range].concat())
}

impl Reply {
    /// Adds the first half of this event.
    pub(crate) fn half(mut self, event: usize) -> Reply {
        let event = events().swap_remove(event);
        self.bytes += &event[..event.len() / 2];
        self
    }

    pub(crate) fn hang(self) -> Reply {
        Reply { then: Then::Hang, ..self }
    }

    pub(crate) fn repeat(self, bytes: &'static str) -> Reply {
        Reply { then: Then::Repeat(bytes), ..self }
    }
}

/// The pieces of the text.
pub(crate) const PIECES: [&str; 4] = ["One, ", "two, ", "three, ", "déjà vu."];

/// Returns the stream as OpenAI sends it, event by event. The pieces of the text are the events 2 to 5.
fn events() -> Vec<String> {
    let text = PIECES.concat();
    let output = json!([
        { "type": "reasoning", "summary": [] },
        { "type": "message", "content": [{ "type": "output_text", "annotations": [], "text": text }] },
    ]);
    let usage = json!({ "input_tokens": 3, "output_tokens": 9, "total_tokens": 12 });
    let response = json!({ "id": "resp_1", "status": "completed", "error": null, "output": output, "usage": usage });
    let mut events = vec![
        json!({ "type": "response.created", "response": { "id": "resp_1", "status": "in_progress", "output": [] } }),
        json!({ "type": "response.output_item.added", "output_index": 0, "item": { "type": "message", "content": [] } }),
    ];
    events.extend(PIECES.map(|piece| json!({ "type": "response.output_text.delta", "delta": piece })));
    events.push(json!({ "type": "response.output_text.done", "text": text }));
    events.push(json!({ "type": "response.completed", "response": response }));
    let numbered = events.into_iter().enumerate().map(|(number, mut event)| {
        event["sequence_number"] = number.into();
        format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())
    });
    numbered.collect()
}

/// The requests so far: the method, the rest of the URL after `/v1/responses`, and when each arrived.
pub(crate) type Requests = Arc<Mutex<Vec<(String, Instant)>>>;

/// Serves on the loopback interface until the runtime ends. After the script, it answers 410.
pub(crate) async fn start(script: Vec<Reply>) -> (String, Requests) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    let requests = Requests::default();
    let log = Arc::clone(&requests);
    tokio::spawn(async move {
        let mut script = script.into_iter();
        loop {
            let (client, _) = listener.accept().await.unwrap();
            // An error means that the client closed the connection, which it may do at any time.
            tokio::spawn(serve(client, script.next().unwrap_or_else(|| reply("410 Gone")), Arc::clone(&log)));
        }
    });
    (base_url, requests)
}

async fn serve(client: TcpStream, reply: Reply, requests: Requests) -> Result<()> {
    client.set_nodelay(true)?;
    let mut client = BufReader::new(client);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if client.read_line(&mut head).await? == 0 {
            return Ok(());
        }
    }
    let head = head.to_lowercase();
    let mut body = Vec::new();
    if let Some((_, length)) = head.split_once("content-length: ") {
        body = vec![0; length.lines().next().unwrap().parse().unwrap()];
        client.read_exact(&mut body).await?;
    }
    let (request, headers) = head.split_once(" http/1.1").unwrap();
    let request = request.replace("post ", "POST ").replace("get ", "GET ").replace("/v1/responses", "");
    requests.lock().unwrap().push((request.clone(), Instant::now()));
    let question = json!({ "model": "any", "input": "prompt", "stream": true, "background": true });
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    if !headers.contains("accept: text/event-stream") || request.starts_with("POST ") && body != question {
        client.write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n").await?;
        return client.shutdown().await;
    }
    client.write_all(reply.bytes.as_bytes()).await?;
    match reply.then {
        Then::Close => client.shutdown().await?,
        Then::Hang => {}
        Then::Repeat(bytes) => loop {
            client.write_all(bytes.as_bytes()).await?;
            sleep(Duration::from_secs(10)).await;
        },
    }
    // Closing the connection with unread bytes would reset it.
    client.read_to_end(&mut Vec::new()).await?;
    Ok(())
}
