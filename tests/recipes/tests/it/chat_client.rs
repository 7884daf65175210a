use crate::{
    STREAM,
    chat::{END, HI, ODD, Pausing},
    header, patiently, reqwest_client,
};
use eventwire_client::StopReason;
use eventwire_recipes::chat_client::ask;
use eventwire_test::{End, Script, TestServer};
use eventwire_test_support::{PATIENCE, by_hand};
use serde_json::{Value, json};
use std::{
    io::{self, Write},
    iter,
    sync::mpsc as blocking,
};

const YOU: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" you\"}}]}\n\n";

async fn run_at(url: &str, out: &mut impl Write) -> Result<(), String> {
    run_with(&reqwest::Client::new(), url, out).await
}

async fn run_with(client: &reqwest::Client, url: &str, out: &mut impl Write) -> Result<(), String> {
    let messages = json!([{ "role": "user", "content": "Hello?" }]);
    let request = client.post(url).bearer_auth("key");
    patiently(ask(request, &messages, out)).await.map_err(|error| format!("{error:#}"))
}

/// Checks what is written, the error, if there is one, and how often the question is sent to a server with these
/// answers, after which it has a good one.
async fn check(answers: &[Script], written: &str, error: Option<&str>, questions: usize) {
    let server = TestServer::new().answers(answers.to_vec()).answer(answer(&[HI, END]));
    let mut out = Vec::new();
    let result = run_at(&server.url(), &mut out).await;
    assert_eq!(String::from_utf8(out).unwrap(), written, "{answers:?}");
    match error {
        None => assert_eq!(result, Ok(()), "{answers:?}"),
        Some(error) => assert!(result.clone().unwrap_err().starts_with(error), "{answers:?}: {result:?}"),
    }
    let requests = server.requests();
    assert_eq!(requests.len(), questions, "{answers:?}");
    for request in &requests {
        assert_eq!(request.method(), "POST");
        assert_eq!(header(request, "authorization"), ["Bearer key"]);
        assert_eq!(header(request, "content-type"), ["application/json"]);
        let body: Value = serde_json::from_slice(request.body()).unwrap();
        assert_eq!(body["messages"][0]["content"], "Hello?");
        assert_eq!(body["stream"], true);
    }
}

fn answer(body: &[&str]) -> Script {
    Script::new().send(body.concat())
}

fn refusal(status: u16, body: &'static str) -> Script {
    Script::status(status).header("content-type", "application/json").send(body)
}

fn busy() -> Script {
    refusal(429, "{\"error\":{\"message\":\"busy\"}}")
}

#[tokio::test]
async fn an_answer_and_what_is_asked_again() {
    check(&[answer(&[ODD, HI, ": wait\n\n", ODD, YOU, END])], "Hi you", None, 1).await;
    check(&[busy()], "Hi", None, 2).await;
    let error = format!("{}: the server answered 429 Too Many Requests: busy", StopReason::AttemptsExhausted);
    check(&vec![busy(); 6], "", Some(&error), 4).await;
}

#[tokio::test]
async fn what_is_an_error_and_not_asked_again() {
    for (body, message) in [
        ("{\"error\":{\"message\":\"the key is wrong:\\nsee the docs\"}}", ": the key is wrong: see the docs"),
        ("{\"error\":\"no\"}", ": no"),
        ("<html>", ""),
    ] {
        let error = format!("the server answered 401 Unauthorized{message}");
        check(&[refusal(401, body)], "", Some(&error), 1).await;
    }
    for (status, name) in [(500, "500 Internal Server Error"), (503, "503 Service Unavailable")] {
        let bug = Script::status(status).send("{\"error\":{\"message\":\"a bug\"}}");
        let error = format!("not retried: the server answered {name}: a bug");
        check(&[bug], "", Some(&error), 1).await;
    }
    let reported = answer(&[HI, "data: {\"error\":{\"message\":\"overloaded\"}}\n\n", END]);
    check(&[reported], "Hi", Some("the server reported an error: overloaded"), 1).await;
    let truncated = "the stream is truncated: it ended without `[DONE]`";
    check(&[answer(&[HI, YOU])], "Hi you", Some(truncated), 1).await;
    // The server closes the connection without an answer, and before it has sent all that it has announced.
    check(&[Script::raw("")], "", Some("not retried: "), 1).await;
    check(&[Script::new().header("content-length", "1000").send(HI)], "Hi", Some("not retried: "), 1).await;
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
    let url = by_hand(move |mut client| {
        client.write_all([STREAM, HI].concat().as_bytes()).unwrap();
        // The rest is sent only after the first token has been written.
        assert_eq!(told.recv().unwrap(), "Hi");
        client.write_all([YOU, END].concat().as_bytes()).unwrap();
        drop(client);
        assert_eq!(told.recv().unwrap(), " you");
        told.iter().for_each(drop); // until the client has ended
    });
    assert_eq!(run_at(&url, &mut Flushed(Vec::new(), tell)).await, Ok(()));
}

#[tokio::test]
async fn a_server_that_falls_silent() {
    let server = TestServer::new().answer(answer(&[HI]).with_end(End::Stall));
    let (messages, mut out) = (json!([]), Pausing(Vec::new()));
    let asked = ask(reqwest::Client::new().post(server.url()), &messages, &mut out);
    // Longer than the timeout of the recipe, because this one is passed as fast.
    let error = tokio::time::timeout(PATIENCE * 10, asked).await.unwrap().unwrap_err();
    assert_eq!((out.0.as_slice(), &*format!("{error:#}")), (&b"Hi"[..], "not retried: no data received for 60s"));
}

#[tokio::test]
async fn no_server() {
    // Nothing listens on this port. One that is free could be taken by another test meanwhile.
    let error = run_at("http://127.0.0.1:1/", &mut io::sink()).await.unwrap_err();
    assert!(error.starts_with(&format!("{}: error sending", StopReason::AttemptsExhausted)), "{error}");
    assert!(error.contains(": tcp connect error: "), "{error}");
    let error = run_at("localhost/v1", &mut io::sink()).await.unwrap_err();
    assert_eq!(error, "the request is not valid: builder error: relative URL without a base");
}

/// What the page says about redirects.
#[tokio::test]
async fn a_question_that_was_redirected_is_not_asked_again() {
    let found = || Script::status(302).header("location", "/events");
    let server = TestServer::new().answers([found(), busy(), answer(&[HI, END])]);
    let error = run_with(&reqwest_client(), &server.url(), &mut io::sink()).await.unwrap_err();
    assert_eq!(error, "not retried: the server answered 429 Too Many Requests: busy");
    assert_eq!(server.requests().len(), 2);

    // Such a client does not show where it was redirected.
    let server = TestServer::new().answers(iter::repeat_n([found(), busy()], 4).flatten());
    assert!(run_with(&reqwest::Client::new(), &server.url(), &mut io::sink()).await.is_err());
    assert_eq!(server.requests().len(), 8);
}
