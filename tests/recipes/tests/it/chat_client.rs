use crate::{STREAM, patiently};
use eventwire_client::StopReason;
use eventwire_recipes::chat_client::ask;
use eventwire_test_support::{PATIENCE, Script};
use serde_json::{Value, json};
use std::{
    io::{self, Read, Write},
    sync::mpsc as blocking,
};

const HI: &str = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"Hi\"}}]}\n\n";
const YOU: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" you\"}}]}\n\n";
/// A chunk without text, a chunk without choices, and the end.
const END: &str = concat!(
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
    "data: {\"choices\":[],\"usage\":{\"completion_tokens\":2}}\n\n",
    "data: [DONE]\n\n",
);
/// Chunks without `choices` or `delta`, as Azure and gateways send them.
const ODD: &str = "data: {\"choices\":[],\"prompt_filter_results\":[{\"prompt_index\":0}]}\n\n\
    data: {\"choices\":[{\"index\":0,\"content_filter_results\":{}}]}\n\n\
    data: {\"choices\":[{\"index\":0,\"delta\":null}]}\n\n\
    data: {\"choices\":null}\n\ndata: {\"usage\":null}\n\n";
const BUSY: &str =
    "HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\n\r\n{\"error\":{\"message\":\"busy\"}}";

async fn run_at(url: &str, out: &mut impl Write) -> Result<(), String> {
    run_with(&reqwest::Client::new(), url, out).await
}

async fn run_with(client: &reqwest::Client, url: &str, out: &mut impl Write) -> Result<(), String> {
    let messages = json!([{ "role": "user", "content": "Hello?" }]);
    let request = client.post(url).bearer_auth("key");
    patiently(ask(request, &messages, out)).await.map_err(|error| format!("{error:#}"))
}

/// The answer, and how often the question was sent.
async fn run(server: &Script) -> (String, Result<(), String>, usize) {
    let mut out = Vec::new();
    let result = run_at(&server.url, &mut out).await;
    let requests = server.requests();
    for request in &requests {
        assert!(request.line().starts_with("POST "), "{}", request.line());
        assert_eq!(request.header("authorization"), ["Bearer key"]);
        assert_eq!(request.header("content-type"), ["application/json"]);
        let body: Value = serde_json::from_str(&request.body).unwrap();
        assert_eq!(body["messages"][0]["content"], "Hello?");
        assert_eq!(body["stream"], true);
    }
    (String::from_utf8(out).unwrap(), result, requests.len())
}

fn answer(body: &[&str]) -> String {
    STREAM.to_owned() + &body.concat()
}

#[tokio::test]
async fn an_answer() {
    let server = Script::new(&[&answer(&[ODD, HI, ": wait\n\n", ODD, YOU, END])]);
    assert_eq!(run(&server).await, ("Hi you".into(), Ok(()), 1));
}

/// Passes on what is flushed.
struct Flushed(Vec<u8>, blocking::Sender<String>);

impl Write for Flushed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.1.send(String::from_utf8(self.0.split_off(0)).unwrap()).map_err(io::Error::other)
    }
}

#[tokio::test]
async fn a_token_is_written_when_it_arrives() {
    let (tell, told) = blocking::channel();
    let server = Script::with(move |_, mut client| {
        client.write_all(answer(&[HI]).as_bytes()).unwrap();
        // The rest is sent only after the first token has been written.
        assert_eq!(told.recv().unwrap(), "Hi");
        client.write_all([YOU, END].concat().as_bytes()).unwrap();
        drop(client);
        assert_eq!(told.recv().unwrap(), " you");
    });
    assert_eq!(run_at(&server.url, &mut Flushed(Vec::new(), tell)).await, Ok(()));
}

/// Pauses the clock when a token is written. Then tokio advances it as soon as nothing else is left to do.
struct Pausing(Vec<u8>);

impl Write for Pausing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        tokio::time::pause();
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_server_that_falls_silent() {
    let server = Script::with(move |_, mut client| {
        client.write_all(answer(&[HI]).as_bytes()).unwrap();
        // Until the client closes the connection.
        let _ = client.read(&mut [0]);
    });
    let mut out = Pausing(Vec::new());
    let messages = json!([{ "role": "user", "content": "Hello?" }]);
    let asked = ask(reqwest::Client::new().post(&server.url), &messages, &mut out);
    // Longer than the timeout of the recipe, because this one is passed as fast.
    let error = tokio::time::timeout(PATIENCE * 10, asked).await.unwrap().unwrap_err();
    assert_eq!((out.0.as_slice(), &*format!("{error:#}")), (&b"Hi"[..], "not retried: no data received for 60s"));
}

