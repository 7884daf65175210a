//! Recipes for clients of language models and of their tools: questions, answers, retries, tool calls, and MCP.
//! Documentation only: this module has no items.
//!
//! # One answer of a model
//!
//! ```sh
//! cargo add eventwire-reqwest --features json
//! cargo add anyhow serde_json
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
//! cargo add anyhow serde_json
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
//! # Tool calls
//!
//! ```sh
//! cargo add eventwire-reqwest --features json
//! cargo add anyhow serde_json
//! cargo add reqwest@0.13 --features json
//! cargo add serde --features derive
//! cargo add tokio --features macros,rt-multi-thread
//! ```
//!
//! A call arrives in pieces: its ID and its name first, then its arguments as parts of a JSON text. `index` says which
//! call a piece belongs to. A beginning of the arguments can look complete, so nothing must be called before the answer
//! has ended, with `[DONE]` and a `finish_reason` that says so. After `"length"`, the model was cut off, perhaps inside
//! a call.
//!
//! The arguments are text that a model has written: it may not be JSON, or not fit the tool. Tell the model, instead of
//! failing. A tool without parameters may have empty arguments. The question is sent once; for retries, see [the chat
//! client](#a-chat-client-with-typed-tokens-and-retries).
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/tool_calls.rs"), "```"))]
//!
//! # Ollama
//!
//! ```sh
//! cargo add eventwire-reqwest --features json
//! cargo add anyhow serde_json
//! cargo add reqwest@0.13 --features json
//! cargo add serde --features derive
//! cargo add tokio --features macros,rt-multi-thread
//! ```
//!
//! Ollama's own API sends JSON lines, not events. `.open_lines()` checks the response, and the dialect knows the last
//! line, whose `done` is `true`: an answer without it is truncated. A call of a tool is complete in one line. (Under
//! `/v1`, Ollama also has OpenAI's API.)
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/ollama.rs"), "```"))]
//!
//! # A model that is overloaded
//!
//! ```sh
//! cargo add eventwire-reqwest --features json
//! cargo add anyhow fastrand futures-util serde_json
//! cargo add reqwest@0.13 --features json
//! cargo add serde --features derive
//! cargo add tokio --features macros,rt-multi-thread,time
//! ```
//!
//! Anthropic's API answers 529 when it has too many requests, or, if the response has already begun, sends an event
//! with an `overloaded_error`. Before the first token, nothing of the answer was shown, so it is safe to ask again:
//! with growing delays, or after the time that a `Retry-After` names, but after at most a minute. After the first
//! token, a new answer would begin with other words, so the event is an error, like any other failure.
//!
//! The key is in the header `x-api-key`, which reqwest also sends to another host that a redirect leads to. So make the
//! client with `eventwire_reqwest::client_builder()`: it follows no redirects.
//!
//! For other APIs, change the dialect, the path to the text, and `is_overloaded`.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/overloaded.rs"), "```"))]
//!
//! # An answer that is continued
//!
//! ```sh
//! cargo add eventwire-reqwest --features json
//! cargo add anyhow serde_json
//! cargo add reqwest@0.13 --features json
//! cargo add tokio --features macros,rt-multi-thread
//! ```
//!
//! In the `background` mode of OpenAI's Responses API, the model goes on when the connection is lost. A GET with the
//! response's ID and the number of the last event returns the rest. [`Hooks::cursor`] makes the end of that GET's URL
//! from each event, and the closure sends a POST only until there is such a cursor.
//!
//! [`Resend::WithCursor`] is the rule for what is sent again. If the connection is lost before the first event, the
//! function returns an error, because the model may have begun, and a second answer would be billed too. After a 429,
//! or if no connection can be made, the model has not begun, so the POST is sent again. The GET is sent again after a
//! lost connection, a timeout or a 5xx, until five attempts in a row have brought no new piece of the answer. Any
//! other status is an error at once.
//!
//! Put the API key into the default headers of the client. Make the client with `eventwire_reqwest::client_builder()`:
//! it follows no redirects, which would send the key to another host. If you drop the future, the model goes on, and
//! its answer is billed.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/continued_answer.rs"), "```"))]
//!
//! # A request to an MCP server
//!
//! ```sh
//! cargo add eventwire-reqwest --features json
//! cargo add anyhow serde_json
//! cargo add reqwest@0.13 --features json
//! cargo add tokio --features macros,rt-multi-thread
//! ```
//!
//! In MCP's [Streamable HTTP][mcp], each request is a POST. The server answers with JSON, or with an event stream that
//! ends after the response. If the connection breaks and the events have IDs, a GET with `Last-Event-ID` continues that
//! stream. [`Resend::WithCursor`] is the rule for it: another request is sent only if there is an ID. Otherwise the
//! server may have called the tool already, so the function returns an error, and does not call it twice.
//!
//! The recipe is for revision 2025-06-18 and works with 2025-11-25, where a stream begins with an event that has only
//! an ID. Answer the server's own requests, such as `roots/list`, with a POST of their own. A 404 with a session means
//! that it has ended: send `initialize` again. A server that sends nothing while a tool runs needs a longer idle
//! timeout. Make the client with `eventwire_reqwest::client_builder()`: it follows no redirects, which would send the
//! session's ID to another host.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/mcp.rs"), "```"))]
//!
//! [reqwest-again]: https://docs.rs/eventwire-reqwest/latest/eventwire_reqwest/#redirects
//! [`on_retry`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.EventSource.html#method.on_retry
//! [`with_max_server_delay`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.ReconnectPolicy.html#method.with_max_server_delay
//! [mcp]: https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#streamable-http
//! [`Hooks::cursor`]: https://docs.rs/eventwire-client/latest/eventwire_client/trait.Hooks.html#method.cursor
//! [`Resend::WithCursor`]: https://docs.rs/eventwire-client/latest/eventwire_client/enum.Resend.html#variant.WithCursor
