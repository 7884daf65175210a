//! Recipes: short, tested code for common tasks, to copy. Documentation only: this module has no items.
//!
//! Each recipe is a file of at most 80 lines, without blank ones, in the folder [`docs/recipes`] of the repository. The
//! tests run each recipe, nearly all over real connections; the two components are only compiled.
//!
//! The recipes that print write what they received. Before text of a server that you do not trust reaches a terminal,
//! replace its control characters.
//!
//! | recipe | what it shows | with |
//! |---|---|---|
//! | [One answer of a model](#one-answer-of-a-model) | a POST with typed tokens; each failure is one line | reqwest |
//! | [A chat client](#a-chat-client-with-typed-tokens-and-retries) | typed tokens as they arrive, safe retries, a timeout, the server's error message | reqwest 0.13 |
//! | [A server that broadcasts](#a-server-that-broadcasts) | JSON for many readers, who return and continue; gaps, slow readers, keep-alives, graceful shutdown | axum |
//! | [A page that shows a snapshot](#a-page-that-shows-a-snapshot) | the current state, and then every change, with no hole between the two; a new snapshot after a gap | axum |
//! | [A token that expires](#a-token-that-expires) | a stream that ends when its token expires or is revoked; a client that continues with a fresh one | axum, reqwest 0.13 |
//! | [Other servers](#other-servers) | the response of a handler, with keep-alives | actix-web, poem, rocket, salvo, warp |
//! | [A proxy that counts tokens](#a-proxy-that-counts-tokens) | `Tap`: streams that are forwarded unchanged; a log of their tokens and of how they ended; headers, limits and timeouts | axum, reqwest |
//! | [One response without `async`](#one-response-without-async) | events and comments, a limit on their size, a timeout | ureq |
//! | [Reconnection without `async`](#reconnection-without-async) | a loop around `Reconnect` of `eventwire-client`, which decides when to connect | ureq |
//! | [Another HTTP client](#another-http-client-reqwest-012) | a client that reconnects; a closure sends the requests | reqwest 0.12 |
//! | [Middleware](#middleware) | a client that reconnects, with typed events; each attempt goes through the middleware | reqwest-middleware |
//! | [An HTTP client of actix](#an-http-client-of-actix) | a client that reconnects, on one thread, with the types of `http` 0.2 | awc |
//! | [An `AsyncRead`](#an-asyncread) | the output of a process, a socket, a file | tokio |
//! | [A page in a browser](#a-page-in-a-browser) | a POST with JSON, typed tokens, and a button that stops the answer | eventwire-web |
//! | [A component of Yew](#a-component-of-yew) | a live feed that reconnects, the state of its connection, and its end | eventwire-web, Yew |
//! | [A component of Leptos](#a-component-of-leptos) | a chat whose answer stops with a button, a new question, or the component | eventwire-web, Leptos |
//! | [A decoder and comments](#a-decoder-and-comments) | a loop over borrowed events and comments, without `async` | `Read` |
//!
//! To follow a feed with reqwest 0.13, you need no recipe: the crate [`eventwire-reqwest`] adds `.eventsource()` to
//! requests, and `.open()` for a single response.
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
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/one_answer.rs"), "```"))]
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
if let Err(error) = ask(client.post(url).bearer_auth(key), &messages, &mut io::stdout()).await {
    eprintln!("\n{error:#}");
}
```"#
)]
//!
//! The idle timeout includes the time before the first token, so it must be longer than the model may take to begin
//! its answer.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/chat_client.rs"), "```"))]
//!
//! # A server that broadcasts
//!
//! ```sh
//! cargo add eventwire --features http-body,json,tokio
//! cargo add anyhow axum eventwire-hub serde tokio-util
//! cargo add tokio --features macros,net,rt-multi-thread,signal,time
//! ```
//!
//! `Feed::publish` sends a value to all readers, from any task or thread. The [`Channel`] numbers the events and keeps
//! the last ones. Each response begins with an ID, so that a reader has one to return with even if it receives no
//! event. A reader that returns sends `Last-Event-ID` and gets the events after that one, in order. A new reader begins
//! with the next event; with `Resume::from_request(..).or_earliest()`, it first gets those that are kept.
//!
//! A reader may have missed events that are no longer kept, because it was away for too long, because it is too slow,
//! or because the server has restarted: the kept events are in memory. In their place it gets an event of type `gap`,
//! with the number of missing events if that is known, such as `{"missed":17}`. A reader that must not miss anything
//! loads the current state when it gets a `gap`, as in [the next recipe](#a-page-that-shows-a-snapshot).
//!
//! A slow reader does not slow down the others, and needs no memory. When a client leaves, axum drops the body and the
//! reader in it. The page [Serving many] describes how large the history must be, metrics, and what to do about clients
//! that no longer read but stay connected.
//!
//! `shutdown.cancel()` ends every response and then the server. Call it, for example, after
//! `tokio::signal::ctrl_c()`. The last block of each response is a reconnection time, chosen at random, so that
//! clients do not return all at once. `response()` sets the headers, also those that keep proxies from buffering.
//!
//! A server that listens on a user's own machine is open to every web page in that user's browser, by DNS rebinding.
//! Check the header `Host` of each request: [`known_hosts.rs`] of the example gateway is a file to copy.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/axum_server.rs"), "```"))]
//!
//! # A page that shows a snapshot
//!
//! ```sh
//! cargo add eventwire --features http-body,json,tokio
//! cargo add anyhow axum eventwire-hub serde_json
//! cargo add tokio --features macros,net,rt-multi-thread
//! ```
//!
//! The server reads the position of the channel *before* it reads the state, and sends both. The page then subscribes
//! after this position, by the parameter `last_event_id`, because the first request of an `EventSource` has no header
//! for it. So a change that is made between the two, or before the page subscribes, is sent. If the position were read
//! after the state, a change between the two would be in neither.
//!
//! Such a change may also be in the snapshot already. So an event says what a price is now, not by how much it has
//! changed: then it does no harm if it is applied twice.
//!
//! This channel is never finished: a page that is told not to return would load the snapshot again and again.
//!
//! `set` has an order, too. The state changes before the event is sent, so everything up to a position is in the state
//! that is read after it. With a database, send the event after the commit. Two changes of the same price must be sent
//! in the order in which they were made; here the lock ensures that.
//!
//! After a `gap`, the page closes the stream and loads the snapshot again. It does the same, after three seconds, if a
//! request is refused, for example by a proxy whose server is restarting. An `EventSource` reconnects by itself only
//! when a connection fails.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/snapshot_then_events.rs"), "```"))]
//!
//! # A token that expires
//!
//! ```sh
//! cargo add eventwire --features http-body,tokio
//! cargo add anyhow axum eventwire-hub eventwire-reqwest futures-util tokio-util
//! cargo add reqwest@0.13
//! cargo add tokio --features macros,net,rt-multi-thread,time
//! ```
//!
//! A stream lives longer than the check at its beginning. `timeout_at` resolves when the token is revoked or expires,
//! and [`until`](crate::EventBody::until) then ends the body, never inside an event. The reader reconnects and sends
//! its last event ID. If its token is fresh by then, it continues after that event, so it loses none. Otherwise the
//! server answers 401, and neither a browser nor the client of this project tries again.
//!
//! The token is checked for each request, and before `subscribe`. Otherwise a reader whose token was revoked could
//! still get earlier events, with an old ID.
//!
//! `follow` takes the newest token for each attempt. Another task refreshes it before it expires. If the token is
//! rejected, `follow` returns the error. To continue later, keep the ID of the last event, and pass it to
//! [`with_last_event_id`] of a new source.
//!
//! An `EventSource` of a browser cannot send a header, so put the token into a cookie there, which the page refreshes
//! in time. After a 401 its `readyState` is `CLOSED`. Then refresh the cookie, and open a new one whose URL has the
//! `lastEventId` of the last event as `last_event_id`.
//!
//! The last block asks the reader to return within a second, because nothing is wrong with the server. The first block
//! of the next response sets the reconnection time back to 3 seconds.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/token_expires.rs"), "```"))]
//!
//! # Other servers
//!
//! ```sh
//! cargo add eventwire --features http-body,tokio
//! cargo add futures-util
//! ```
//!
//! axum takes the response of an [`EventBody`](crate::EventBody) as it is. These servers have their own types of
//! bodies, which take its chunks, and need [the headers](crate::EventBody::RESPONSE_HEADERS). With actix-web 4
//! (`cargo add actix-web@4`):
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/serve_actix.rs"), "```"))]
//!
//! With poem 3 (`cargo add poem@3`):
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/serve_poem.rs"), "```"))]
//!
//! With rocket 0.5 (`cargo add rocket@0.5`):
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/serve_rocket.rs"), "```"))]
//!
//! With salvo 1.1 (`cargo add salvo`):
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/serve_salvo.rs"), "```"))]
//!
//! With warp 0.4 (`cargo add warp@0.4`):
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/serve_warp.rs"), "```"))]
//!
//! # A proxy that counts tokens
//!
//! ```sh
//! cargo add eventwire anyhow axum futures-util serde_json
//! cargo add reqwest --features stream
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
//! POST /v1/chat/completions: complete, tokens 412, usage {"completion_tokens":412,"prompt_tokens":17}
//! ```
//!
//! **The end.** The tap tells its observer once how the stream ended: with a complete answer, with an error of the
//! server, or because the client left and axum dropped the body, even before the first byte of it was sent. An answer
//! without `[DONE]` is truncated, even if its connection ended without an error, so the recipe also looks for that. A
//! request that the client abandons before the server has answered has no stream, and is not logged.
//!
//! **Headers.** Headers of a single connection are not forwarded: those of the list, and those that `Connection` names.
//! Neither is `Accept-Encoding`, because compressed events cannot be counted, nor `Content-Length`: hyper drops a body
//! of known length after its last byte, without polling it again, so that a tap does not see the end.
//!
//! The server sees its own host in the header `Host`, so a server that checks it cannot protect itself from the pages
//! of other sites any more. If the proxy listens on a user's own machine, check `Host` in the proxy, as described
//! [above](#a-server-that-broadcasts).
//!
//! **Limits.** A request may have 64 MiB, and its body must not pause for a minute. A server must accept a connection
//! within 10 seconds, and must not be silent for longer than 10 minutes. If there is no answer, the client gets a 502
//! with the reason.
//!
//! To change what is forwarded, use [`Rewrite`](crate::Rewrite).
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/counting_proxy.rs"), "```"))]
//!
//! # One response without `async`
//!
//! ```sh
//! cargo add eventwire eventwire-client anyhow ureq
//! ```
//!
//! [`open_reader`] checks the response: if it is not an event stream, its error has the status and what the server
//! says. The function also returns an error if no data arrives for a minute, or if the stream ends inside an event. An
//! event or a comment over the limit is reported and skipped. Without `.blocks()`, the iterator returns only events.
//! With [`.json_with()`](crate::Events::json_with) instead, it returns values of your own type.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/ureq.rs"), "```"))]
//!
//! # Reconnection without `async`
//!
//! ```sh
//! cargo add eventwire eventwire-client anyhow ureq
//! ```
//!
//! [`Reconnect`] decides what to do next and computes the delays, from `retry`,
//! `Retry-After`, backoff and jitter. The decoder stores the last event ID. The function returns `Ok` when the server
//! answers 204. It returns an error if a response is rejected, such as a 401, if the first five attempts open no event
//! stream, or if an event is larger than 16 MiB. The agent also needs a timeout, because a dead peer looks like an
//! idle one:
//!
#![cfg_attr(
    not(doctest),
    doc = "```rust