#[tokio::test]
async fn after_a_429_the_question_is_sent_again() {
    let server = Script::new(&[BUSY, &answer(&[HI, END])]);
    assert_eq!(run(&server).await, ("Hi".into(), Ok(()), 2));
}

#[tokio::test]
async fn it_is_sent_at_most_four_times() {
    let server = Script::new(&[BUSY; 6]);
    let error = format!("{}: the server answered 429 Too Many Requests: busy", StopReason::AttemptsExhausted);
    assert_eq!(run(&server).await, (String::new(), Err(error), 4));
}

#[tokio::test]
async fn no_server() {
    // Nothing listens on this port. One that is free could be taken by another test meanwhile.
    let error = run_at("http://127.0.0.1:1/", &mut io::sink()).await.unwrap_err();
    assert!(error.starts_with(&format!("{}: error sending", StopReason::AttemptsExhausted)), "{error}");
    assert!(error.contains(": tcp connect error: "), "{error}");
}

#[tokio::test]
async fn a_mistyped_url() {
    let error = run_at("localhost/v1", &mut io::sink()).await.unwrap_err();
    assert_eq!(error, "the request is not valid: builder error: relative URL without a base");
}

#[tokio::test]
async fn a_refusal_is_an_error_with_the_message_of_the_server() {
    let head = "HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\n\r\n";
    for (body, message) in [
        ("{\"error\":{\"message\":\"the key is wrong:\\nsee the docs\"}}", ": the key is wrong: see the docs"),
        ("{\"error\":\"no\"}", ": no"),
        ("<html>", ""),
    ] {
        let server = Script::new(&[&(head.to_owned() + body), &answer(&[HI, END])]);
        let (out, result, requests) = run(&server).await;
        let error = format!("the server answered 401 Unauthorized{message}");
        assert_eq!((out, result, requests), (String::new(), Err(error), 1));
    }
}

#[tokio::test]
async fn an_error_in_the_answer() {
    let error = "{\"error\":{\"message\":\"overloaded\"}}";
    let server = Script::new(&[&answer(&[HI, "data: ", error, "\n\n", END]), &answer(&[HI, END])]);
    assert_eq!(run(&server).await, ("Hi".into(), Err("the server reported an error: overloaded".into()), 1));
}

#[tokio::test]
async fn a_truncated_answer_is_an_error_and_is_not_asked_for_again() {
    let server = Script::new(&[&answer(&[HI, YOU]), &answer(&[HI, END])]);
    let error = "the stream is truncated: it ended without `[DONE]`";
    assert_eq!(run(&server).await, ("Hi you".into(), Err(error.into()), 1));

    // The server closes the connection without an answer.
    let server = Script::new(&["", &answer(&[HI, END])]);
    let (_, result, requests) = run(&server).await;
    let error = result.unwrap_err();
    assert!(error.starts_with("not retried: "), "{error}");
    assert_eq!(requests, 1);

    // More bytes are announced than are sent.
    let head = STREAM.replace("\r\n\r\n", "\r\ncontent-length: 1000\r\n\r\n");
    let server = Script::new(&[&(head + HI), &answer(&[HI, END])]);
    let (out, result, requests) = run(&server).await;
    assert_eq!((out.as_str(), result.is_err(), requests), ("Hi", true, 1), "{result:?}");
}

#[tokio::test]
async fn a_5xx_is_not_retried() {
    for status in ["500 Internal Server Error", "503 Service Unavailable"] {
        let error = format!("HTTP/1.1 {status}\r\n\r\n{{\"error\":{{\"message\":\"a bug\"}}}}");
        let server = Script::new(&[&error, &answer(&[HI, END])]);
        let error = format!("not retried: the server answered {status}: a bug");
        assert_eq!(run(&server).await, (String::new(), Err(error), 1));
    }
}

/// What the page says about redirects.
#[tokio::test]
async fn a_question_that_was_redirected_is_not_asked_again() {
    let found = "HTTP/1.1 302 Found\r\nlocation: /events\r\n\r\n";
    let busy = "HTTP/1.1 429 Too Many Requests\r\n\r\n";
    let server = Script::new(&[found, busy, &answer(&[HI, END])]);
    let client = eventwire_reqwest::client_builder().build().unwrap();
    let error = run_with(&client, &server.url, &mut io::sink()).await.unwrap_err();
    assert_eq!(error, "not retried: the server answered 429 Too Many Requests");
    assert_eq!(server.requests().len(), 2);

    // Such a client does not show where it was redirected.
    let server = Script::new(&[found, busy, found, busy, found, busy, found, busy]);
    assert!(run_with(&reqwest::Client::new(), &server.url, &mut io::sink()).await.is_err());
    assert_eq!(server.requests().len(), 8);
}
