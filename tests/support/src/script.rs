//! An HTTP server that answers each connection from a script, one after the other, and records the requests.

use std::io::{BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use crate::one_response;

/// The response to connections beyond the script. It makes a client stop that connects too often; the recorded
/// requests show the surplus.
const NO_MORE: &str = "HTTP/1.1 204 No Content\r\n\r\n";

#[derive(Debug)]
pub struct Script {
    pub url: String,
    requests: Receiver<Request>,
}

#[derive(Debug)]
pub struct Request {
    head: String,
    pub body: String,
}

impl Script {
    /// Each answer is for one connection, which is closed after it.
    pub fn new(answers: &[&str]) -> Script {
        let answers: Vec<String> = answers.iter().map(|&answer| answer.into()).collect();
        Script::with(move |place, mut client| {
            let answer = answers.get(place).map_or(NO_MORE, String::as_str);
            // The client may have closed the connection already.
            let _ = client.write_all(answer.as_bytes());
        })
    }

    /// `answer` gets the number of the connection, counted from 0, and the connection.
    pub fn with(mut answer: impl FnMut(usize, TcpStream) + Send + 'static) -> Script {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}/events", listener.local_addr().unwrap());
        let (tell, requests) = mpsc::channel();
        thread::spawn(move || {
            for (place, client) in listener.incoming().enumerate() {
                let client = client.unwrap();
                let request = Request::read(&client);
                if tell.send(request).is_ok() {
                    answer(place, client);
                }
            }
        });
        Script { url, requests }
    }

    /// Returns all requests so far. After the client has exited, these are all of its requests.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.try_iter().collect()
    }
}

impl Request {
    fn read(client: &TcpStream) -> Request {
        let mut reader = BufReader::new(client);
        let head = one_response::head(&mut reader);
        let mut request = Request { head, body: String::new() };
        let length = request.header("content-length").first().map_or(0, |length| length.parse().unwrap());
        reader.take(length).read_to_string(&mut request.body).unwrap();
        request
    }

    pub fn line(&self) -> &str {
        self.head.lines().next().unwrap()
    }

    /// Returns the values of all headers with this name.
    pub fn header(&self, name: &str) -> Vec<&str> {
        let headers = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        headers.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value).collect()
    }
}
