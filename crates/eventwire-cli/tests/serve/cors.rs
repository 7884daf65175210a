//! Which pages may read the answers.

use crate::CHAT;
use crate::server::{Server, directory, file};

const ORIGIN: &str = "access-control-allow-origin";

#[test]
fn without_the_option_none() {
    let server = Server::chat(&[]);
    assert!(!server.get("/").head().contains("access-control"));
    // Nor because the recorded server let all of them.
    let text = "{\"recording\":1}\n{\"response\":{\"status\":200,\"headers\":[[\"Access-Control-Allow-Origin\",\"*\"],\
                [\"x-a\",\"b\"]]}}\n";
    let path = file("open.txt", text);
    let server = Server::start(path.to_str().unwrap(), &[]);
    let answer = server.get("/");
    assert_eq!((answer.header(ORIGIN).len(), answer.header("x-a")), (0, vec!["b".to_owned()]));
    let server = Server::start(path.to_str().unwrap(), &["--cors", "https://app.example.com"]);
    assert_eq!(server.get("/").header(ORIGIN), ["https://app.example.com"]);
}

#[test]
fn every_answer_of_the_server() {
    let options = ["--cors", "https://app.example.com/page", "--times", "1", "--status", "503"];
    let server = Server::start(directory().to_str().unwrap(), &options);
    let chat = Server::chat(&options);
    let foreign = chat.ask("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    let put = chat.ask("PUT / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let preflight = chat.ask("OPTIONS / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let answers = [server.get("/"), foreign, put, preflight, chat.get("/"), chat.get("/")];
    assert_eq!(answers.each_ref().map(|answer| answer.status()), [404, 421, 405, 204, 503, 200]);
    for answer in answers {
        assert_eq!(answer.header(ORIGIN), ["https://app.example.com"], "{}", answer.head());
        assert_eq!(answer.header("access-control-allow-credentials"), ["true"]);
    }
}

#[test]
fn a_preflight_request() {
    let server = Server::chat(&["--cors", "*"]);
    let answer = server.ask(
        "OPTIONS / HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.example.com\r\nAccess-Control-Request-Method: \
         POST\r\nAccess-Control-Request-Headers: content-type,x-a\r\n\r\n",
    );
    assert_eq!(
        answer.text(),
        "HTTP/1.1 204 No Content\r\naccess-control-allow-methods: GET, HEAD, POST\r\n\
         access-control-allow-headers: content-type,x-a\r\naccess-control-allow-origin: *\r\nconnection: close\r\n\r\n"
    );
    server.get("/").is(CHAT);
}
