//! A chat stream, served over HTTP on the loopback interface.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

const TEXT: &str = "An event is over with its blank line: déjà vu, 日本語, 🦀, anything.";

/// Starts serving, and returns the URL. It serves one response.
pub(crate) fn serve() -> io::Result<String> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let url = format!("http://{}/chat", listener.local_addr()?);
    thread::spawn(move || {
        let (client, _) = listener.accept()?;
        // A write fails if the client has gone, and then there is nobody to report it to.
        answer(client)
    });
    Ok(url)
}

fn answer(mut client: TcpStream) -> io::Result<()> {
    // Otherwise the kernel would join small chunks, and the cuts would be lost.
    client.set_nodelay(true)?;
    for line in BufReader::new(&client).lines() {
        if line?.is_empty() {
            break;
        }
    }
    client.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n")?;
    client.write_all(b"Cache-Control: no-cache\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n")?;
    let stream = stream();
    for chunk in awkward(stream.as_bytes()) {
        let mut framed = format!("{:x}\r\n", chunk.len()).into_bytes();
        framed.extend_from_slice(chunk);
        framed.extend_from_slice(b"\r\n");
        client.write_all(&framed)?;
        thread::sleep(Duration::from_millis(30));
    }
    client.write_all(b"0\r\n\r\n")
}

/// A stream like those of language models: each event is a JSON object with a word in it, and the last one is `[DONE]`.
fn stream() -> String {
    let mut stream = String::from(": welcome\r\nretry: 3000\r\n\r\n");
    stream += &format!("id: chat-1\r\ndata: {}\r\n\r\n", chunk(&json!({ "role": "assistant" }), None));
    for (place, word) in TEXT.split_inclusive(' ').enumerate() {
        if place % 5 == 4 {
            stream += ": still here\r\n\r\n";
        }
        stream += &format!("data: {}\r\n\r\n", chunk(&json!({ "content": word }), None));
    }
    stream += &format!("data: {}\r\n\r\n", chunk(&json!({}), Some("stop")));
    stream += "event: usage\r\nid: chat-2\r\ndata: {\r\ndata:   \"completion_tokens\": 12\r\ndata: }\r\n\r\n";
    stream + "data: [DONE]\r\n\r\n"
}

fn chunk(delta: &Value, finish_reason: Option<&str>) -> Value {
    json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": finish_reason }] })
}

/// Cuts inside each character of more than one byte, inside each CRLF, and after 60 bytes at the latest.
fn awkward(mut rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let is_awkward = |at: &usize| rest[*at] & 0b1100_0000 == 0b1000_0000 || rest[*at] == b'\n';
        let end = rest.len().min(60);
        let (chunk, after) = rest.split_at((1..end).find(is_awkward).unwrap_or(end));
        rest = after;
        (!chunk.is_empty()).then_some(chunk)
    })
}
