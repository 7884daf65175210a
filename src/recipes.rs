//! Recipes: short programs for common tasks, to be copied. Documentation only: this module has no items.
//!
//! Each recipe is a file of 20 to 40 lines in the folder [`docs/recipes`] of the repository. (The first one is longer,
//! because it shows more.) The tests run each of them against a real server.
//!
//! | recipe | what it shows | with |
//! |---|---|---|
//! | [A server that broadcasts](#a-server-that-broadcasts) | JSON with IDs, `Last-Event-ID`, many readers, slow readers, keep-alives, graceful shutdown | axum |
//! | [A proxy that counts tokens](#a-proxy-that-counts-tokens) | a body forwarded unchanged, and a count for each answer | axum, reqwest |
//! | [One response without `async`](#one-response-without-async) | events and comments, a limit on their size, a timeout | ureq |
//! | [Reconnection without `async`](#reconnection-without-async) | the rules alone, `client::Reconnect`, in a loop | ureq |
//! | [Another HTTP client](#another-http-client-reqwest-012) | the client that reconnects, over a closure | reqwest 0.12 |
//! | [Middleware](#middleware) | the same with typed events; each attempt goes through the middleware | reqwest-middleware |
//! | [An HTTP client of actix](#an-http-client-of-actix) | the same over types of `http` 0.2, on one thread | awc |
//! | [An `AsyncRead`](#an-asyncread) | the output of a process, a socket, a file | tokio |
//! | [A page in a browser](#a-page-in-a-browser) | a POST with JSON, a typed answer, a button that stops it | eventwire-web |
//! | [A decoder and comments](#a-decoder-and-comments) | a loop of your own over borrowed events and comments | `Read` |
//!
//! With reqwest 0.13 you need no recipe: the crate [`eventwire-reqwest`] has `.eventsource()` for its requests, and
//! [`Eventsource`](crate::Eventsource) has it for the body of one response.
//!
//! # A server that broadcasts
//!
//! ```sh
//! cargo add eventwire --features http-body,json,tokio
//! cargo add axum futures-util serde serde_json tokio-util
//! cargo add tokio --features macros,rt-multi-thread,signal,sync
//! ```
//!
//! `Feed::publish` sends a value to all readers, from any task or thread. A reader that returns sends
//! `Last-Event-ID` and gets the events after that one, in order. The last `KEPT` events are kept. A reader that was
//! away for longer misses those before them, and a new reader gets all of them.
//!
//! A slow reader does not slow down the others. When it is more than `QUEUED` events behind, the channel reports
//! `Lagged` and its response ends. The client reconnects with its last event ID and gets what it missed. (To skip
//! what it missed instead, continue the loop at `Lagged`, as [`EventBody`](crate::EventBody#with-axum) shows.) When a
//! client leaves, axum drops the body, and the receiver with it.
//!
//! `shutdown.cancel()`, for example after `tokio::signal::ctrl_c()`, ends every response and then the server. The
//! last block of each response is a reconnection time, chosen at random, so that clients do not return all at once.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/axum_server.rs"), "```"))]
//!
//! # A proxy that counts tokens
//!
//! ```sh
//! cargo add eventwire axum serde_json
//! cargo add reqwest --features stream
//! cargo add tokio --features macros,rt-multi-thread,sync
//! ```
//!
//! A [`Tap`](crate::Tap) forwards each chunk at once and unchanged, and shows its events to a closure. The count is
//! reported when the body is dropped: at its end, after an error, or when the client leaves. If the connection to the
//! model's server breaks, the proxy also breaks the client's connection. If the client leaves, the proxy closes the
//! connection to the server. Add the handler to a `Router` by `post(relay)`, with a `Proxy` as the state.
//!
//! Only two headers of the request are forwarded. `Accept-Encoding` must not be one of them, because compressed events
//! cannot be counted. The example [`proxy`] forwards nearly all headers, reads the usage that the server reports, and
//! measures the time to the first token. To change what is forwarded, use [`Rewrite`](crate::Rewrite).
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/counting_proxy.rs"), "```"))]
//!
//! # One response without `async`
//!
//! ```sh
//! cargo add eventwire ureq
//! ```
//!
//! An event or a comment over the limit is reported and skipped. The function returns an error if the status is 400
//! or more, if the response is not an event stream, if no data arrives for a minute, or if the stream ends inside
//! an event. Without `.blocks()` the iterator returns only events, and with [`.json()`](crate::Events::json) values
//! of your own type.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/ureq.rs"), "```"))]
//!
//! # Reconnection without `async`
//!
//! ```sh
//! cargo add eventwire --features client
//! cargo add ureq
//! ```
//!
//! [`Reconnect`](crate::client::Reconnect) decides what to do next. It knows the delays (`retry`, `Retry-After`,
//! backoff and jitter), and the decoder has the last event ID. The function returns `Ok` when the server answers 204.
//! It returns an error if a response is refused, such as a 401, if no event stream could be opened in five attempts,
//! or if an event is larger than 16 MiB. The agent also needs a timeout, because a dead peer looks like an idle one:
//! `ureq::Agent::config_builder().http_status_as_error(false).timeout_per_read(Some(Duration::from_secs(60)))`.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/ureq_reconnect.rs"), "```"))]
//!
//! # Another HTTP client: reqwest 0.12
//!
//! ```sh
//! cargo add eventwire --features client,http-body,tokio
//! cargo add reqwest@0.12 futures-util http
//! cargo add tokio --features macros,rt-multi-thread
//! ```
//!
//! [`connector_fn`](crate::client::connector_fn) turns a closure into a connector. The closure is called for each
//! attempt, and its future returns a response whose body is a stream of chunks. The source does the rest: delays,
//! limits, the last event ID. It stops when the server answers 204, and with an error if a response is refused or if
//! no event stream could be opened in five attempts. If the closure sends a POST, call
//! [`with_resend`](crate::client::adapters::ConnectorFn::with_resend), so that a request that may have been carried
//! out is not sent again.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/reqwest_0_12.rs"), "```"))]
//!
//! # Middleware
//!
//! ```sh
//! cargo add eventwire --features client,http-body,json,tokio
//! cargo add reqwest-middleware --features rustls
//! cargo add futures-util http
//! cargo add serde --features derive
//! cargo add tokio --features macros,rt-multi-thread
//! ```
//!
//! Each attempt goes through the client's middleware, for example for tokens, logs or metrics. Leave retries to the
//! event source: with a middleware that also retries, there are too many attempts.
//! [`events`](crate::client::EventSource::events) returns a stream of the events alone, which ends with an error if the
//! source failed. An event that does not fit the type is skipped. reqwest-middleware 0.5 is for reqwest 0.13.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/reqwest_middleware.rs"), "```"))]
//!
//! # An HTTP client of actix
//!
//! ```sh
//! cargo add eventwire --features client,tokio
//! cargo add actix-rt awc futures-util http
//! ```
//!
//! awc's client and its responses are not `Send`, and the event source does not need that. A single response needs no
//! connector: a `ClientResponse` is a stream of chunks and has [`.eventsource()`](crate::Eventsource).
//!
//! awc waits five seconds for the head of a response, unless its client [has another timeout][awc-timeout]. It reads a
//! body over HTTP/1.1 only if the response has a `Content-Length` or is chunked. It does not report a body that is
//! shorter than its `Content-Length`. If the stream has an end, name it by
//! [`with_end`](crate::client::EventSource::with_end).
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/awc.rs"), "```"))]
//!
//! # An `AsyncRead`
//!
//! ```sh
//! cargo add eventwire --features tokio
//! cargo add futures-util
//! cargo add tokio --features macros,rt-multi-thread
//! cargo add tokio-util --features io
//! ```
//!
//! tokio-util's `ReaderStream` turns a reader into a stream of chunks. A reader of the crate `futures` first becomes
//! one of tokio's, by `compat()` of tokio-util (feature `compat`). An event that is too large is skipped. A reader
//! that fails, that has no data for a minute, or that ends inside an event is an error.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/async_read.rs"), "```"))]
//!
//! # A page in a browser
//!
//! ```sh
//! cargo add eventwire --no-default-features --features client,json
//! cargo add eventwire-web futures-util serde_json wasm-bindgen-futures
//! cargo add serde --features derive
//! ```
//!
//! A refused request shows the body of its response, such as "please log in". A connection that drops is an error:
//! the POST is not sent again, because the server may have carried it out. How to build a page, and a feed that
//! reconnects, are on the page [In a browser](crate::in_a_browser).
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/browser.rs"), "```"))]
//!
//! # A decoder and comments
//!
//! ```sh
//! cargo add eventwire
//! ```
//!
//! The decoder has no I/O, so the same loop works with any source of bytes, and without `std`.
//! [`decode_block`](crate::Decoder::decode_block) returns events and comments in order, and can be mixed with
//! [`decode`](crate::Decoder::decode), which skips comments. A `retry` or an ID without data is a block too;
//! `reconnection_time` and `last_event_id` of the decoder include them.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/recipes/decoder_and_comments.rs"), "```"))]
//!
//! [`docs/recipes`]: https://github.com/eventwire/eventwire/tree/main/docs/recipes
//! [`eventwire-reqwest`]: https://docs.rs/eventwire-reqwest
//! [`proxy`]: https://github.com/eventwire/eventwire/tree/main/examples/proxy
//! [awc-timeout]: https://docs.rs/awc/latest/awc/struct.ClientBuilder.html#method.timeout
