//! Recipes for clients of language models and of their tools: questions, answers, retries, tool calls, and MCP.
//! Documentation only: this module has no items.
//!
//! # One answer of a model
//!
//! ```sh
//! cargo add eventwire-reqwest --features json
//! cargo add anyhow futures-util serde_json
//! cargo add reqwest@0.13 --features json
//! cargo add serde --features derive
//! cargo add tokio --features macros,rt-multi-thread
//! ```
//!
//! `.open()` sends the request and checks the response. If the server refuses the question, cannot be reached, falls
//! silent or breaks off, or if the answer has no `[DONE]`, the error says so in one line: print it by `{error:#}`. The
//! question is sent once; the next recipe tries again.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/one_answer.rs"), "```"))]
//!
//! # A chat client with typed tokens and retries
//!
//! ```sh
//! cargo add eventwire-reqwest --features json
//! cargo add anyhow futures-util serde_json
//! cargo add reqwest@0.13 --features json
//! cargo add serde --features derive
//! cargo add tokio --features macros,rt-multi-thread
//! ```
//!
//! If no connection can be made, or the server answers 429, the server has not processed the question. So it is sent
//! again, up to four times in total. The closure of [`on_retry`] reports
//! each retry. The server can ask for a delay of up to an hour, unless
//! [`with_max_server_delay`] sets another limit.
//!
//! After any other failure, the server may have processed the question, and a second answer could be billed too. So
//! a lost connection, a timeout, and any other status are errors, and the question is not sent again. An error that
//! the server reports mid-stream and an answer that ends without `[DONE]` are errors as well. The tokens before an
//! error have already been written.
//!
//! The client must follow no redirects: the recipe follows them itself, so that it knows whether a server has received
//! the question ([details][reqwest-again]). With a connect timeout, a host that does not answer counts as a failed
//! connection and is retried:
//!
#![cfg_attr(
    not(doctest),
    doc = r#"```rust
let client = eventwire_reqwest::client_builder()
    .connect_timeout(Duration::from_secs(10))
    .build()?;
let messages = json!([{ "role": "user", "content": "Why is the sky blue?" }]);
let request = client.post(url).bearer_auth(key);
if let Err(error) = ask(request, &messages, &mut io::stdout()).await {
    eprintln!("\n{error:#}");
}
```"#
)]
//!
//! The idle timeout includes the time before the first token, so it must be longer than the model may take to begin
//! its answer.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/chat_client.rs"), "```"))]
//!
//! [reqwest-again]: https://docs.rs/eventwire-reqwest/latest/eventwire_reqwest/#redirects
//! [`on_retry`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.EventSource.html#method.on_retry
//! [`with_max_server_delay`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.ReconnectPolicy.html#method.with_max_server_delay
