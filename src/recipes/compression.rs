//! Compressed streams (gzip, brotli, zstd): how to read them, how to forward them, and how to send them. Documentation
//! only: this module has no items.
//!
//! An event stream may be compressed like any other response, if two things are right: the server must flush its
//! compressor after each event, because the event otherwise waits in a buffer; and the client must decompress. The
//! crates of this project contain no compression. HTTP clients and servers do that, and this page says which.
//!
//! # Reading
//!
//! Compressed bytes cannot be decoded as events. So [`open`], and the client that reconnects, refuse a response whose
//! header `Content-Encoding` names a coding. The error says what to do: "enable decompression in the HTTP client, or
//! send `Accept-Encoding: identity`". Most HTTP clients that decompress a body remove the header:
//!
//! | client | decompresses |
//! |---|---|
//! | reqwest 0.13 and 0.12 | with its features `gzip`, `brotli`, `zstd` and `deflate`, none of which is on by default. Then it asks for them by itself, unless the request has an `Accept-Encoding` |
//! | ureq 3 | with its features `gzip` (on by default) and `brotli` |
//! | awc 3 | with its features `compress-gzip`, `compress-brotli` and `compress-zstd`, which are on by default. It leaves the header, so the stream is refused: call `no_decompress()` on the request, and awc does not ask for compression |
//! | hyper | never; it does not ask for it either |
//! | browsers: eventwire-web, reqwest on wasm, `EventSource` | always |
//! | the program `eventwire` | gzip and brotli |
//!
//! Cargo unifies features: if any crate of a program enables reqwest's `gzip`, all its clients decompress. To read a
//! single stream uncompressed, send `Accept-Encoding: identity`. That is also how to find out whether compression holds
//! events back; `eventwire check URL` compares the two.
//!
//! # In a proxy
//!
//! If a proxy forwards the client's `Accept-Encoding`, the server compresses the stream. The proxy then counts nothing,
//! and nobody notices. [`Tap::from_response`] returns an error instead, with the response, so that the proxy can log the
//! error and forward the stream unobserved. There are two ways to read it:
//!
//! * Remove `Accept-Encoding` from the request, as the [recipe for a proxy](super::proxies#a-proxy-that-counts-tokens)
//!   does. The server then sends plain text. The proxy can compress what it forwards, as below.
//! * Decompress with the client's features. The body is then plain text, and the client has removed the headers
//!   `Content-Encoding` and `Content-Length`. Remove `Accept-Encoding` from the request in this case, too: reqwest adds
//!   its own, with the codings that it can decompress.
//!
//! # A server that compresses
//!
//! ```sh
//! cargo add eventwire --features http-body,tokio
//! cargo add axum eventwire-hub
//! cargo add tokio --features macros,net,rt-multi-thread
//! cargo add tower-http --features compression-br,compression-gzip,compression-zstd
//! ```
//!
//! tower-http leaves out event streams by default. With a predicate that does not, it flushes the compressor whenever
//! no more events are ready. So an event is sent at once, and events that come together are compressed together. The
//! crate async-compression must be 0.4.31 or later: older ones do not flush. A new `Cargo.lock` has it; for an old one,
//! `cargo update -p async-compression`.
//!
//! **What it costs.** Each response has a compressor of its own, also if all readers get the same events. It takes from
//! 25 kB (brotli, at the level `Fastest`) to a megabyte (zstd, at the default level). So for thousands of readers, the
//! memory may cost more than the traffic. A coding whose feature is not enabled is not used.
//!
//! **`Cache-Control: no-transform`**, a header that [`response()`](crate::EventBody::response) sets, is for proxies:
//! they must neither compress nor decompress what passes. It does not concern the server itself, and tower-http ignores
//! it. Keep it: a proxy would not know that it has to flush after each event.
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/compressed_server.rs"), "```"))]
//!
//! [`open`]: https://docs.rs/eventwire-client/latest/eventwire_client/fn.open.html
//! [`Tap::from_response`]: crate::Tap::from_response
