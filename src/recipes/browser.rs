//! Recipes for pages in a browser, compiled to wasm. Documentation only: this module has no items.
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
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/browser.rs"), "```"))]
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
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/yew_feed.rs"), "```"))]
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
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/recipes/leptos_chat.rs"), "```"))]
