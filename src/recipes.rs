//! Recipes: short, tested code for common tasks, to copy. Documentation only: this module has no items.
//!
//! Each recipe is a file of at most 80 lines, without blank ones, in the folder [`docs/recipes`] of the repository. The
//! tests run each recipe, nearly all over real connections; the two components and the commands of Tauri are only
//! compiled.
//!
//! The recipes that print write what they received. Before text of a server that you do not trust reaches a terminal,
//! replace its control characters.
//!
//! To follow a feed with reqwest 0.12 or 0.13, you need no recipe: the crate [`eventwire-reqwest`] adds `.eventsource()`
//! to requests, and `.open()` for a single response.
//!
//! # [Models and tools](models)
//!
//! | recipe | what it shows | with |
//! |---|---|---|
//! | [One answer of a model](models#one-answer-of-a-model) | a POST with typed tokens; each failure is one line | reqwest |
//! | [A chat client](models#a-chat-client-with-typed-tokens-and-retries) | typed tokens as they arrive, safe retries, a timeout, the server's error message | reqwest 0.13 |
//! | [Tool calls](models#tool-calls) | pieces of calls that are put together, and returned when the answer is complete | reqwest 0.13 |
//! | [Ollama](models#ollama) | JSON lines instead of events; calls of tools; an answer that is cut off is an error | reqwest 0.13 |
//! | [A model that is overloaded](models#a-model-that-is-overloaded) | a question that is asked again, unless a token of its answer was shown | reqwest 0.13 |
//! | [An answer that is continued](models#an-answer-that-is-continued) | OpenAI's Responses: a POST that is billed once, whose answer is continued by a GET; `Hooks` | reqwest 0.13 |
//! | [A request to an MCP server](models#a-request-to-an-mcp-server) | a POST whose stream is continued by a GET with the last event ID | reqwest 0.13 |
//!
//! # [Clients](clients)
//!
//! | recipe | what it shows | with |
//! |---|---|---|
//! | [Several feeds at once](clients#several-feeds-at-once) | feeds in one task, added and removed while it runs; one that stops does not end the others | reqwest 0.13 |
//! | [A token that is renewed](clients#a-token-that-is-renewed) | a token that a task renews in time, or after a 401; feeds continue after the last event | reqwest 0.13 |
//! | [A feed that is saved at Ctrl-C](clients#a-feed-that-is-saved-at-ctrl-c) | the last event ID in a file, from which the next run continues | reqwest 0.13 |
//! | [One response without `async`](clients#one-response-without-async) | events and comments, a limit on their size, a timeout | ureq |
//! | [Reconnection without `async`](clients#reconnection-without-async) | a loop around `Reconnect` of `eventwire-client`, which decides when to connect | ureq |
//! | [hyper](clients#hyper) | a connector, made of a closure that sends one request | hyper-util |
//! | [Middleware](clients#middleware) | a client that reconnects, with typed events; each attempt goes through the middleware | reqwest-middleware |
//! | [An HTTP client of actix](clients#an-http-client-of-actix) | a client that reconnects, on one thread, with the types of `http` 0.2 | awc |
//! | [Tauri](clients#tauri) | a feed that a page follows through a channel, until the page or its window is gone | Tauri 2, reqwest 0.13 |
//! | [An `AsyncRead`](clients#an-asyncread) | the output of a process, a socket, a file | tokio |
//! | [A decoder and comments](clients#a-decoder-and-comments) | a loop over borrowed events and comments, without `async` | `Read` |
//!
//! # [Servers](servers)
//!
//! | recipe | what it shows | with |
//! |---|---|---|
//! | [A server that broadcasts](servers#a-server-that-broadcasts) | JSON for many readers, who return and continue; gaps, slow readers, keep-alives, graceful shutdown | axum |
//! | [A filter for each reader](servers#a-filter-for-each-reader) | readers that get only some events, and miss nothing when they return | axum |
//! | [Clients that do not read](servers#clients-that-do-not-read) | a listener that ends their connections | axum, tokio-io-timeout |
//! | [A page that shows a snapshot](servers#a-page-that-shows-a-snapshot) | the current state, and then every change, with no hole between the two; a new snapshot after a gap | axum |
//! | [An answer that goes on without its readers](servers#an-answer-that-goes-on-without-its-readers) | a model whose answer is a topic of a `Hub`: each process can read and stop it | axum |
//! | [The last events](https://docs.rs/eventwire-hub/latest/eventwire_hub/serving_many/#the-last-events-for-a-new-reader) | a new reader that begins a few events back | eventwire-hub |
//! | [A token that expires](servers#a-token-that-expires) | a stream that ends when its token expires or is revoked; a client that continues with a fresh one | axum, reqwest 0.13 |
//! | [Other servers](servers#other-servers) | the response of a handler, with keep-alives | actix-web, poem, rocket, salvo, warp |
//!
//! # [Proxies](proxies)
//!
//! | recipe | what it shows | with |
//! |---|---|---|
//! | [A proxy that counts tokens](proxies#a-proxy-that-counts-tokens) | `Tap`: streams that are forwarded unchanged; a log of their tokens and of how they ended; headers, limits and timeouts | axum, reqwest |
//! | [A proxy that changes what it forwards](proxies#a-proxy-that-changes-what-it-forwards) | blocks that are changed, removed or added; an upstream that is slow or fails late | axum, reqwest 0.13 |
//!
//! # [Compressed streams](compression)
//!
//! | recipe | what it shows | with |
//! |---|---|---|
//! | [Reading](compression#reading) | which HTTP clients decompress, and with which feature | |
//! | [In a proxy](compression#in-a-proxy) | how a proxy that reads events avoids compressed ones | `Tap` |
//! | [A server that compresses](compression#a-server-that-compresses) | gzip, brotli and zstd; each event arrives at once | axum, tower-http |
//!
//! # [Browser](browser)
//!
//! | recipe | what it shows | with |
//! |---|---|---|
//! | [A page in a browser](browser#a-page-in-a-browser) | a POST with JSON, typed tokens, and a button that stops the answer | eventwire-web |
//! | [A component of Yew](browser#a-component-of-yew) | a live feed that reconnects, the state of its connection, and its end | eventwire-web, Yew |
//! | [A component of Leptos](browser#a-component-of-leptos) | a chat whose answer stops with a button, a new question, or the component | eventwire-web, Leptos |
//!
//! [`docs/recipes`]: https://github.com/eventwire/eventwire/tree/main/docs/recipes
//! [`eventwire-reqwest`]: https://docs.rs/eventwire-reqwest

pub mod browser;
pub mod clients;
pub mod compression;
pub mod models;
pub mod proxies;
pub mod servers;
