//! A recording that is served again.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use eventwire_test::{End, Script, TestServer};
use eventwire_test_support::PATIENCE;
use gateway::Settings;
use tokio::runtime::Runtime;

use crate::record::answer::{self, Answer};
use crate::record::{Recording, get, new_file, start};

/// Starts a gateway, and returns its address.
fn gateway() -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        Runtime::new().unwrap().block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            let delay = Duration::from_millis(20);
            gateway::serve(listener, Settings { delay, ..Settings::default() }).await.unwrap();
        });
    });
    address
}

/// Passes one connection on to this address. Returns the address of the relay, and what the server sends.
fn relay(address: String) -> (String, Receiver<Vec<u8>>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let own = listener.local_addr().unwrap().to_string();
    let (seen, wait) = mpsc::channel();
    thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let mut server = TcpStream::connect(address).unwrap();
        let (mut from_client, mut to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
        thread::spawn(move || {
            let _ = std::io::copy(&mut from_client, &mut to_server);
            let _ = to_server.shutdown(Shutdown::Write);
        });
        let (mut all, mut buffer) = (Vec::new(), [0; 16 * 1024]);
        while let Ok(length @ 1..) = server.read(&mut buffer) {
            all.extend_from_slice(&buffer[..length]);
            if client.write_all(&buffer[..length]).is_err() {
                break;
            }
        }
        seen.send(all).unwrap();
    });
    (own, wait)
}

/// Serves the answers of a recording to one connection after the other.
fn served(file: &std::path::Path) -> Vec<Answer> {
    let answers = Script::read(file).unwrap();
    let count = answers.len();
    let server = TestServer::new().answers(answers);
    (0..count).map(|_| get(&server.url())).collect()
}

#[test]
fn a_recording_of_the_gateway_is_the_same_bytes_in_the_same_chunks() {
    let (address, sent) = relay(gateway());
    let file = new_file("gateway");
    let body = r#"{"model":"echo","stream":true,"messages":[{"role":"user","content":"one two, déjà vu 日本語 🦀"}]}"#;
    let url = format!("http://{address}/v1/chat/completions");
    let end = start(&["-d", body, "--select", "choices.0.delta.content"], &url, &file).end();
    assert_eq!((end.code, end.out.as_str()), (Some(0), "one two, déjà vu 日本語 🦀\n"), "{}", end.err);
    let sent = Answer { bytes: sent.recv_timeout(PATIENCE).unwrap(), end: answer::End::Fin };
    let (chunks, _) = sent.chunks();
    assert!(chunks.len() > 5, "{sent:?}");

    let [again] = &served(&file)[..] else { panic!("one answer") };
    assert_eq!(again.chunks(), (chunks, true));
    assert_eq!(Recording::read(&file).ends(), ["complete"]);
    let head = again.head();
    let (status, headers) = head.split_once("\r\n").unwrap();
    assert_eq!(status, "HTTP/1.1 200 OK");
    for header in ["content-type: text/event-stream", "cache-control: no-cache, no-transform", "x-accel-buffering: no"]
    {
        assert!(sent.head().contains(header) && headers.contains(header), "{header}: {headers} {sent:?}");
    }
}

#[test]
fn split_characters_and_compressed_bytes_are_served_again() {
    let chunks: [&[u8]; 5] = [b"data: \xF0\x9F", b"\xA6\x80\n\n", b"\xFF\xFE\0\x1F\x8B", b"\r", b"\ndata: \"\\\n\n"];
    let server = TestServer::new().answer(chunks.into_iter().fold(Script::new(), Script::send));
    let file = new_file("again");
    assert_eq!(start(&[], &server.url(), &file).end().code, Some(0));
    assert_eq!(Recording::read(&file).chunks(), chunks);
    let [again] = &served(&file)[..] else { panic!("one answer") };
    assert_eq!(again.chunks(), (chunks.map(<[u8]>::to_vec).to_vec(), true));
}

/// What broke off breaks off again, and what the user has ended is complete.
#[test]
fn ends_are_served_again() {
    for (options, is_complete) in [(&[][..], false), (&["-n", "1"], true)] {
        let file = new_file("ends-again");
        let server = TestServer::new().answer(Script::new().send("data: 1\n\n").with_end(End::Close));
        let _ = start(options, &server.url(), &file).end();
        let [again] = &served(&file)[..] else { panic!("one answer") };
        assert_eq!(again.chunks(), (vec![b"data: 1\n\n".to_vec()], is_complete));
    }
}
