//! GraphQL's incremental delivery: read by npm's `meros`, written by npm's `graphql-yoga`.

use crate::{
    http_client,
    server::{Steps, serve, stepwise},
};
use eventwire_multipart::{Boundary, Collected, PartDecoder, PartEncoder, Parts, WholePart};
use futures_util::TryStreamExt;
use serde_json::{Value, json};
use std::{
    env,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

/// A deferred response with texts that look like delimiters, and a heartbeat.
fn payloads() -> Vec<Value> {
    vec![
        json!({ "data": { "title": "---", "words": ["one\r\n---"] }, "hasNext": true }),
        json!({}),
        json!({ "incremental": [{ "data": { "text": "\r\n---\r\n-----\r\n" }, "path": ["story"] }], "hasNext": true }),
        json!({ "hasNext": false }),
    ]
}

/// `meros` returns each part before the next one is sent.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Node and npm's meros: tests/interop/run tests"]
async fn meros_reads_our_response() {
    let steps =
        |payload: &Value| vec![WholePart::new("application/json; charset=utf-8", payload.to_string()).unwrap().into()];
    let steps: Steps = payloads().iter().map(steps).collect();
    let encoder = PartEncoder::new(Boundary::new("-").unwrap()).unwrap().with_leading_line_end();
    let server = serve(stepwise(steps, encoder, "multipart/mixed")).await;
    let mut command = node("meros.mjs");
    command.arg(format!("http://{server}"));
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let seen: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(seen, payloads());
}

#[tokio::test]
#[ignore = "needs Node and npm's graphql-yoga: tests/interop/run tests"]
async fn a_response_of_graphql_yoga_is_read() {
    let yoga = Yoga::start();

    // Part by part, each before the server has the next value.
    let response = yoga.ask().await;
    let decoder = decoder(&response);
    let mut parts = Parts::new(Box::pin(response.bytes_stream()), decoder);
    let mut payloads = Vec::new();
    while let Some(part) = parts.next().await {
        let part = part.unwrap();
        assert!(part.media_type().unwrap().is("application/json"));
        payloads.push(serde_json::from_slice(&part.bytes().await.unwrap()).unwrap());
        yoga.go_on().await;
    }
    assert!(parts.decoder().is_closed());
    assert_answer(&payloads);

    // As JSON, without waiting between the parts.
    let response = yoga.ask().await;
    let decoder = self::decoder(&response);
    for _ in 0..3 {
        yoga.go_on().await;
    }
    let payloads = Collected::new(response.bytes_stream(), decoder).json::<Value>();
    let payloads: Vec<Value> = payloads.try_collect().await.unwrap();
    assert_answer(&payloads);
}

/// Four or more payloads: the first one, one for each deferred value, and maybe one for the end.
#[track_caller]
fn assert_answer(payloads: &[Value]) {
    let first = json!({ "data": { "title": "a title", "words": ["one\r\n---"] }, "hasNext": true });
    assert_eq!(payloads[0], first, "{payloads:?}");
    let of_payload = |payload: &Value| payload["incremental"].as_array().cloned().unwrap_or_default();
    let later: Vec<Value> = payloads.iter().flat_map(of_payload).collect();
    let with = |member: &str| -> Vec<Value> { later.iter().filter_map(|one| one.get(member).cloned()).collect() };
    assert_eq!(with("data"), [json!({ "story": { "text": "---\r\n-----\r\nonce upon a time" } })], "{payloads:?}");
    assert_eq!(with("items"), [json!(["\n-----\n"]), json!(["three"])], "{payloads:?}");
    let (last, before) = payloads.split_last().unwrap();
    assert_eq!(last["hasNext"], false);
    assert!(before.iter().all(|payload| payload["hasNext"] == true));
}

fn decoder(response: &reqwest::Response) -> PartDecoder {
    let content_type = &response.headers()["content-type"];
    assert_eq!(content_type, "multipart/mixed; boundary=\"-\"");
    PartDecoder::from_content_type(content_type.as_bytes()).unwrap()
}

/// A server that gets each value only when it is told to continue.
struct Yoga {
    server: Child,
    url: String,
}

impl Yoga {
    fn start() -> Yoga {
        // The server exits when its standard input ends.
        let mut server = node("yoga.mjs").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut url).unwrap();
        assert!(url.starts_with("http://127.0.0.1:"), "{url}");
        Yoga { server, url: url.trim_end().to_owned() }
    }

    async fn ask(&self) -> reqwest::Response {
        let query = "{ title words @stream(initialCount: 1) ... @defer { story { text } } }";
        let request = http_client()
            .post(format!("{}/graphql", self.url))
            .header("accept", "multipart/mixed")
            .header("content-type", "application/json")
            .body(json!({ "query": query }).to_string());
        request.send().await.unwrap().error_for_status().unwrap()
    }

    async fn go_on(&self) {
        http_client().post(format!("{}/next", self.url)).send().await.unwrap().error_for_status().unwrap();
    }
}

impl Drop for Yoga {
    fn drop(&mut self) {
        self.server.kill().unwrap();
        self.server.wait().unwrap();
    }
}

/// Runs a script of tests/interop, which is in the same folder as its packages.
fn node(script: &str) -> Command {
    let mut command = Command::new("node");
    command.arg(Path::new(&env::var("EVENTWIRE_NODE").unwrap()).join(script));
    command
}
