//! An HTTP server for a single request. The test writes its response, byte for byte.

use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::thread;

/// Starts the server and returns its URL. `answer` gets the head of the request and the connection, which is closed
/// when it is dropped.
pub fn serve(answer: impl FnOnce(String, TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/events", listener.local_addr().unwrap());
    thread::spawn(move || {
        let (client, _) = listener.accept().unwrap();
        let head = head(&mut BufReader::new(&client));
        answer(head, client);
    });
    url
}

pub fn head(reader: &mut impl BufRead) -> String {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(reader.read_line(&mut head).unwrap(), 0, "incomplete request: {head:?}");
    }
    head
}
