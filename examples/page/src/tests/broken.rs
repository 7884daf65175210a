//! A model that fails mid-answer.

use serde_json::json;
use talk::ListenError;

use crate::talking::{Owned, STREAM, ask, event, hear, sends, spelling, talk};

/// The model's answer breaks after its first words.
#[tokio::test]
async fn the_pieces_before_an_error_are_received() {
    let report = format!("data: {}\n\n", json!({ "error": { "message": "overloaded" } }));
    let head = STREAM.replace("\r\n\r\n", "\r\nContent-Length: 100000\r\n\r\n");
    let words = event("one two");
    for answer in [
        format!("{STREAM}{words}"),
        format!("{STREAM}{words}data: {{\"choi"),
        format!("{head}{words}"),
        format!("{STREAM}{words}{report}"),
        format!("{STREAM}{words}data: {{\"choices\":1}}\n\n"),
    ] {
        let (heard, end) = hear(ask(&talk(&sends(answer.clone()), spelling()).await).await).await;
        assert_eq!(heard, [Owned::Text(1, "one two".into())], "{answer:?}");
        assert!(matches!(end, Err(ListenError::CutOff(_))), "{answer:?}: {end:?}");
    }
}

/// Any client can detect it: the HTTP response is incomplete, and the stream has no close delimiter.
#[tokio::test]
async fn the_response_is_broken() {
    let url = talk(&sends(format!("{STREAM}{}", event("one two"))), spelling()).await;
    let mut response = ask(&url).await;
    let mut body = Vec::new();
    let error = loop {
        match response.chunk().await {
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    let body = String::from_utf8(body).unwrap();
    assert!(error.is_some(), "{body:?}");
    assert!(body.ends_with("one two"), "{body:?}");
}
