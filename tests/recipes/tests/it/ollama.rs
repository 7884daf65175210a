//! An answer of Ollama with a call of a tool, and how it can fail.

use crate::patiently;
use eventwire_recipes::ollama::ask;
use eventwire_test::{Script, TestServer};
use serde_json::json;

const TEXT: &str =
    "{\"model\":\"llama3.2\",\"message\":{\"role\":\"assistant\",\"content\":\"Let me look.\"},\"done\":false}\n";
const CALL: &str = "{\"model\":\"llama3.2\",\"message\":{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"function\":\
    {\"name\":\"get_weather\",\"arguments\":{\"city\":\"Tokyo\"}}}]},\"done\":false}\n";
const END: &str =
    "{\"model\":\"llama3.2\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"eval_count\":15}\n";

#[tokio::test]
async fn an_answer_and_its_faults() {
    let lines =
        |lines: &[&str]| Script::status(200).header("content-type", "application/x-ndjson").send(lines.concat());
    let missing = Script::status(404).header("content-type", "application/json");
    let missing = missing.send("{\"error\":\"model not found\"}");
    for (answer, written, calls, expected) in [
        (lines(&[TEXT, CALL, END, TEXT]), "Let me look.", 1, ""),
        (lines(&[TEXT, END]), "Let me look.", 0, ""),
        (lines(&[TEXT]), "Let me look.", 0, "the stream is truncated: it ended without `\"done\":true`"),
        (lines(&[TEXT, &CALL[..50]]), "Let me look.", 0, "the stream is truncated: it ended inside line 2"),
        (
            lines(&[TEXT, "{\"error\":\"out of memory\"}\n"]),
            "Let me look.",
            0,
            "the server reported an error in line 2: out of memory",
        ),
        (missing, "", 0, "the server answered 404 Not Found: model not found"),
    ] {
        let server = TestServer::new().answer(answer);
        let mut out = Vec::new();
        let (messages, tools) = (json!([{ "role": "user", "content": "The weather?" }]), json!([]));
        let result = patiently(ask(reqwest::Client::new().post(server.url()), &messages, &tools, &mut out)).await;
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
        assert!(str::from_utf8(server.requests()[0].body()).unwrap().contains("The weather?"));
    }
}
