//! What async-openai needs of an error: its complete text and its location, however the server reports it.

use bytes::Bytes;
use eventwire::{Dialect, Events, JsonError};
use serde::Deserialize;
use std::convert::Infallible;

/// An error of the API, like `ApiError` in async-openai.
#[derive(Debug, Deserialize, PartialEq)]
struct ApiError {
    message: String,
    #[serde(rename = "type")]
    kind: Option<String>,
    param: Option<String>,
    code: Option<String>,
}

/// In chats, the error is a member of an object; in the Responses API, it is the object itself.
#[derive(Deserialize)]
#[serde(untagged)]
enum Report {
    Wrapped { error: ApiError },
    Flat(ApiError),
}

#[derive(Deserialize)]
struct Chunk {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Delta,
}

#[derive(Deserialize)]
struct Delta {
    content: Option<String>,
}

/// Returns what an application sees of a stream: the text before the error, and the error.
fn answer(stream: String) -> (String, Option<JsonError<Infallible>>) {
    let mut text = String::new();
    for chunk in Events::new([Ok(Bytes::from(stream))].into_iter()).json_with::<Chunk>(Dialect::OPENAI) {
        match chunk {
            Ok(Chunk { choices }) => text.extend(choices.into_iter().filter_map(|choice| choice.delta.content)),
            Err(error) => return (text, Some(error)),
        }
    }
    (text, None)
}

const BEGINNING: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n";

#[test]
fn an_error_in_the_middle_of_a_stream_has_its_text() {
    let message = "The server had an error processing your request. Sorry about that! ".repeat(20);
    for report in [
        format!(
            "data: {{\"error\":{{\"message\":\"{message}\",\"type\":\"server_error\",\"param\":null,\"code\":null}}}}"
        ),
        format!("event: error\ndata: {{\"error\":{{\"message\":\"{message}\",\"type\":\"server_error\"}}}}"),
        format!("event: error\ndata: {{\"type\":\"server_error\",\"message\":\"{message}\"}}"),
        format!("data: {{\"type\":\"error\",\"error\":{{\"type\":\"server_error\",\"message\":\"{message}\"}}}}"),
    ] {
        let (text, error) = answer(format!("{BEGINNING}{report}\n\ndata: [DONE]\n\n"));
        let Some(JsonError::Reported { message: told, event, .. }) = error else { panic!("{report}: {error:?}") };
        assert_eq!((text.as_str(), &*told), ("Hel", message.as_str()));
        let (Report::Wrapped { error } | Report::Flat(error)) = serde_json::from_str(event.data()).unwrap();
        let expected =
            ApiError { message: message.clone(), kind: Some("server_error".to_owned()), param: None, code: None };
        assert_eq!(error, expected, "{report}");
    }
    // From the Responses API, without the `event` line.
    let report =
        r#"{"type":"error","code":"rate_limit_exceeded","message":"Slow down","param":null,"sequence_number":1}"#;
    let (_, error) = answer(format!("data: {report}\n\n"));
    assert_eq!(error.unwrap().to_string(), "the server reported an error: Slow down");
}

#[test]
fn a_chunk_of_the_wrong_type_can_be_logged() {
    let data = r#"{"choices":[{"delta":{"content":["parts"]}}]}"#;
    let (text, error) = answer(format!("{BEGINNING}id: 7\ndata: {data}\n\n"));
    assert_eq!(text, "Hel");
    let words = error.as_ref().unwrap().to_string();
    assert!(words.contains(" choices[0].delta.content: invalid type: sequence, expected a string"), "{words}");
    let Some(JsonError::Payload { event, path, .. }) = error else { panic!("{error:?}") };
    assert_eq!((event.data(), event.last_event_id(), &*path), (data, "7", "choices[0].delta.content"));
}

#[test]
fn a_truncated_stream_is_not_an_answer() {
    let (text, error) = answer(BEGINNING.to_owned());
    assert_eq!(text, "Hel");
    assert!(matches!(error, Some(JsonError::Truncated { .. })), "{error:?}");
}
