//! One answer, and the eleven ways in which it can fail: each has an error that says what happened.

use crate::{
    chat::{END, HI, ODD, Pausing},
    patiently,
};
use eventwire_recipes::one_answer::ask;
use eventwire_test::{End, Script, TestServer};
use eventwire_test_support::PATIENCE;
use serde_json::json;

/// Returns what was written, and the error.
async fn run(url: &str) -> (String, String) {
    let mut out = Vec::new();
    let messages = json!([{ "role": "user", "content": "Hello?" }]);
    let result = patiently(ask(reqwest::Client::new().post(url), &messages, &mut out)).await;
    (String::from_utf8(out).unwrap(), result.err().map(|error| format!("{error:#}")).unwrap_or_default())
}

#[tokio::test]
async fn an_answer_and_its_faults() {
    let stream = |body: &[&str]| Script::new().send(body.concat());
    let json = |status, body| Script::status(status).header("content-type", "application/json").send(body);
    let chunk = format!("{:x}\r\n{HI}\r\n", HI.len());
    for (answer, out, expected) in [
        (stream(&[HI, END]), "Hi", ""),
        (stream(&[ODD, HI, ODD, HI, END]), "HiHi", ""),
        (
            json(429, "{\"error\":{\"message\":\"no credit\"}}").header("retry-after", "7"),
            "",
            "the server answered 429 Too Many Requests: no credit",
        ),
        (json(500, "{\"error\":\"a bug\"}"), "", "the server answered 500 Internal Server Error: a bug"),
        (
            json(401, "{\"error\":{\"message\":\"the key is wrong\"}}"),
            "",
            "the server answered 401 Unauthorized: the key is wrong",
        ),
        (
            Script::status(200).header("content-type", "text/html").send("<html>"),
            "",
            "the server answered with the content type \"text/html\"",
        ),
        (stream(&[HI, "data: {\"cho"]), "Hi", "the stream is truncated: it ended without `[DONE]`"),
        (stream(&[HI]), "Hi", "the stream is truncated: it ended without `[DONE]`"),
        (Script::new().header("transfer-encoding", "chunked").send(chunk + "zz\r\n"), "Hi", "chunk"),
        (
            stream(&[HI, "data: {\"error\":{\"message\":\"overloaded\"}}\n\n", END]),
            "Hi",
            "the server reported an error: overloaded",
        ),
        (
            stream(&[HI, "data: {\"choices\":[{\"delta\":{\"content\":7}}]}\n\n", END]),
            "Hi",
            "cannot read the data of a `message` event as JSON: choices[0].delta.content: invalid type: integer `7`",
        ),
    ] {
        let server = TestServer::new().answer(answer.clone());
        let (written, error) = run(&server.url()).await;
        assert_eq!(written, out, "{answer:?}");
        assert!(error.contains(expected) && error.is_empty() == expected.is_empty(), "{error:?}, not {expected:?}");
        assert_eq!(error.lines().count(), usize::from(!expected.is_empty()), "{error}");
    }
    // Nothing listens on this port. One that is free could be taken by another test meanwhile.
    let (_, error) = run("http://127.0.0.1:1/").await;
    assert!(error.contains("error sending request") && error.contains("tcp connect error"), "{error}");
}

#[tokio::test]
async fn a_server_that_falls_silent() {
    let server = TestServer::new().answer(Script::new().send(HI).with_end(End::Stall));
    let mut out = Pausing(Vec::new());
    let messages = json!([]);
    let asked = ask(reqwest::Client::new().post(server.url()), &messages, &mut out);
    let error = tokio::time::timeout(PATIENCE * 10, asked).await.unwrap().unwrap_err();
    assert_eq!((out.0.as_slice(), &*format!("{error:#}")), (&b"Hi"[..], "no progress for 20s"));
}
