//! In a browser: which features to enable, how to build, and what differs there. This module contains only
//! documentation.
//!
//! Everything here runs on `wasm32-unknown-unknown` with [wasm-bindgen]: in pages, in workers, and in other
//! JavaScript runtimes. The example [`examples/page`] in the repository is a page with a chat, a spoken answer,
//! and a live feed.
//!
//! # What to enable
//!
//! | you want | crate |
//! |---|---|
//! | to decode chunks that JavaScript passes in | `eventwire` with `default-features = false` |
//! | a client that reconnects, over the browser's `fetch` | [`eventwire-web`] |
//! | the same in a program that uses reqwest anyway | [`eventwire-reqwest`] |
//! | typed streams | one of these with feature `json`, and `serde` with feature `derive` |
//! | text, sound and tool calls in one response | one of these, and [`eventwire-multipart`] |
//!
//! * Feature `tokio` has no effect, because tokio has no clock on this target. Use `eventwire_web::BrowserTimer`,
//!   or any other [`Timer`](crate::Timer).
//! * Feature `simd` helps only if the program is compiled with `-C target-feature=+simd128`. `default-features =
//!   false` omits it.
//! * Feature `http-body` is for servers and for other HTTP clients.
//!
//! # The first token
//!
//! ```sh
//! cargo add eventwire-web --features json
//! cargo add anyhow
//! cargo add serde --features derive
//! cargo add web-sys --features console
//! ```
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/browser-client.md"))]
//!
//! The request uses `fetch`, with any method, headers and body. The browser's own `EventSource` can only send a
//! GET, hides the status and the body of a refused request, and does not parse JSON. JavaScript clients of language
//! models, such as the `openai` package, also use `fetch`.
//!
//! **Keep API keys on a server.** The users of a page can read everything in it. The usual solution is your own
//! endpoint that adds the key and passes the stream on unchanged, like the server of the example.
//!
//! # Without threads
//!
//! A page has one thread, so nothing needs to be `Send`, and `spawn_local` starts futures. Dropping a stream aborts
//! its request. To abort it with a button, wrap the stream:
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/browser-spawn.md"))]
//!
//! The recipes for [Yew](crate::recipes::browser#a-component-of-yew) and
//! [Leptos](crate::recipes::browser#a-component-of-leptos) abort it when the component is removed.
//!
//! # The end of an answer
//!
//! Servers usually end a response some milliseconds after its end marker. A stream that is dropped at the marker aborts
//! its request, so the browser reports `net::ERR_ABORTED`, and nginx logs 499. The answer is complete all the same. To
//! avoid these reports, read on until the response ends:
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/browser-end.md"))]
//!
//! The idle timeout is for servers that do not end the response. An event source would reconnect after the end, so use
//! `open` for an answer.
//!
//! # What to build
//!
//! ```sh
//! rustup target add wasm32-unknown-unknown
//! # The version of wasm-bindgen in your Cargo.lock
//! cargo install wasm-bindgen-cli --version 0.2.129 --locked
//! cargo build --release --target wasm32-unknown-unknown
//! wasm-bindgen target/wasm32-unknown-unknown/release/page.wasm --target web --out-dir pkg
//! ```
//!
//! The package needs `crate-type = ["cdylib"]`. For small downloads, use this profile and let the server compress
//! the file:
//!
//! ```toml
//! [profile.release]
//! opt-level = "z"
//! lto = true
//! codegen-units = 1
//! panic = "abort"
//! strip = true
//! ```
//!
//! With this profile, programs that only read a stream have these sizes in bytes (printed by
//! `benches/size/run pages` in the repository, with Rust 1.95):
//!
//! | | wasm | gzipped |
//! |---|---|---|
//! | without `eventwire`: the allocator, panics, wasm-bindgen | 19,951 | 8,595 |
//! | `Decoder` | 25,282 | 12,050 |
//! | a client that reconnects, with `eventwire-web` | 105,040 | 45,417 |
//! | the same with a typed stream, which needs serde_json | 169,439 | 74,523 |
//! | the same with parts | 192,732 | 84,661 |
//! | reqwest, without `eventwire` | 283,168 | 106,773 |
//! | a client that reconnects, with `eventwire-reqwest` | 341,559 | 134,775 |
//!
//! With `opt-level = 3`, decoding is 1.3 to 1.7 times as fast, and the program is about 30 % larger. You rarely need
//! it: browsers receive data far more slowly than even the small program decodes it.
//!
//! # Other origins
//!
//! A page may read a response from another origin only if that server allows it by [CORS]:
//!
//! | header of the response | needed |
//! |---|---|
//! | `Access-Control-Allow-Origin: https://page.example` | always; `*` is enough without credentials |
//! | `Access-Control-Allow-Credentials: true` | if the request is sent with credentials, such as cookies |
//! | `Access-Control-Expose-Headers: Retry-After` | so that the client can read `Retry-After`, or any other header that is [not safelisted][exposed] |
//!
//! **Preflights.** Before a request that is not [simple][preflight], the browser sends `OPTIONS` and expects these
//! headers in the response:
//!
//! | header of the response to `OPTIONS` | needed |
//! |---|---|
//! | `Access-Control-Allow-Origin`, `Access-Control-Allow-Credentials` | as above |
//! | `Access-Control-Allow-Headers: Last-Event-ID, Content-Type, Authorization` | for each of these that the request contains; `*` never covers `Authorization`, and with credentials it covers nothing |
//! | `Access-Control-Allow-Methods: PUT` | for methods other than GET, HEAD and POST |
//! | `Access-Control-Max-Age: 7200` | optional: without it, the browser may ask again after 5 seconds; the maximum in Chromium is 7,200 |
//!
//! The client sends `Last-Event-ID` when it reconnects after an event with an ID. If the server of another origin
//! does not allow this header, a feed works until the connection drops for the first time. After that, every
//! attempt to reconnect fails, and the error is only `Failed to fetch` (in Chromium). The browser's own
//! `EventSource` sends this header without a preflight, so a server that was written for it may not answer
//! `OPTIONS`.
//!
//! `Accept: text/event-stream` needs no preflight. `Cache-Control` would need one, so the client does not send it in
//! browsers. To bypass the cache, it sets the cache mode of `fetch` instead.
//!
//! # What is different
//!
//! * **`fetch` does not report reasons.** A refused connection, an unknown host, a missing CORS header and a
//!   missing network cause the same error. A POST that fails with it is not sent again, because the server may have
//!   carried it out.
//! * **The browser follows redirects.** A redirect that fails causes the same error. `eventwire-web` knows of each one
//!   that succeeded, so a POST that was redirected is not sent again, even if the redirect led to its own URL.
//! * **The browser has news.** When the network is back or the page becomes visible, an event source of
//!   `eventwire-web` ends its delay, unless the server has asked for it.
//! * **The body is already decompressed**, and has no `Content-Encoding`.
//! * **Six connections.** Over HTTP/1.1, browsers open at most six connections to a host, for all tabs together,
//!   and each event stream uses one. Over HTTP/2 they share one.
//! * **Timers in the background are late**: by a second or more in a hidden tab, and by up to a minute in a tab
//!   that has been hidden for long. So a delay before reconnecting takes longer, and a timeout is detected later.
//!   While a page is frozen, timeouts do not run.
//! * **A panic aborts the program**, because Rust does not unwind on this target. This crate does not panic, but
//!   your closures may.
//! * **Memory does not shrink.** The page keeps wasm memory once it has been used, and reuses it. The limits on
//!   events and parts keep it small.
//!
//! # Node, Deno and Bun
//!
//! These runtimes have `fetch`, streams and timers under the same names, so programs run unchanged. Build with
//! `--target nodejs` or `--target deno`. The tests of this repository run the client and many of the decoder's
//! tests in Node 20, and the client in a module worker of Chromium. Deno and Bun are not tested.
//!
//! # Cloudflare Workers
//!
//! The client runs in `workerd`, Cloudflare's open-source runtime. This was tried by hand with the version of
//! 2026-11-17; it is not part of our tests. Build with `--target web`, and pass the imported module to `initSync`.
//! These restrictions are from [Cloudflare's documentation][workers]:
//!
//! * An event source uses the setting `cache: "no-store"`. It is supported from the [compatibility date
//!   2024-11-11][no-store] on. With an older date the request is invalid, so set
//!   `with_cache(RequestCache::Default)`, which omits the field.
//! * The settings `credentials` and `mode` are refused. Leave them unset.
//! * Requests, timers and random numbers are allowed only while a request is being handled. So create event sources
//!   in a handler, not in a global.
//! * A worker lives as long as its request. To pass a model's answer on, return a response with the stream as its
//!   body. To continue after the response, use `waitUntil`.
//!
//! [wasm-bindgen]: https://crates.io/crates/wasm-bindgen
//! [`eventwire-web`]: https://docs.rs/eventwire-web
//! [`eventwire-multipart`]: https://docs.rs/eventwire-multipart
//! [`eventwire-reqwest`]: https://docs.rs/eventwire-reqwest
//! [`examples/page`]: https://github.com/eventwire/eventwire/tree/main/examples/page
//! [CORS]: https://fetch.spec.whatwg.org/#http-cors-protocol
//! [exposed]: https://fetch.spec.whatwg.org/#cors-safelisted-response-header-name
//! [preflight]: https://fetch.spec.whatwg.org/#cors-safelisted-request-header
//! [workers]: https://developers.cloudflare.com/workers/runtime-apis/fetch/
//! [no-store]: https://developers.cloudflare.com/changelog/2024-11-11-cache-no-store/
