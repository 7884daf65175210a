//! A server with the Responses API. It follows a script, records the requests, and counts the prompts that it would
//! bill.

use serde_json::{Value, json};
use std::{
    io::{Error, ErrorKind, Result},
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpSocket, TcpStream},
    time::{Instant, sleep},
};

/// The reaction to one request. After it, the server closes the connection.
#[derive(Clone, Debug)]
pub(crate) enum Reaction {
    /// The server refuses the request with this response: status, headers and body. The model does not see the
    /// prompt.
    Refuse(&'static str),
    /// The model sees the prompt, or continues its answer.
    Run(Vec<Step>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// The head of an event stream.
    Head,
    /// This many of the next events.
    Events(usize),
    /// All remaining events.
    Rest,
    /// The first half of the next event.
    Half,
    /// These bytes.
    Send(&'static str),
    /// These bytes every ten seconds, until the client closes the connection.
    Repeat(&'static str),
    /// Nothing for a second, so that the client reads everything that was sent.
    Pause,
    /// Nothing, until the client closes the connection.
    Hang,
    /// A reset of the connection.
    Reset,
}

/// The model sees the prompt, or continues its answer.
pub(crate) fn run(steps: impl Into<Vec<Step>>) -> Reaction {
    Reaction::Run(steps.into())
}

/// The complete stream.
pub(crate) fn whole() -> Reaction {
    run([Step::Head, Step::Rest])
}

/// The pieces of the text.
pub(crate) const PIECES: [&str; 4] = ["One, ", "two, ", "three, ", "déjà vu."];
/// How many events there are before the first piece.
pub(crate) const BEFORE_TEXT: usize = 2;

#[derive(Debug)]
pub(crate) struct Server {
    address: SocketAddr,
    log: Arc<Mutex<Log>>,
}

#[derive(Debug, Default)]
pub(crate) struct Log {
    /// The method and the rest of the URL after `/v1/responses`.
    pub(crate) requests: Vec<String>,
    /// When the requests arrived.
    pub(crate) times: Vec<Instant>,
    /// How often the model saw a prompt.
    pub(crate) billed: usize,
}

impl Server {
    /// Serves on the loopback interface until the runtime ends.
    pub(crate) fn start(script: impl Into<Vec<Reaction>>) -> Server {
        Server::start_after(Duration::ZERO, script)
    }

    /// The same, but connections are refused until this delay has passed.
    pub(crate) fn start_after(delay: Duration, script: impl Into<Vec<Reaction>>) -> Server {
        // A port that is bound, but not listened on, refuses connections, and no other process can get it.
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let server = Server { address: socket.local_addr().unwrap(), log: Arc::default() };
        let (log, script) = (Arc::clone(&server.log), Arc::from(script.into()));
        if delay.is_zero() {
            tokio::spawn(accept(socket.listen(16).unwrap(), script, log));
        } else {
            tokio::spawn(async move {
                sleep(delay).await;
                accept(socket.listen(16).unwrap(), script, log).await;
            });
        }
        server
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub(crate) fn take_log(&self) -> Log {
        std::mem::take(&mut self.log.lock().unwrap())
    }
}

async fn accept(listener: TcpListener, script: Arc<[Reaction]>, log: Arc<Mutex<Log>>) {
    loop {
        let (client, _) = listener.accept().await.unwrap();
        // An error means that the client closed the connection, which it may do at any time.
        tokio::spawn(serve(client, Arc::clone(&script), Arc::clone(&log)));
    }
}

async fn serve(client: TcpStream, script: Arc<[Reaction]>, log: Arc<Mutex<Log>>) -> Result<()> {
    client.set_nodelay(true)?;
    let mut client = BufReader::new(client);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if client.read_line(&mut head).await? == 0 {
            return Ok(());
        }
    }
    let mut body = vec![0; header(&head, "content-length").map_or(0, |length| length.parse().unwrap())];
    client.read_exact(&mut body).await?;
    let (reaction, after) = {
        let mut log = log.lock().unwrap();
        let reaction = script.get(log.requests.len()).cloned();
        let target = head.split(' ').nth(1).unwrap();
        let method = head.split(' ').next().unwrap();
        log.requests.push(format!("{method} {}", target.strip_prefix("/v1/responses").unwrap_or("elsewhere")));
        log.times.push(Instant::now());
        let next_event = first_event(&head, &body, log.billed);
        if let (Some(Reaction::Run(_)), Ok(0)) = (&reaction, &next_event) {
            log.billed += usize::from(method == "POST");
        }
        (reaction, next_event)
    };
    let mut client = client.into_inner();
    let (steps, next_event) = match (reaction, after) {
        (Some(Reaction::Run(steps)), Ok(next_event)) => (steps, next_event),
        (Some(Reaction::Refuse(response)), Ok(_)) => {
            client.write_all(format!("HTTP/1.1 {response}").as_bytes()).await?;
            (Vec::new(), 0)
        }
        (None, _) => {
            client.write_all(b"HTTP/1.1 410 Gone\r\nConnection: close\r\n\r\nthe script has ended").await?;
            (Vec::new(), 0)
        }
        (_, Err(reason)) => {
            client
                .write_all(format!("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n{reason}").as_bytes())
                .await?;
            (Vec::new(), 0)
        }
    };
    play(&mut client, &steps, next_event).await?;
    client.shutdown().await?;
    // Closing the connection with unread bytes would reset it.
    client.read_to_end(&mut Vec::new()).await?;
    Ok(())
}

/// Returns the number of the first event that the request asks for, or what is wrong with the request.
fn first_event(head: &str, body: &[u8], billed: usize) -> std::result::Result<usize, &'static str> {
    if header(head, "accept") != Some("text/event-stream") {
        return Err("this is a stream of events");
    }
    let line = head.split(" HTTP/").next().unwrap();
    if line == "POST /v1/responses" {
        let question = json!({ "model": "any", "input": "prompt", "stream": true, "background": true });
        return match serde_json::from_slice::<Value>(body) {
            Ok(found) if found == question => Ok(0),
            _ => Err("this is not the question"),
        };
    }
    match line.strip_prefix("GET /v1/responses/resp_1?stream=true&starting_after=") {
        Some(number) if billed > 0 => number.parse::<usize>().map(|number| number + 1).map_err(|_| "no number"),
        _ => Err("there is no such response"),
    }
}

async fn play(client: &mut TcpStream, steps: &[Step], mut next_event: usize) -> Result<()> {
    let events = events();
    for step in steps {
        let bytes = match step {
            Step::Head => "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n".to_owned(),
            Step::Events(count) => {
                next_event += count;
                events[next_event - count..next_event].concat()
            }
            Step::Rest => events[next_event..].concat(),
            Step::Half => events[next_event][..events[next_event].len() / 2].to_owned(),
            Step::Send(bytes) => (*bytes).to_owned(),
            Step::Repeat(bytes) => loop {
                client.write_all(bytes.as_bytes()).await?;
                sleep(Duration::from_secs(10)).await;
            },
            Step::Pause => {
                sleep(Duration::from_secs(1)).await;
                continue;
            }
            Step::Hang => {
                client.read_to_end(&mut Vec::new()).await?;
                return Err(Error::from(ErrorKind::ConnectionAborted));
            }
            Step::Reset => {
                client.set_zero_linger()?;
                return Err(Error::from(ErrorKind::ConnectionReset));
            }
        };
        client.write_all(bytes.as_bytes()).await?;
    }
    Ok(())
}

/// The stream as OpenAI sends it, event by event.
fn events() -> Vec<String> {
    let text = PIECES.concat();
    let mut events = vec![
        json!({ "type": "response.created", "response": { "id": "resp_1", "status": "in_progress", "output": [] } }),
        json!({ "type": "response.output_item.added", "output_index": 0, "item": { "type": "message", "content": [] } }),
    ];
    assert_eq!(events.len(), BEFORE_TEXT);
    events.extend(
        PIECES.map(|piece| json!({ "type": "response.output_text.delta", "item_id": "msg_1", "delta": piece })),
    );
    events.push(json!({ "type": "response.output_text.done", "item_id": "msg_1", "text": text }));
    events.push(json!({ "type": "response.completed", "response": response(&text) }));
    let numbered = events.into_iter().enumerate().map(|(number, mut event)| {
        event["sequence_number"] = number.into();
        format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())
    });
    numbered.collect()
}

fn response(text: &str) -> Value {
    json!({
        "id": "resp_1", "object": "response", "status": "completed", "error": null, "incomplete_details": null,
        "output": [
            { "type": "reasoning", "summary": [] },
            { "type": "message", "content": [{ "type": "output_text", "annotations": [], "text": text }] },
        ],
        "usage": { "input_tokens": 3, "output_tokens": 9, "total_tokens": 12 },
    })
}

fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let mut lines = head.split("\r\n").filter_map(|line| line.split_once(':'));
    lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}
