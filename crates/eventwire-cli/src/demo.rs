//! A chat stream, served over HTTP on the loopback interface. It is split into chunks at awkward places.

use std::fmt;
use std::io::{self, BufRead, BufReader, Write};
use std::iter;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

const TEXT: &str = "An event ends with a blank line: déjà vu, 日本語, 🦀, anything.";

/// The running server. It serves until the program exits.
pub(crate) struct Demo {
    pub(crate) url: String,
    chunks: usize,
}

impl Demo {
    pub(crate) fn serve() -> io::Result<Demo> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let url = format!("http://{}/chat", listener.local_addr()?);
        let stream: Arc<str> = stream().into();
        let chunks = awkward(stream.as_bytes()).count();
        thread::spawn(move || {
            // A user who opens the printed URL gets the stream as well.
            for client in listener.incoming().map_while(Result::ok) {
                let stream = Arc::clone(&stream);
                // A write fails if the client has closed the connection. That is not an error.
                thread::spawn(move || answer(client, stream.as_bytes()));
            }
        });
        Ok(Demo { url, chunks })
    }
}

impl fmt::Display for Demo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Demo { url, chunks } = self;
        write!(
            f,
            "serving a chat stream on {url} in {chunks} chunks, split inside characters and CRLFs, and printing its events"
        )
    }
}

fn answer(mut client: TcpStream, stream: &[u8]) -> io::Result<()> {
    // Otherwise the kernel would join small chunks.
    client.set_nodelay(true)?;
    for line in BufReader::new(&client).lines() {
        if line?.is_empty() {
            break;
        }
    }
    client.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n")?;
    client.write_all(b"Cache-Control: no-cache\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n")?;
    for chunk in awkward(stream) {
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

/// Splits inside each character of more than one byte, inside each CRLF, and after 60 bytes at the latest.
fn awkward(mut rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    iter::from_fn(move || {
        let is_awkward = |at: &usize| rest[*at] & 0b1100_0000 == 0b1000_0000 || rest[*at] == b'\n';
        let end = rest.len().min(60);
        let (chunk, after) = rest.split_at((1..end).find(is_awkward).unwrap_or(end));
        rest = after;
        (!chunk.is_empty()).then_some(chunk)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn every_character_and_every_crlf_is_split() {
        let stream = stream();
        let bytes = stream.as_bytes();
        let chunks: Vec<&[u8]> = awkward(bytes).collect();
        assert_eq!(chunks.concat(), bytes);
        assert!(chunks.iter().all(|chunk| (1..=60).contains(&chunk.len())), "{chunks:?}");

        let mut cuts = Vec::new();
        for chunk in chunks {
            cuts.push(cuts.last().unwrap_or(&0) + chunk.len());
        }
        let inside_characters: Vec<usize> = (0..bytes.len()).filter(|&at| !stream.is_char_boundary(at)).collect();
        let inside_crlfs: Vec<usize> = stream.match_indices("\r\n").map(|(at, _)| at + 1).collect();
        // There are two characters of two bytes, three of three and one of four. All lines end with CRLF.
        assert_eq!((inside_characters.len(), inside_crlfs.len()), (2 + 3 * 2 + 3, stream.lines().count()));
        for cut in inside_characters.iter().chain(&inside_crlfs) {
            assert!(cuts.contains(cut), "no cut at byte {cut} of {stream:?}");
        }
    }

    #[test]
    fn the_line_has_the_url_and_the_number_of_chunks_that_are_served() {
        let demo = Demo::serve().unwrap();
        let address = demo.url.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/chat")).unwrap();
        // One connection is the program's, the other that of a user who opens the URL.
        let responses = thread::scope(|scope| {
            let connections = [(); 2].map(|()| scope.spawn(|| chunks_of(address)));
            connections.map(|connection| connection.join().unwrap())
        });
        for chunks in responses {
            assert_eq!(chunks.concat(), stream().as_bytes());
            let line = format!("serving a chat stream on {} in {} chunks, split ", demo.url, chunks.len());
            assert!(demo.to_string().starts_with(&line), "{line:?} is not how {:?} starts", demo.to_string());
        }
    }

    /// Returns the chunks of the response, without their HTTP framing.
    fn chunks_of(address: &str) -> Vec<Vec<u8>> {
        let mut server = TcpStream::connect(address).unwrap();
        server.write_all(b"GET /chat HTTP/1.1\r\n\r\n").unwrap();
        let mut reader = BufReader::new(server);
        // The head, which ends with an empty line.
        while !line(&mut reader).is_empty() {}
        let mut chunks = Vec::new();
        loop {
            let length = usize::from_str_radix(&line(&mut reader), 16).unwrap();
            let mut chunk = vec![0; length];
            reader.read_exact(&mut chunk).unwrap();
            assert_eq!(line(&mut reader), "");
            if chunk.is_empty() {
                return chunks;
            }
            chunks.push(chunk);
        }
    }

    fn line(reader: &mut impl BufRead) -> String {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        line.strip_suffix("\r\n").expect(&line).to_owned()
    }
}
