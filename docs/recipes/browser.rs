//! A page asks a language model and shows the answer as it arrives. A button can stop it.

use eventwire_web::{Dialect, Request};
use futures_util::{future::AbortHandle, future::abortable};
use std::time::Duration;

#[derive(serde::Deserialize)]
struct Token {
    text: Option<String>, // a gateway may add chunks of its own
}

/// Calls `show` with each token, and with the error if there is one. `AbortHandle::abort`
/// stops it.
pub fn ask(url: String, prompt: &str, show: impl Fn(&str) + 'static) -> AbortHandle {
    let question = serde_json::json!({ "prompt": prompt }).to_string();
    let request = Request::post(url)
        .with_header("Content-Type", "application/json")
        .with_body(question);
    let (answer, handle) = abortable(async move {
        if let Err(error) = read_answer(request, &show).await {
            show(&format!("\n[{error:#}]"));
        }
    });
    wasm_bindgen_futures::spawn_local(async {
        let _ = answer.await; // aborting drops the stream, which closes the connection
    });
    handle
}

async fn read_answer(request: Request, show: &impl Fn(&str)) -> anyhow::Result<()> {
    let answer = request.open().with_timeout(Duration::from_secs(60)).await?;
    let answer = answer.with_idle_timeout(Duration::from_secs(60));
    // An answer without `[DONE]` is truncated.
    let mut tokens = answer.json_with::<Token>(Dialect::OPENAI);
    while let Some(token) = tokens.next().await {
        show(&token?.text.unwrap_or_default());
    }
    Ok(())
}
