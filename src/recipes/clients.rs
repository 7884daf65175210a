//! Recipes for clients: several feeds, feeds that continue, tokens, Tauri, and HTTP clients other than reqwest, also
//! without `async`. Documentation only: this module has no items.
//!
//! In the tests of a client, the crate [`eventwire-test`](https://docs.rs/eventwire-test) is a server that breaks where
//! the test says: inside an event, with a reset, with a 503.
//!
//! # Several feeds at once
//!
//! ```sh
//! cargo add eventwire-reqwest futures-util
//! cargo add reqwest@0.13
//! cargo add tokio --features macros,rt-multi-thread,sync
//! ```
//!
//! One task follows all feeds. Other parts of the program add and remove them through a channel. A source is added with
//! its settings, such as a timeout. The task polls only the feeds that have been woken, so quiet ones cost nothing.
//! When a feed stops, its last news says why, and the others go on.
//!
#![cfg_attr(
    not(doctest),
    doc = "```rust
let (changes, received) = mpsc::channel(8);
tokio::spawn(follow(received, |name, news| println!(\"{name}: {news:?}\")));

let source = client.get(url).eventsource()?.with_idle_timeout(Duration::from_secs(60));
changes.send((\"prices\".to_owned(), Some(source))).await?;
```"
)]
//!
//! If a server restarts, all of its feeds are lost at once. They do not return at once, because each source has a
//! random delay of its own, at first of one to two times the reconnection time. So the server, with `retry`, or the
//! client, with [`with_reconnection_time`], sets over how much time they are spread: 3 seconds by default, which is
//! short for thousands of feeds. The first attempts have no delay, so do not add that many in one go.
//!
//! Make all sources with one client. Over HTTP/2, the feeds of a server then share a connection.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/several_feeds.rs"), "```"))]
//!
//! # A token that is renewed
//!
//! ```sh
//! cargo add eventwire-reqwest anyhow
//! cargo add reqwest@0.13
//! cargo add tokio --features macros,rt-multi-thread,sync,time
//! ```
//!
//! Feeds often share a token. A task renews it when nine tenths of its lifetime are over, or when the server has
//! rejected it. [`from_fn`] makes a new request for each attempt, with the newest token. Streams that are open go on.
//! If the server ends one because its token has expired, the next attempt has the new token.
//!
//! A 401 stops the source, because the same request would get the same answer. `follow` then asks for another token and
//! waits for it. [`restart`] connects again at once, with the last event ID, so no event is lost. As at the start, five
//! attempts that open no stream are then an error. If the new token is rejected as well, another one would not help, so
//! `follow` returns that error.
//!
//! Run the two together, because `follow` waits for `renew`. An error of `fetch` ends `renew`, so let `fetch` try again by
//! itself. For several feeds, join their futures:
//!
#![cfg_attr(
    not(doctest),
    doc = "```rust
let tokens = Tokens::new(fetch().await?);
tokio::select! {
    result = tokens.renew(fetch) => result, // `fetch` has failed
    result = tokens.follow(url, on_event) => result,
}
```"
)]
//!
//! The server's side is the recipe for [a token that expires](super::servers#a-token-that-expires).
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/token_refresh.rs"), "```"))]
//!
//! # A feed that is saved at Ctrl-C
//!
//! ```sh
//! cargo add eventwire-reqwest anyhow
//! cargo add reqwest@0.13
//! cargo add tokio --features fs,macros,rt-multi-thread,signal
//! ```
//!
//! `last_event_id` is the ID of the last event that the source has returned, and it is saved after that event has been
//! handled. So the next run begins with the event after it, if the server still has that. Nothing is repeated, whether
//! the run ends by Ctrl-C or because the source has failed.
//!
//! Only if the process is killed is an old ID in the file, and later events arrive again. If that must not happen,
//! save the ID with each event: together with what you make of the event, in one transaction of a database.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/last_id.rs"), "```"))]
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
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/ureq.rs"), "```"))]
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
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/ureq_reconnect.rs"), "```"))]
//!
//! # hyper
//!
//! ```sh
//! cargo add eventwire --features tokio
//! cargo add eventwire-client http-body-util hyper thiserror
//! cargo add hyper-util --features client-legacy,http1,tokio
//! cargo add tokio --features macros,rt-multi-thread
//! ```
//!
//! [`connector_fn`] turns a closure into a connector. The closure is called for each attempt, and its future returns a
//! response whose body is a stream of chunks; [`eventwire-client`] describes what the event source then does. If the
//! closure sends a POST, call [`with_resend`], so that a request that may have been carried out is not sent again.
//!
//! A client from `build_http` supports only URLs that begin with `http://`. For others, build it with a
//! connector that supports TLS, such as that of the crate `hyper-rustls`.
//!
#![cfg_attr(
    not(doctest),
    doc = "```rust
let client = Client::builder(TokioExecutor::new()).build_http();
let source = EventSource::with_connector(connector(client, url), TokioTimer)
    .with_idle_timeout(Duration::from_secs(60));
```"
)]
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/hyper.rs"), "```"))]
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
//! For a single response, such as an answer, you need no connector: [`.open()`] of eventwire-reqwest on the response.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/reqwest_middleware.rs"), "```"))]
//!
//! # An HTTP client of actix
//!
//! ```sh
//! cargo add eventwire --features tokio
//! cargo add eventwire-client actix-rt awc http
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
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/awc.rs"), "```"))]
//!
//! # Tauri
//!
//! ```sh
//! cd src-tauri
//! cargo add eventwire-reqwest tokio-util
//! cargo add reqwest@0.13
//! cargo add serde --features derive
//! cargo add tokio --features macros
//! ```
//!
//! A page passes a channel to a command, and receives through it what happens, in order. The command lasts as long as the
//! feed, so its promise resolves at the end, or is rejected with the error:
//!
//! ```js
//! import { Channel, invoke } from "@tauri-apps/api/core";
//!
//! const updates = new Channel((update) => console.log(update));
//! invoke("follow", { feed: "prices", updates }).catch((error) => console.error(error));
//! stopButton.onclick = () => invoke("stop", { id: updates.id });
//! ```
//!
//! In `lib.rs`, `with_streams(tauri::Builder::default()).expect("an HTTP client")` adds the commands to the app. Tauri
//! keeps only the last `invoke_handler` and the last `on_page_load`: if your app has commands, add them to this list, and
//! do not call these methods again. A feed, and its connection, is dropped when the page stops it, when the page is
//! loaded again, and when its window is closed. Otherwise the feed would run on without a page, because sending to the
//! channel of a closed page does not always fail.
//! The page chooses one of the feeds that the app knows, so a script on it cannot make the app send requests, with its
//! tokens, to other URLs.
//!
//! `src-tauri/src/tauri_streams.rs` does not use Tauri, and a test runs it:
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/tauri_streams.rs"), "```"))]
//!
//! `src-tauri/src/lib.rs`. The commands are compiled with Tauri 2, but no test runs them:
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/tauri.rs"), "```"))]
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
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/async_read.rs"), "```"))]
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
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/decoder_and_comments.rs"), "```"))]
//!
//! [awc-timeout]: https://docs.rs/awc/latest/awc/struct.ClientBuilder.html#method.timeout
//! [`Reconnect`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.Reconnect.html
//! [`eventwire-client`]: https://docs.rs/eventwire-client
//! [`.open()`]: https://docs.rs/eventwire-reqwest/latest/eventwire_reqwest/trait.ResponseExt.html
//! [`connector_fn`]: https://docs.rs/eventwire-client/latest/eventwire_client/fn.connector_fn.html
//! [`events`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.EventSource.html#method.events
//! [`with_end`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.EventSource.html#method.with_end
//! [`with_resend`]: https://docs.rs/eventwire-client/latest/eventwire_client/adapters/struct.ConnectorFn.html#method.with_resend
//! [`open_reader`]: https://docs.rs/eventwire-client/latest/eventwire_client/fn.open_reader.html
//! [`restart`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.EventSource.html#method.restart
//! [`with_reconnection_time`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.ReconnectPolicy.html#method.with_reconnection_time
//! [`from_fn`]: https://docs.rs/eventwire-reqwest/latest/eventwire_reqwest/fn.from_fn.html
