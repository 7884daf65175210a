//! Says what is wrong with a Server-Sent Events stream, where, and what to change.
//!
//! A client ignores the lines of an event stream that it does not understand, silently, as the standard requires.
//! So a server that forgets `data:` in front of a line, or the blank line at the end, seems to work and loses data.
//! This crate finds such lines, and what else goes wrong between a server and a browser.
//!
//! ```sh
//! cargo add --dev eventwire-lint
//! ```
//!
//! In a test of a server, check the body of its response:
//!
//! ```
//! # fn body() -> &'static [u8] { b"data: one\n\n" }
//! assert_eq!(eventwire_lint::check(body()), []);
//! ```
//!
//! A finding says what to do:
//!
//! ```
//! let findings = eventwire_lint::check(b"data: first line\nsecond line\n\n");
//! assert_eq!(findings[0].code, "missing-prefix");
//! assert!(findings[0].to_string().starts_with(
//!     "FAIL missing-prefix: line 2 (byte 17): \"second line\" does not begin with `data:` \
//!      or another field. Clients ignore such a line. If it is a part of a text, write \
//!      `data: ` before each line of the text"
//! ));
//! ```
//!
//! [`Lint`] also checks the head of a response and the times at which its chunks arrive.
//!
//! # A test of a handler
//!
//! [`Lint::head`] takes any `http::Response`, so also what a handler of axum returns. No server is needed:
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/axum_handler.rs"), "```"))]
//!
//! The stream of a test must end. If that of your handler does not, end it with `EventBody::until`, or read some of its
//! chunks and call [`Lint::stop`] instead of `finish`.
//!
//! The program [`eventwire`](https://crates.io/crates/eventwire-cli) is built on this crate: `eventwire check URL` also
//! finds what only several requests show.
//!
//! # What is found
#![doc = include_str!("../codes.md")]

mod arrivals;
mod chat;
mod end;
mod finding;
mod head;
mod line_reader;
mod lines;
mod lint;
mod rule;
mod tally;

use std::time::Duration;

pub use self::finding::{Finding, Place, Severity};
pub use self::lint::Lint;

/// Returns what is wrong with the lines of a body. There is nothing if the result is empty.
///
/// The body is complete: if its last event is not finished, that is a finding. For a stream that has no end, or is too
/// large for memory, use [`Lint`].
#[must_use]
pub fn check(body: impl AsRef<[u8]>) -> Vec<Finding> {
    let mut lint = Lint::new();
    lint.chunk(body.as_ref(), Duration::ZERO);
    lint.finish(Duration::ZERO)
}
