//! Lines and fields of an event stream, for code that works below the level of events.
//!
//! [`LineSplitter`] returns the lines of a stream that arrives in chunks, and stores none of their bytes: a line that
//! crosses a chunk boundary comes in several [`Piece`]s. [`Field`] tells the field and the value of a line. Use them
//! for what neither events nor blocks contain, such as unknown fields or the exact bytes of each line. The
//! [`Decoder`](crate::Decoder) is built on them, and it also returns
//! [comments](crate::Decoder::decode_block), so you do not need this module for those.
//!
//! # Example: the length of the longest line
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
//!             // more of the same line
//!             Piece::Middle(more) | Piece::Tail(more) => current + more.len(),
//!         };
//!         longest = longest.max(current);
//!     }
//! }
//! assert_eq!(longest, ": keep-alive".len());
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
