//! The life of a server.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::mpsc;
use std::thread;

use eventwire::Event;
use eventwire_test::{End, Script, TestServer};

use crate::raw_reader::{PATIENCE, connect, get, read};

#[test]
fn after_the_last_answer() {
    let server = TestServer::new().answer(Script::status(204));
    get(&server.url(), "");
    let raw = get(&server.url(), "");
    assert!(raw.head.starts_with("HTTP/1.1 500 "), "{}", raw.head);
    assert_eq!(raw.rest, b"no answer is left for request 2: GET /events\n");
    assert_eq!(server.requests().len(), 2);
    // Another one may be added later.
    let server = server.answer(Script::status(204));
    assert!(get(&server.url(), "").head.starts_with("HTTP/1.1 204 "));
}

/// It is asked only when no script is left.
#[test]
fn answers_by_a_function() {
    let mut count = 0;
    let server = TestServer::new().answer(Script::status(204)).answer_with(move |request| {
        count += 1;
        Script::status(200).send(format!("{count} {}", request.uri().path()))
    });
    assert!(get(&server.url(), "").head.starts_with("HTTP/1.1 204 "));
    for text in ["1 /events", "2 /events"] {
        assert_eq!(get(&server.url(), "").chunks().0, [text]);
    }
    assert_eq!(server.requests().len(), 3);
}

/// A function may wait for the test, which looks at the requests meanwhile.
#[test]
fn a_function_that_waits() {
    let (go, waiting) = mpsc::channel::<()>();
    let server = TestServer::new().answer_with(move |_| {
        waiting.recv().unwrap();
        Script::status(204)
    });
    let mut client = connect(&server.url());
    client.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    while server.requests().is_empty() {
        thread::yield_now();
    }
    go.send(()).unwrap();
    assert!(read(&mut client, PATIENCE).head.starts_with("HTTP/1.1 204 "));

    // Nor does a server wait for it that is dropped.
    client = connect(&server.url());
    client.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    while server.requests().len() < 2 {
        thread::yield_now();
    }
    drop(server);
    drop(go);
}

#[test]
#[should_panic(expected = "as the test expects")]
fn a_function_that_panics_fails_the_test() {
    let server = TestServer::new().answer_with(|_| panic!("as the test expects"));
    let raw = get(&server.url(), "");
    assert!(raw.head.starts_with("HTTP/1.1 500 "));
    assert_eq!(raw.rest, b"the function that answers has panicked\n");
}

#[test]
fn it_ends_when_it_is_dropped() {
    let server = TestServer::new().answer(Script::new().send("data: a\n\n").with_end(End::Stall));
    let url = server.url();
    let mut socket = connect(&url);
    socket.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    socket.read_exact(&mut [0; 10]).unwrap();
    drop(server);
    // Open connections end, and nobody listens.
    let _ = socket.read_to_end(&mut Vec::new());
    let address = url.strip_prefix("http://").unwrap().strip_suffix("/events").unwrap();
    assert_eq!(TcpStream::connect(address).unwrap_err().kind(), ErrorKind::ConnectionRefused);
}

#[test]
fn servers_do_not_collide() {
    let servers: Vec<_> = (0..50).map(|_| TestServer::new().answer(Script::status(204))).collect();
    for server in &servers {
        assert!(get(&server.url(), "").head.starts_with("HTTP/1.1 204 "));
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn many_connections_at_once() {
    // With both of their ends in this process, and with few file descriptors. `eventwire serve` is tested with a thousand.
    const COUNT: usize = 100;
    let script = Script::new().send("data: a\n\n").send("data: b\n\n");
    let server = TestServer::new().answers(vec![script; COUNT]);
    let sockets: Vec<_> = (0..COUNT).map(|_| connect(&server.url())).collect();
    for mut socket in &sockets {
        socket.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    }
    for mut socket in sockets {
        let mut all = String::new();
        socket.read_to_string(&mut all).unwrap();
        assert!(all.ends_with("9\r\ndata: a\n\n\r\n9\r\ndata: b\n\n\r\n0\r\n\r\n"), "{all}");
    }
    assert_eq!(server.requests().len(), COUNT);
}

/// One that does not read does not hold up the others.
#[test]
fn a_client_that_does_not_read() {
    let flood = Script::new().send(vec![b'x'; 1 << 26]);
    let server = TestServer::new().answer(flood).answer(Script::events([Event::new("a")]));
    let mut slow = connect(&server.url());
    slow.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    slow.read_exact(&mut [0; 10]).unwrap();
    assert_eq!(get(&server.url(), "").chunks().0, ["data: a\n\n"]);
    let rest = thread::spawn(move || std::io::copy(&mut slow, &mut std::io::sink()).unwrap());
    assert!(rest.join().unwrap() > 1 << 26);
}
