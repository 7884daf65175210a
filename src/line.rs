//! Lines and fields: the stream below the level of events.
//!
//! [`LineSplitter`] is told chunks of bytes and lends the lines in them; [`Field`] says what a line is. The
//! [`Decoder`](crate::Decoder) is built on these two, and proxies, linters and loggers can be too: at this level
//! comments, unknown fields and the exact bytes are to be seen, which events do not show.
//!
//! # Example: the comments and unknown fields of a stream
//!
//! ```
//! use eventwire::line::{Field, LineSplitter, Piece};
//!
//! let mut splitter = LineSplitter::new();
//! let mut line = Vec::new(); // a line that straddles chunks is put together here
//! let mut found = Vec::new();
//!
//! for chunk in [&b": keep-al"[..], b"ive\r", b"\ndata: 1\nfoo: bar\n\n"] {
//!     for piece in splitter.lines(chunk) {
//!         let whole = match piece {
//!             Piece::Whole(whole) => whole,
//!             Piece::Head(head) => {
//!                 line = head.to_vec();
//!                 continue;
//!             }
//!             Piece::Middle(middle) => {
//!                 line.extend_from_slice(middle);
//!                 continue;
//!             }
//!             Piece::Tail(tail) => {
//!                 line.extend_from_slice(tail);
//!                 &line[..]
//!             }
//!         };
//!         match Field::parse(whole) {
//!             (Field::Comment, text) => found.push(format!("comment {}", text.escape_ascii())),
//!             (Field::Other, _) if !whole.is_empty() => found.push(format!("unknown {}", whole.escape_ascii())),
//!             _ => {}
//!         }
//!     }
//! }
//! assert_eq!(found, ["comment keep-alive", "unknown foo: bar"]);
//! ```

mod edge;
mod field;
mod line_ends;
mod line_splitter;
mod lines;
mod part;
mod piece;
mod walk;

pub use self::{field::Field, line_splitter::LineSplitter, lines::Lines, piece::Piece};

pub(crate) use self::{
    line_ends::line_ends,
    part::Part,
    walk::{Walk, scanned::Scanned},
};

#[cfg(test)]
mod tests;
