//! One answer, and the eleven ways in which it can fail: each has an error that says what happened.

use crate::{
    STREAM,
    chat::{END, HI, ODD, Pausing},
    patiently,
};
use eventwire_recipes::one_answer::ask;
use eventwire_test_support::{PATIENCE, Script};
use serde_json::json;
use std::io::{Read, Write};

/// Returns what was written, and the error.
async fn run(url: &str) -> (String, String) {
    let mut out = Vec::new();
    let messages = json!([{ "role": "user", "content": "Hello?" }]);
    let result = patiently(ask(reqwest::Client::new().post(url), &messages, &mut out)).await;
    (String::from_utf8(out).unwrap(), result.err().map(|error| format!("{error:#}")).unwrap_or_default())
}

#[tokio::test]
async fn an_answer_and_its_faults() {
    let json = "content-type: application/json\r\n\r\n";
    let chunked = STREAM.replace("\r\n\r\n", "\r\ntransfer-encoding: chunked\r\n\r\n");
    let chunk = format!("{:x}\r\n{HI}\r\n", HI.len());
    for (answer, out, expected) in [
        ([STREAM, HI, END].concat(), "Hi", ""),
        ([STREAM, ODD, HI, ODD, HI, END].concat(), "HiHi", ""),
        (
            format!(
                "HTTP/1.1 429 Too Many Requests\r\nretry-after: 7\r\n{json}{{\"error\":{{\"message\":\"no credit\"}}}}"
            ),
            "",
            "the server answered 429 Too Many Requests: no credit",
        ),
        (
            format!("HTTP/1.1 500 Internal Server Error\r\n{json}{{\"error\":\"a bug\"}}"),
            "",
            "the server answered 500 Internal Server Error: a bug",
        ),
        (
            format!("HTTP/1.1 401 Unauthorized\r\n{json}{{\"error\":{{\"message\":\"the key is wrong\"}}}}"),
            "",
            "the server answered 401 Unauthorized: the key is wrong",
        ),
        (
            "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<html>".to_owned(),
            "",
            "the server answered with the content type \"text/html\"",
        ),
        ([STREAM, HI, "data: {\"cho"].concat(), "Hi", "the stream is truncated: it ended without `[DONE]`"),
        ([STREAM, HI].concat(), "Hi", "the stream is truncated: it ended without `[DONE]`"),
        (chunked.clone() + &chunk + "zz\r\n", "Hi", "chunk"),
        (
            [STREAM, HI, "data: {\"error\":{\"message\":\"overloaded\"}}\n\n", END].concat(),
            "Hi",
            "the server reported an error: overloaded",
        ),
        (
            [STREAM, HI, "data: {\"choices\":[{\"delta\":{\"content\":7}}]}\n\n", END].concat(),
            "Hi",
            "cannot read the data of a `message` event as JSON: choices[0].delta.content: invalid type: integer `7`",
        ),
    ] {
        let server = Script::new(&[&answer]);
        let (written, error) = run(&server.url).await;
        assert_eq!(written, out, "{answer}");
        assert!(error.contains(expected) && error.is_empty() == expected.is_empty(), "{error:?}, not {expected:?}");
        assert_eq!(error.lines().count(), usize::from(!expected.is_empty()), "{error}");
    }
    // Nothing listens on this port. One that is free could be taken by another test meanwhile.
    let (_, error) = run("http://127.0.0.1:1/").await;
    assert!(error.contains("error sending request") && error.contains("tcp connect error"), "{error}");
}

#[tokio::test]
async fn a_server_that_falls_silent() {
    let server = Script::with(move |_, mut client| {
        client.write_all([STREAM, HI].concat().as_bytes()).unwrap();
        // Until the client closes the connection.
        let _ = client.read(&mut [0]);
    });
    let mut out = Pausing(Vec::new());
    let messages = json!([]);
    let asked = ask(reqwest::Client::new().post(&server.url), &messages, &mut out);
    let error = tokio::time::timeout(PATIENCE * 10, asked).await.unwrap().unwrap_err();
    assert_eq!((out.0.as_slice(), &*format!("{error:#}")), (&b"Hi"[..], "no progress for 20s"));
}
