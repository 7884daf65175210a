//! Lines and fields of an event stream, for code that works below the level of events.
//!
//! | to get | use |
//! |---|---|
//! | complete lines of a stream that arrives in chunks | [`LineBuffer`] |
//! | lines without a copy or a buffer; a line that crosses a chunk boundary comes in several pieces | [`LineSplitter`] |
//! | the field and the value of a line | [`Field`] |
//!
//! Use it for what events do not contain: comments, unknown fields, and the exact bytes of each line. It is meant for
//! proxies, linters and loggers. The [`Decoder`](crate::Decoder) is built on [`LineSplitter`] and [`Field`].
//!
//! # Example: the comments of a stream
//!
//! ```
//! use eventwire::line::{Field, LineBuffer};
//!
//! let mut lines = LineBuffer::new();
//! let mut comments = Vec::new();
//! for mut chunk in [&b": keep-al"[..], b"ive\r", b"\ndata: 1\n\n"] {
//!     while let Some(line) = lines.next_line(&mut chunk)? {
//!         if let (Field::Comment, text) = Field::parse(line) {
//!             comments.push(String::from_utf8_lossy(text).into_owned());
//!         }
//!     }
//! }
//! assert_eq!(comments, ["keep-alive"]);
//! # Ok::<(), eventwire::line::LineTooLong>(())
//! ```
//!
//! # Example: the length of the longest line, without a buffer
//!
//! ```
//! use eventwire::line::{LineSplitter, Piece};
//!
//! let mut splitter = LineSplitter::new();
//! let (mut longest, mut current) = (0, 0);
//! for chunk in [&b": keep-al"[..], b"ive\r", b"\ndata: 1\n\n"] {
//!     for piece in splitter.lines(chunk) {
//!         current = match piece {
//!             Piece::Whole(start) | Piece::Head(start) => start.len(), // a new line
//!             Piece::Middle(more) | Piece::Tail(more) => current + more.len(), // more of the same line
//!         };
//!         longest = longest.max(current);
//!     }
//! }
//! assert_eq!(longest, ": keep-alive".len());
//! ```

mod edge;
mod field;
mod line_buffer;
mod line_ends;
mod line_splitter;
mod line_too_long;
mod lines;
mod part;
mod piece;
mod walk;

pub use self::{
    field::Field, line_buffer::LineBuffer, line_splitter::LineSplitter, line_too_long::LineTooLong, lines::Lines,
    piece::Piece,
};

pub(crate) use self::{
    line_ends::line_ends,
    part::Part,
    walk::{Walk, scanned::Scanned},
};

#[cfg(test)]
mod tests;
