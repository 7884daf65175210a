use eventwire_reqwest::{Dialect, RequestBuilderExt};
use serde_json::{Value, json};
use std::io::{Write, stdout};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let messages = json!([{ "role": "user", "content": "What is an event stream?" }]);
    let request = reqwest::Client::new()
        .post("http://127.0.0.1:8080/v1/chat/completions")
        .json(&json!({ "model": "echo", "stream": true, "messages": messages }));
    let mut chunks = request.open().await?.json_with::<Value>(Dialect::OPENAI);
    while let Some(chunk) = chunks.next().await {
        let token = &chunk?["choices"][0]["delta"]["content"];
        print!("{}", token.as_str().unwrap_or_default());
        stdout().flush()?;
    }
    println!();
    Ok(())
}
