//! An HTTP/2 server that answers each request with the frames of a script. It answers no pings, as if its machine were
//! gone.

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};

const PREFACE: usize = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".len();

/// The [types of frames](https://www.rfc-editor.org/rfc/rfc9113#section-6).
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const GOAWAY: u8 = 7;

const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const ACK: u8 = 1;

/// The answer to a request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reply {
    /// An event stream with one event, which ends.
    Event,
    /// An event stream with one event, after which nothing comes.
    Silence,
    /// A response with this status, and a `Location` if there is one.
    Status(&'static str, Option<&'static str>),
    /// A reset of the stream with this error code.
    Reset(u32),
    /// The beginning of an event stream, and then a reset with this error code.
    Cut(&'static str, u32),
    /// Nothing until a GOAWAY, and then an event stream with one event, which ends.
    Held,
    /// The end of the connection, after a GOAWAY with this error code.
    GoAway(Last, u32),
}

/// The last stream in a GOAWAY, compared with the stream of the request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Last {
    Below,
    Same,
    Above,
}

pub(crate) struct RawHttp2 {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    requests: Arc<AtomicUsize>,
}

impl RawHttp2 {
    /// After the script, each request gets a 204.
    pub(crate) async fn start(script: &'static [Reply]) -> RawHttp2 {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let peer = RawHttp2 { address, connections: Arc::default(), requests: Arc::default() };
        let (connections, requests) = (Arc::clone(&peer.connections), Arc::clone(&peer.requests));
        tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                connections.fetch_add(1, Ordering::Relaxed);
                // A client may close a connection at any time, so errors are ignored.
                tokio::spawn(serve(client, script, Arc::clone(&requests)));
            }
        });
        peer
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/events", self.address)
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    /// Returns the number of streams that clients have opened.
    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }
}

async fn serve(client: TcpStream, script: &[Reply], requests: Arc<AtomicUsize>) -> io::Result<()> {
    let mut client = BufReader::new(client);
    client.read_exact(&mut [0; PREFACE]).await?;
    send(&mut client, SETTINGS, 0, 0, &[]).await?;
    let mut held = Vec::new();
    loop {
        let mut head = [0; 9];
        client.read_exact(&mut head).await?;
        let [a, b, c, frame_type, flags, stream @ ..] = head;
        let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
        client.read_exact(&mut payload).await?;
        match frame_type {
            SETTINGS if flags & ACK == 0 => send(&mut client, SETTINGS, ACK, 0, &[]).await?,
            HEADERS => {
                let number = requests.fetch_add(1, Ordering::Relaxed);
                let reply = script.get(number).copied().unwrap_or(Reply::Status("204", None));
                let stream = u32::from_be_bytes(stream);
                if matches!(reply, Reply::Held) {
                    held.push(stream);
                } else if !answer(&mut client, reply, stream).await? {
                    for stream in held {
                        answer(&mut client, Reply::Event, stream).await?;
                    }
                    client.shutdown().await?;
                    // Closing a connection with unread bytes would reset it.
                    client.read_to_end(&mut Vec::new()).await?;
                    return Ok(());
                }
            }
            _ => {}
        }
    }
}

/// Returns whether the connection stays open.
async fn answer(client: &mut BufReader<TcpStream>, reply: Reply, stream: u32) -> io::Result<bool> {
    match reply {
        Reply::Event | Reply::Silence => {
            let head = headers("200", Some((31, "text/event-stream")));
            send(client, HEADERS, END_HEADERS, stream, &head).await?;
            let flags = if matches!(reply, Reply::Event) { END_STREAM } else { 0 };
            send(client, DATA, flags, stream, b"data: a\n\n").await?;
        }
        Reply::Cut(body, code) => {
            let head = headers("200", Some((31, "text/event-stream")));
            send(client, HEADERS, END_HEADERS, stream, &head).await?;
            send(client, DATA, 0, stream, body.as_bytes()).await?;
            send(client, RST_STREAM, 0, stream, &code.to_be_bytes()).await?;
        }
        Reply::Status(status, location) => {
            let head = headers(status, location.map(|location| (46, location)));
            send(client, HEADERS, END_HEADERS | END_STREAM, stream, &head).await?;
        }
        Reply::Held => {}
        Reply::Reset(code) => send(client, RST_STREAM, 0, stream, &code.to_be_bytes()).await?,
        Reply::GoAway(last, code) => {
            let last = match last {
                Last::Below => stream.saturating_sub(2),
                Last::Same => stream,
                Last::Above => 0x7FFF_FFFF,
            };
            send(client, GOAWAY, 0, 0, &[last.to_be_bytes(), code.to_be_bytes()].concat()).await?;
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns a status and a header in [HPACK], by its number in the static table.
///
/// [HPACK]: https://www.rfc-editor.org/rfc/rfc7541#appendix-A
fn headers(status: &str, header: Option<(u8, &str)>) -> Vec<u8> {
    let mut block = vec![8, 3];
    block.extend(status.bytes());
    if let Some((index, value)) = header {
        // The index does not fit into four bits.
        block.extend([15, index - 15, u8::try_from(value.len()).unwrap()]);
        block.extend(value.bytes());
    }
    block
}

async fn send(
    client: &mut BufReader<TcpStream>,
    frame_type: u8,
    flags: u8,
    stream: u32,
    payload: &[u8],
) -> io::Result<()> {
    let mut frame = u32::try_from(payload.len()).unwrap().to_be_bytes()[1..].to_vec();
    frame.extend([frame_type, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    client.write_all(&frame).await
}