let config = ureq::Agent::config_builder()
    .http_status_as_error(false)
    .timeout_per_read(Some(Duration::from_secs(60)));
let agent = config.build().new_agent();
```"
)]
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/ureq_reconnect.rs"), "```"))]
//!
//! # Another HTTP client: reqwest 0.12
//!
//! ```sh
//! cargo add eventwire --features http-body,tokio
//! cargo add eventwire-client
//! cargo add reqwest@0.12 anyhow futures-util http
//! cargo add tokio --features macros,rt-multi-thread
//! ```
//!
//! [`connector_fn`] turns a closure into a connector. The closure is called for each
//! attempt, and its future returns a response whose body is a stream of chunks. The event source handles the delays,
//! the limits and the last event ID. It stops without an error when the server answers 204. It stops with an error if
//! a response is rejected, or if the first five attempts open no event stream. If the closure sends a POST, call
//! [`with_resend`], so that a request that may have been carried
//! out is not sent again.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/reqwest_0_12.rs"), "```"))]
//!
//! # Middleware
//!
//! ```sh
//! cargo add eventwire --features http-body,json,tokio
//! cargo add eventwire-client --features json
//! cargo add reqwest-middleware --features rustls
//! cargo add futures-util http
//! cargo add serde --features derive
//! cargo add tokio --features macros,rt-multi-thread
//! ```
//!
//! Each attempt goes through the client's middleware, for example for tokens, logs or metrics. Do not add a
//! middleware that retries: the event source retries, and both together make too many attempts.
//! [`events`] returns a stream of the events alone, which ends with an error if the
//! source failed. An event that does not fit the type is skipped. reqwest-middleware 0.5 is for reqwest 0.13.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/reqwest_middleware.rs"), "```"))]
//!
//! # An HTTP client of actix
//!
//! ```sh
//! cargo add eventwire --features tokio
//! cargo add eventwire-client actix-rt awc futures-util http
//! ```
//!
//! awc's client and its responses are not `Send`. The event source does not require `Send`. To read a single response,
//! you need no connector: a `ClientResponse` is a stream of chunks and has [`.events()`](crate::EventsExt).
//!
//! awc waits five seconds for the head of a response, unless its `ClientBuilder` [sets another timeout][awc-timeout].
//! Over HTTP/1.1, it reads a body only if the response has a `Content-Length` or is chunked. It does not report a body
//! that is shorter than its `Content-Length`. So if the stream has a last event, name it by
//! [`with_end`]. A truncated stream then counts as a lost connection.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/awc.rs"), "```"))]
//!
//! # An `AsyncRead`
//!
//! ```sh
//! cargo add eventwire --features tokio
//! cargo add anyhow futures-util
//! cargo add tokio --features macros,rt-multi-thread
//! cargo add tokio-util --features io
//! ```
//!
//! tokio-util's `ReaderStream` turns a reader into a stream of chunks. If your reader implements the `AsyncRead` of the
//! crate `futures`, first convert it by `compat()` of tokio-util (feature `compat`). An event that is too large is
//! skipped. The function returns an error if the reader fails, has no data for a minute, or ends inside an event.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/async_read.rs"), "```"))]
//!
//! # A page in a browser
//!
//! ```sh
//! cargo add eventwire-web --features json
//! cargo add anyhow futures-util serde_json wasm-bindgen-futures
//! cargo add serde --features derive
//! ```
//!
//! If the server rejects the request, the page shows the body of the response, such as "please log in". A lost
//! connection is an error: the POST is not sent again, because the server may have carried it out. The page [In a
//! browser](crate::in_a_browser) describes how to build a page, and shows a feed that reconnects.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/browser.rs"), "```"))]
//!
//! # A component of Yew
//!
//! ```sh
//! cargo add eventwire-web futures-util
//! cargo add yew --features csr
//! ```
//!
//! Use it as `<Feed url="/live" />`. It shows the last 20 events, the newest first, and the state of the connection. If
//! the server refuses the feed, or answers 204, it shows that and does not ask again. When the component is removed,
//! `destroy` aborts the future, which drops the source, and the browser closes the connection. (Yew's `send_stream`
//! goes on reading.)
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/yew_feed.rs"), "```"))]
//!
//! # A component of Leptos
//!
//! ```sh
//! cargo add leptos --features csr
//! ```
//!
//! It calls `ask` of [the recipe for a page](#a-page-in-a-browser), and needs its file and its crates as well. Use it
//! as `<Chat url="/chat" />`.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/leptos_chat.rs"), "```"))]
//!
//! # A decoder and comments
//!
//! ```sh
//! cargo add eventwire
//! ```
//!
//! The decoder does no I/O, so the same loop works with any source of bytes, also without `std`.
//! [`decode_block`](crate::Decoder::decode_block) returns blocks and comments in order. You can mix it with
//! [`decode`](crate::Decoder::decode), which returns the events alone. A block without data is no event, but the
//! decoder's `reconnection_time` and `last_event_id` include it.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/decoder_and_comments.rs"), "```"))]
//!
//! [`docs/recipes`]: https://github.com/eventwire/eventwire/tree/main/docs/recipes
//! [`eventwire-reqwest`]: https://docs.rs/eventwire-reqwest
//! [`known_hosts.rs`]: https://github.com/eventwire/eventwire/blob/main/examples/gateway/src/known_hosts.rs
//! [Serving many]: https://docs.rs/eventwire-hub/latest/eventwire_hub/serving_many/
//! [`Channel`]: https://docs.rs/eventwire-hub/latest/eventwire_hub/struct.Channel.html
//! [`with_last_event_id`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.EventSource.html#method.with_last_event_id
//! [reqwest-again]: https://docs.rs/eventwire-reqwest/latest/eventwire_reqwest/#redirects
//! [awc-timeout]: https://docs.rs/awc/latest/awc/struct.ClientBuilder.html#method.timeout
//! [`Reconnect`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.Reconnect.html
//! [`connector_fn`]: https://docs.rs/eventwire-client/latest/eventwire_client/fn.connector_fn.html
//! [`events`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.EventSource.html#method.events
//! [`with_end`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.EventSource.html#method.with_end
//! [`with_resend`]: https://docs.rs/eventwire-client/latest/eventwire_client/adapters/struct.ConnectorFn.html#method.with_resend
//! [`open_reader`]: https://docs.rs/eventwire-client/latest/eventwire_client/fn.open_reader.html
//! [`on_retry`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.EventSource.html#method.on_retry
//! [`with_max_server_delay`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.ReconnectPolicy.html#method.with_max_server_delay
