//! A server of HTTP/2, frame by frame.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::json;

use crate::record::{Recording, new_file, start};

const PEM: &[u8] = include_bytes!("../cli/self-signed.pem");
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// The types of frames, and their flags: RFC 9113, section 6.
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const END_STREAM: u8 = 1;
const ACK: u8 = 1;
const END_HEADERS: u8 = 4;

type Stream = StreamOwned<ServerConnection, TcpStream>;

/// Writes a frame of stream 1, or of the connection.
fn send(client: &mut Stream, kind: u8, flags: u8, payload: &[u8]) {
    let length = u8::try_from(payload.len()).unwrap();
    let stream = u8::from(kind != SETTINGS);
    client.write_all(&[&[0, 0, length, kind, flags, 0, 0, 0, stream], payload].concat()).unwrap();
    client.flush().unwrap();
}

/// Reads a frame, and returns its type.
fn receive(client: &mut Stream) -> u8 {
    let mut head = [0; 9];
    client.read_exact(&mut head).unwrap();
    let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
    client.read_exact(&mut vec![0; length.try_into().unwrap()]).unwrap();
    head[3]
}

/// Answers one request with an event stream, whose body is sent by this function. Returns the URL.
fn serve(body: impl FnOnce(&mut Stream) + Send + 'static) -> String {
    let certificate = CertificateDer::from_pem_slice(PEM).unwrap();
    let key = PrivateKeyDer::from_pem_slice(PEM).unwrap();
    let mut config = ServerConfig::builder().with_no_client_auth().with_single_cert(vec![certificate], key).unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("https://{}/events", listener.local_addr().unwrap());
    thread::spawn(move || {
        let tls = ServerConnection::new(Arc::new(config)).unwrap();
        let mut client = StreamOwned::new(tls, listener.accept().unwrap().0);
        let mut preface = [0; PREFACE.len()];
        client.read_exact(&mut preface).unwrap();
        assert_eq!(preface, PREFACE);
        send(&mut client, SETTINGS, 0, &[]);
        send(&mut client, SETTINGS, ACK, &[]);
        while receive(&mut client) != HEADERS {}
        // `:status: 200`, and number 31 of the static table, `content-type`: RFC 7541, appendix A.
        let value = b"text/event-stream";
        let headers = [&[0x88, 0x0F, 0x10, u8::try_from(value.len()).unwrap()], &value[..]].concat();
        send(&mut client, HEADERS, END_HEADERS, &headers);
        body(&mut client);
        // Until the client has left.
        let _ = client.read_to_end(&mut Vec::new());
    });
    url
}

#[test]
fn a_chunk_is_a_data_frame() {
    let url = serve(|client| {
        for data in ["data: 1\n\nda", "ta: 2\n", "\n"] {
            send(client, DATA, 0, data.as_bytes());
        }
        send(client, DATA, END_STREAM, b": end\n");
    });
    let file = new_file("http2");
    let end = start(&["-k", "-i"], &url, &file).end();
    end.printed("HTTP/2.0 200 OK\ncontent-type: text/event-stream\n\nmessage 1\nmessage 2\n");
    let recording = Recording::read(&file);
    assert_eq!(recording.chunks(), [&b"data: 1\n\nda"[..], b"ta: 2\n", b"\n", b": end\n"]);
    assert_eq!(recording.ends(), ["complete"]);
    assert_eq!(recording.all("request")[0]["url"], json!(url));
}

/// The stream is reset, not the connection. What a client sees is a body that is not complete.
#[test]
fn a_stream_that_is_reset_breaks_off() {
    let url = serve(|client| {
        send(client, DATA, 0, b"data: 1\n\n");
        // INTERNAL_ERROR
        send(client, RST_STREAM, 0, &[0, 0, 0, 2]);
    });
    let file = new_file("http2-reset");
    start(&["-k"], &url, &file).end().failed("message 1\n", &["body error"]);
    assert_eq!(Recording::read(&file).ends(), ["close"]);
}
