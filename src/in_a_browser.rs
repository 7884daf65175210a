//! In a browser: what to enable, what to build, and what is different there. Documentation only: this module has no items.
//!
//! Everything here runs on `wasm32-unknown-unknown` with [wasm-bindgen]: in pages, in workers, and in other JavaScript runtimes. The example
//! [`examples/browser`] in the repository is a page with a chat, an answer that speaks, and a live feed.
//!
//! # What to enable
//!
//! | you want | crates | features of `eventwire` |
//! |---|---|---|
//! | to decode chunks that JavaScript passes in | `eventwire` | none: `default-features = false` |
//! | a client that reconnects, over the browser's `fetch` | `eventwire`, [`eventwire-web`] | `client` |
//! | the same in a program that uses reqwest anyway | `eventwire`, [`eventwire-reqwest`] | `client` |
//! | typed streams | one of these, and `serde` with its feature `derive` | `json` |
//! | text, sound and tool calls in one response | one of these | `multipart` |
//!
//! Feature `tokio` has no effect, because tokio has no clock there: use `eventwire_web::BrowserTimer`, or any other [`Timer`](crate::Timer).
//! Feature `simd` helps only if the program is compiled with `-C target-feature=+simd128`; `default-features = false` leaves it out.
//! `http-body` is for servers and other HTTP clients.
//!
//! # The first token
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/browser-client.md"))]
//!
//! This is `fetch` with any method, headers and body, which a browser's own `EventSource` does not offer: it can only send a GET, hides
//! the status and the body of a refused request, and does not parse JSON. The `openai` packages and others read such answers the same way.
//!
//! **Keep API keys on a server.** The users of a page can read everything in it. The usual way is an endpoint of your own that adds the key and
//! passes the stream on unchanged, as the server of the example does.
//!
//! # Without threads
//!
//! A page has one thread, so nothing has to be `Send`, and futures are started with `spawn_local`. Dropping a stream aborts its request. To
//! let a button do so, wrap the stream:
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/browser-spawn.md"))]
//!
//! # What to build
//!
//! ```sh
//! rustup target add wasm32-unknown-unknown
//! cargo install wasm-bindgen-cli --version 0.2.129 --locked # the version of wasm-bindgen in your Cargo.lock
//! cargo build --release --target wasm32-unknown-unknown
//! wasm-bindgen target/wasm32-unknown-unknown/release/page.wasm --target web --out-dir pkg
//! ```
//!
//! The package needs `crate-type = ["cdylib"]`. For small downloads, use this profile, and let the server compress the file:
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
//! Programs that do nothing but read a stream then have these sizes, in bytes (by `benches/size/browser/run` in the repository, with Rust 1.95):
//!
//! | | wasm | gzipped |
//! |---|---|---|
//! | no code of ours: the allocator, panics, wasm-bindgen | 19,833 | 8,640 |
//! | `Decoder` | 25,298 | 11,801 |
//! | a client that reconnects, with `eventwire-web` | 103,562 | 44,844 |
//! | the same with a typed stream, which brings serde_json | 150,099 | 66,030 |
//! | the same with parts | 171,801 | 76,118 |
//! | reqwest, without `eventwire` | 282,558 | 106,882 |
//! | a client that reconnects, with `eventwire-reqwest` | 333,938 | 131,431 |
//!
//! `opt-level = 3` decodes 1.5 to 1.9 times as fast, and makes the program about 40 % larger. Browsers receive far less than either can decode.
//!
//! # Other origins
//!
//! A page may read a response from another origin only if its server allows that, by [CORS]:
//!
//! | header of the response | needed |
//! |---|---|
//! | `Access-Control-Allow-Origin: https://page.example` | always; `*` is enough without credentials |
//! | `Access-Control-Allow-Credentials: true` | if the request is sent with credentials, such as cookies |
//! | `Access-Control-Expose-Headers: Retry-After` | so that the client sees `Retry-After`, or any other header that is [not safelisted][exposed] |
//!
//! **Preflights.** Before a request that is not [simple][preflight], the browser sends `OPTIONS` and expects these headers in the response:
//!
//! | header of the response to `OPTIONS` | needed |
//! |---|---|
//! | `Access-Control-Allow-Origin`, `Access-Control-Allow-Credentials` | as above |
//! | `Access-Control-Allow-Headers: Last-Event-ID, Content-Type, Authorization` | each of these that is sent must be named; `*` does not cover `Authorization`, and covers none with credentials |
//! | `Access-Control-Allow-Methods: PUT` | for methods other than GET, HEAD and POST |
//! | `Access-Control-Max-Age: 7200` | so that the browser does not ask again every 5 seconds; Chromium takes 7,200 at most |
//!
//! `Last-Event-ID` is sent when the client reconnects after an event with an ID. So a feed from another origin that does not allow it works until
//! the connection drops for the first time, and then every attempt to reconnect fails with nothing but `Failed to fetch` (in the words of Chromium). The browser's own `EventSource` sends it without
//! a preflight, so servers that were written for that may not answer `OPTIONS`. `Accept: text/event-stream` needs no preflight. `Cache-Control` would, so
//! the client does not send it in browsers; it asks `fetch` to bypass the cache instead.
//!
//! # What is different
//!
//! * **`fetch` gives no reasons.** A refused connection, an unknown host, a missing CORS header and no network look the same. A POST that fails this way
//!   is not sent again, because it may have been carried out.
//! * **Redirects are followed by the browser**, and one that fails is such an error.
//! * **The body is already decompressed**, and has no `Content-Encoding`.
//! * **Six connections.** Over HTTP/1.1 browsers open at most six to a host, for all tabs together, and each event stream is one. Over HTTP/2
//!   they share one.
//! * **Timers in the background are late**: by a second or more in a hidden tab, and by up to a minute in one that was hidden for long. A delay
//!   before reconnecting takes longer then, and a timeout is noticed later. Timeouts do not run while a page is frozen.
//! * **A panic aborts the program**, because Rust does not unwind on this target. This crate does not panic, but a closure of yours may.
//! * **Memory does not shrink.** Wasm memory that was once in use stays with the page, and is reused. The limits on events and parts keep it small.
//!
//! # Node, Deno and Bun
//!
//! They have `fetch`, streams and timers under the same names, so programs run unchanged. Build with `--target nodejs` or `--target deno`. The tests of
//! this repository run the client and many of the decoder's tests under Node 20. Deno and Bun are not tested.
//!
//! # Cloudflare Workers
//!
//! The client runs in `workerd`, their open runtime (tried by hand with its version of 2026-11-17, and not part of our tests). Build with `--target web`,
//! and pass the imported module to `initSync`. What to know, from [Cloudflare's documentation][workers]:
//!
//! * The setting `cache: "no-store"`, which an event source uses, is supported from the [compatibility date 2024-11-11][no-store]. With an
//!   older one it is an invalid request, so set `with_cache(RequestCache::Default)`, which leaves the field out.
//! * The settings `credentials` and `mode` are refused. Leave them unset.
//! * Requests, timers and random numbers are allowed only while a request is handled. So create event sources inside a handler, not in a global.
//! * A worker lives for its request. To pass a model's answer on, return a response whose body is the stream. To go on after the response, use `waitUntil`.
//!
//! [wasm-bindgen]: https://crates.io/crates/wasm-bindgen
//! [`eventwire-web`]: https://docs.rs/eventwire-web
//! [`eventwire-reqwest`]: https://docs.rs/eventwire-reqwest
//! [`examples/browser`]: https://github.com/eventwire/eventwire/tree/main/examples/browser
//! [CORS]: https://fetch.spec.whatwg.org/#http-cors-protocol
//! [exposed]: https://fetch.spec.whatwg.org/#cors-safelisted-response-header-name
//! [preflight]: https://fetch.spec.whatwg.org/#cors-safelisted-request-header
//! [workers]: https://developers.cloudflare.com/workers/runtime-apis/fetch/
//! [no-store]: https://developers.cloudflare.com/changelog/2024-11-11-cache-no-store/
