//! An answer of Ollama with a call of a tool, and how it can fail.

use crate::patiently;
use eventwire_recipes::ollama::ask;
use eventwire_test_support::Script;
use serde_json::json;

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\nconnection: close\r\n\r\n";
const TEXT: &str =
    "{\"model\":\"llama3.2\",\"message\":{\"role\":\"assistant\",\"content\":\"Let me look.\"},\"done\":false}\n";
const CALL: &str = "{\"model\":\"llama3.2\",\"message\":{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"function\":\
    {\"name\":\"get_weather\",\"arguments\":{\"city\":\"Tokyo\"}}}]},\"done\":false}\n";
const END: &str =
    "{\"model\":\"llama3.2\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"eval_count\":15}\n";

#[tokio::test]
async fn an_answer_and_its_faults() {
    let missing = "HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\n\r\n{\"error\":\"model not found\"}";
    for (answer, written, calls, expected) in [
        ([HEAD, TEXT, CALL, END, TEXT].concat(), "Let me look.", 1, ""),
        ([HEAD, TEXT, END].concat(), "Let me look.", 0, ""),
        ([HEAD, TEXT].concat(), "Let me look.", 0, "the stream is truncated: it ended without `\"done\":true`"),
        ([HEAD, TEXT, &CALL[..50]].concat(), "Let me look.", 0, "the stream is truncated: it ended inside line 2"),
        (
            [HEAD, TEXT, "{\"error\":\"out of memory\"}\n"].concat(),
            "Let me look.",
            0,
            "the server reported an error in line 2: out of memory",
        ),
        (missing.to_owned(), "", 0, "the server answered 404 Not Found: model not found"),
    ] {
        let server = Script::new(&[&answer]);
        let mut out = Vec::new();
        let (messages, tools) = (json!([{ "role": "user", "content": "The weather?" }]), json!([]));
        let result = patiently(ask(reqwest::Client::new().post(&server.url), &messages, &tools, &mut out)).await;
        assert_eq!(String::from_utf8(out).unwrap(), written);
        match result {
            Ok(found) => {
                assert_eq!((found.len(), expected), (calls, ""));
                assert!(found.iter().all(|call| call.function.name == "get_weather"));
                assert!(found.iter().all(|call| call.function.arguments["city"] == "Tokyo"));
            }
            Err(error) => {
                let text = format!("{error:#}");
                assert!(!expected.is_empty() && text.starts_with(expected), "{text:?}, not {expected:?}");
            }
        }
        assert!(server.requests()[0].body.contains("The weather?"));
    }
}
