use crate::{STREAM, header};
use eventwire::DecodeError;
use eventwire_recipes::ureq::print_response;
use eventwire_test::{Script, TestServer};
use eventwire_test_support::{PATIENCE, by_hand};
use std::{io::Write, sync::mpsc, thread};

fn print(answer: Script) -> (String, Result<(), String>) {
    let server = TestServer::new().answer(answer);
    let mut out = Vec::new();
    let result = print_response(&server.url(), &mut out).map_err(|error| error.to_string());
    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(header(&requests[0], "accept"), ["text/event-stream"]);
    (String::from_utf8(out).unwrap(), result)
}

#[test]
fn events_comments_and_a_large_event() {
    let large = "x".repeat(1024 * 1024);
    let body = format!(": hello\n\nevent: price\ndata: 41\n\ndata: {large}\n\n: {large}x\n\ndata: 42\n\n");
    let (out, result) = print(Script::new().send(body));
    assert_eq!(result, Ok(()));
    let limit = "is larger than the limit of 1048576 bytes";
    let skipped = format!("skipped: the event {limit}\nskipped: the comment {limit}\n");
    assert_eq!(out, format!("comment: hello\nprice: 41\n{skipped}message: 42\n"));
}

/// Reports each line.
struct Lines(mpsc::Sender<String>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.send(String::from_utf8_lossy(bytes).into_owned()).unwrap();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_event_is_printed_before_the_next_one_is_sent() {
    let (tell, told) = mpsc::channel::<String>();
    let (go_on, wait) = mpsc::channel();
    let url = by_hand(move |mut client| {
        client.write_all(format!("{STREAM}data: 1\n\n").as_bytes()).unwrap();
        wait.recv().unwrap();
        client.write_all(b"data: 2\n\n").unwrap();
    });
    let client = thread::spawn(move || print_response(&url, &mut Lines(tell)).is_ok());
    let line = || {
        let mut line = String::new();
        while !line.ends_with('\n') {
            line += &told.recv_timeout(PATIENCE).expect("an event is printed");
        }
        line
    };
    assert_eq!(line(), "message: 1\n");
    go_on.send(()).unwrap();
    assert_eq!(line(), "message: 2\n");
    assert!(client.join().unwrap());
}

#[test]
fn errors_say_what_went_wrong() {
    let (_, result) = print(Script::status(401).send("bad key"));
    assert_eq!(result.unwrap_err(), "the server answered 401 Unauthorized: bad key");
    let (_, result) = print(Script::status(200).header("content-type", "text/html"));
    assert_eq!(result.unwrap_err(), "the server answered with the content type \"text/html\"");
    let (out, result) = print(Script::new().send("data: 1\n\ndata: 2"));
    assert_eq!((out.as_str(), result), ("message: 1\n", Err(DecodeError::Truncated.to_string())));
    // More bytes are announced than are sent.
    let (out, result) = print(Script::new().header("content-length", "100").send("data: 1\n\n"));
    assert_eq!(out, "message: 1\n");
    assert!(result.is_err(), "the connection was lost");
}
