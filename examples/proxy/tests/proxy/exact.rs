//! All bytes are passed on, except comments and the model's name.

use gateway::Settings;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::proxied::{CHAT, Proxied, answers, chunked, send, text, whole};

/// All kinds of line ends, comments between and within events, unknown fields, and JSON with an unusual order,
/// spaces, numbers and escapes.
const STREAM: &str = concat!(
    ": connected\n\n",
    "retry: 1500\n\n",
    "id: 7\r\nevent: chunk\r\ndata: { \"n\" : 1.50e0,\r\ndata:  \"model\": \"small\\u002d2\" , \"t\":\"\\/ é🦀\" }\r\n\r\n",
    ": keep-alive\r\n\r\n",
    "data:{\"choices\":[{\"delta\":{\"content\":\"model\"}}],\"model\":\"small-2\"}\n: within\n\n",
    "x-unknown: 1\rdata: {\"id\":12345678901234567890,\"model\":null}\r\r",
    "event: heartbeat\n\n",
    "data:  not JSON: \"model\":\"small-2\" \n\n",
    "data: [DONE]\n\n",
);

const WITHOUT_COMMENTS: &str = concat!(
    "retry: 1500\n\n",
    "id: 7\r\nevent: chunk\r\ndata: { \"n\" : 1.50e0,\r\ndata:  \"model\": \"small\\u002d2\" , \"t\":\"\\/ é🦀\" }\r\n\r\n",
    "data:{\"choices\":[{\"delta\":{\"content\":\"model\"}}],\"model\":\"small-2\"}\n\n",
    "x-unknown: 1\rdata: {\"id\":12345678901234567890,\"model\":null}\r\r",
    "event: heartbeat\n\n",
    "data:  not JSON: \"model\":\"small-2\" \n\n",
    "data: [DONE]\n\n",
);

const RENAMED: &str = concat!(
    "retry: 1500\n\n",
    // An event that is changed is written in the usual form.
    "event: chunk\nid: 7\ndata: { \"n\" : 1.50e0,\ndata:  \"model\": \"ours\" , \"t\":\"\\/ é🦀\" }\n\n",
    "data: {\"choices\":[{\"delta\":{\"content\":\"model\"}}],\"model\":\"ours\"}\n\n",
    "x-unknown: 1\rdata: {\"id\":12345678901234567890,\"model\":null}\r\r",
    "event: heartbeat\n\n",
    "data:  not JSON: \"model\":\"small-2\" \n\n",
    "data: [DONE]\n\n",
);

async fn check(writes: Vec<Vec<u8>>, model: Option<&str>, expected: &str) {
    let (upstream, _head) = answers(writes);
    let response = Proxied::with_model(&upstream, model).await.get("/stream").await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    assert_eq!(text(response).await, expected);
}

#[tokio::test]
async fn without_comments() {
    check(whole(STREAM), None, WITHOUT_COMMENTS).await;
}

#[tokio::test]
async fn and_with_another_name() {
    check(whole(STREAM), Some("ours"), RENAMED).await;
}

#[tokio::test]
async fn byte_by_byte() {
    let mut writes: Vec<_> = chunked(STREAM.as_bytes().chunks(1)).collect();
    writes.push(b"0\r\n\r\n".to_vec());
    check(writes, Some("ours"), RENAMED).await;
}

/// Some servers leave out the last blank line, or even the end of the last line.
#[tokio::test]
async fn the_last_event_without_a_blank_line() {
    let renamed = "data: {\"model\":\"ours\",\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n";
    let event = renamed.replace("ours", "small-2");
    for (end, completed) in [("", "\n\n"), ("\n", "\n\n"), ("\r", "\r\n\n"), ("\r\n", "\r\n\n")] {
        let body = [event.trim_end(), end].concat();
        check(whole(&body), Some("ours"), renamed).await;
        let (upstream, _head) = answers(whole(&format!("{event}data: [DONE]{end}")));
        let mut proxied = Proxied::with_model(&upstream, None).await;
        let passed = text(proxied.get("/").await).await;
        assert_eq!(passed, format!("{event}data: [DONE]{completed}"), "{end:?}");
        let report = proxied.report().await;
        assert_eq!((report.tokens, report.end), (1, proxy::End::Complete), "{end:?}");
    }
}

#[tokio::test]
async fn what_the_gateway_says() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let upstream = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(gateway::serve(listener, Settings::default()));
    let mut proxied = Proxied::before(&upstream).await;
    let words = " one two  three\nfour 🦀 ";
    let body = json!({
        "model": "echo",
        "messages": [{ "role": "user", "content": words }],
        "stream": true,
        "stream_options": { "include_usage": true },
    });
    let direct = proxied.client.post(format!("{upstream}{CHAT}")).body(body.to_string());
    let direct = chunks(&text(send(direct).await).await);
    let through = chunks(&text(send(proxied.request(Method::POST, CHAT).body(body.to_string())).await).await);
    assert_eq!(through.len(), 8);
    assert!(direct.iter().all(|chunk| chunk["model"] == "echo"));
    assert!(through.iter().all(|chunk| chunk["model"] == "ours"));
    // They are separate answers, which differ in these members only.
    let same = |chunks: Vec<Value>| {
        let strip = |mut chunk: Value| {
            for name in ["id", "created", "model"] {
                assert!(chunk.as_object_mut().unwrap().remove(name).is_some());
            }
            chunk
        };
        chunks.into_iter().map(strip).collect::<Vec<_>>()
    };
    assert_eq!(same(through), same(direct));
    let report = proxied.report().await;
    assert_eq!((report.tokens, report.end), (5, proxy::End::Complete));
    assert_eq!(report.usage.map(|usage| (usage.prompt_tokens, usage.completion_tokens)), Some((5, 5)));
    assert!(report.first_token.is_some());
}

/// As strict as the simplest clients, which understand no other form of an event.
fn chunks(body: &str) -> Vec<Value> {
    let body = body.strip_suffix("data: [DONE]\n\n").expect(body);
    let events = body.split_terminator("\n\n").map(|event| event.strip_prefix("data: ").expect(event));
    events.map(|data| serde_json::from_str(data).expect(data)).collect()
}
