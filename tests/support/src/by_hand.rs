//! An HTTP server for a single request, whose response the test writes by hand. It is for what a script of
//! `eventwire-test` cannot do: sending more only after something has happened in the test, and learning when the client
//! reads or leaves.

use std::{
    io::{self, BufRead, BufReader, Read},
    net::{TcpListener, TcpStream},
    thread,
};

/// Starts the server and returns its URL. `answer` gets the connection after the request, and closes it by dropping it.
pub fn by_hand(answer: impl FnOnce(TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/events", listener.local_addr().unwrap());
    thread::spawn(move || {
        let (client, _) = listener.accept().unwrap();
        read_request(&client);
        answer(client);
    });
    url
}

/// Reads all of it: closing a connection with unread bytes would reset it.
fn read_request(client: &TcpStream) {
    let mut request = BufReader::new(client);
    let mut length = 0;
    loop {
        let mut line = String::new();
        assert_ne!(request.read_line(&mut line).unwrap(), 0, "the request is incomplete");
        if line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    assert_eq!(io::copy(&mut request.take(length), &mut io::sink()).unwrap(), length);
}
