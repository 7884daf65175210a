//! Recipes for proxies: streams that are counted and forwarded unchanged, and streams that are changed. Documentation
//! only: this module has no items.
//!
//! # A proxy that counts tokens
//!
//! ```sh
//! cargo add eventwire --features http-body
//! cargo add anyhow axum http-body-util reqwest serde_json
//! cargo add tokio --features macros,net,rt-multi-thread
//! cargo add tower-http --features timeout
//! ```
//!
//! A [`Tap`](crate::Tap) forwards each chunk at once and unchanged, and shows its blocks to an observer, which also
//! learns how the stream ended. If the connection to the model's server breaks, the proxy also breaks the client's
//! connection. If the client leaves, the proxy closes the connection to the server. A client that reads slowly slows
//! down the server, because a chunk is read only when the one before it has been sent.
//!
//! `axum::serve(listener, proxy("http://127.0.0.1:8080".parse()?)?).await?` serves it. Call `set_nodelay(true)` on its
//! connections, by axum's `ListenerExt::tap_io`: the kernel may otherwise hold back a small event until the one before
//! it is acknowledged. The path of the server's URL is not used. When a stream ends, its line is written to standard
//! error:
//!
//! ```text
//! POST /v1/chat/completions: complete, tokens 412, usage {"completion_tokens":412}
//! ```
//!
//! **The end.** The tap tells its observer once how the stream ended: with a complete answer, with an error of the
//! server, or because the client left and axum dropped the body, even before the first byte of it was sent. An answer
//! without `[DONE]` is truncated, even if its connection ended without an error, so the recipe also looks for that. A
//! request that the client abandons before the server has answered has no stream, and is not logged.
//!
//! **What is counted.** [`Tap::from_response`](crate::Tap::from_response) reads every event stream, whatever its
//! status. An empty one, such as the answer to a `HEAD`, is logged as one without `[DONE]`. All other responses are
//! forwarded as they are.
//!
//! **Headers.** Headers of a single connection are not forwarded: those of the list, and those that `Connection` names.
//! Neither is `Accept-Encoding`, because [compressed events](super::compression#in-a-proxy) cannot be counted. If the
//! server compresses nevertheless, the stream is forwarded, and the log says that it was not counted.
//!
//! The server sees its own host in the header `Host`, so a server that checks it cannot protect itself from the pages
//! of other sites any more. If the proxy listens on a user's own machine, check `Host` in the proxy, as for [a server
//! that broadcasts](super::servers#a-server-that-broadcasts).
//!
//! **Limits.** A request may have 64 MiB, and its body must not pause for a minute. A server must accept a connection
//! within 10 seconds, and must not be silent for longer than 10 minutes. If there is no answer, the client gets a 502
//! with the reason.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/counting_proxy.rs"), "```"))]
//!
//! The second file, `count.rs`:
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/count.rs"), "```"))]
//!
//! # A proxy that changes what it forwards
//!
//! ```sh
//! cargo add eventwire --features http-body,tokio
//! cargo add axum eventwire-reqwest futures-util serde_json
//! cargo add reqwest@0.13
//! cargo add tokio --features macros,net,rt-multi-thread,time
//! ```
//!
//! A handler returns `relay(client.post(url).body(question)).await`. The answer is read block by block, and `changed`
//! returns what is sent in place of each block or comment: nothing, one or several. Here it renames the model, masks a
//! key, and adds an event with the usage. Its text is complete however the bytes arrived, but a word may still be split
//! over two events, because a model sends its answer in pieces.
//!
//! **What is lost.** The client gets the same blocks and comments, written anew: unknown fields, the kind of line ends
//! and a byte order mark are not kept. A block is forwarded when it is complete, and a comment inside a block before
//! it. If not a byte may change, use a [`Tap`](crate::Tap), as in the recipe above, which also handles headers and
//! limits.
//!
//! **Silence.** If the server does not answer within five seconds, the response begins without it. So its status is 200
//! even if the server then refuses the request. Until the server's first event, and whenever it is silent for 15
//! seconds, the client gets a keep-alive. It may be any block, such as the event `ping` here. Without
//! [`with_block`](crate::KeepAlive::with_block), it is a comment, which every client ignores.
//!
//! **The end.** If the server breaks off or is silent for five minutes, the last event contains the error, in the form
//! of OpenAI's API. If the client leaves, axum drops the body, and with it the request to the server.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/changing_proxy.rs"), "```"))]
