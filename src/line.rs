//! Lines and fields of an event stream, for code that works below the level of events.
//!
//! [`Lines`] returns the lines of a stream that arrives in chunks, and [`Field`] tells the field and the value of a
//! line. Use them for what neither events nor blocks contain, such as unknown fields. The
//! [`Decoder`](crate::Decoder) also returns [comments](crate::Decoder::decode_block), so you do not need this module
//! for those.
//!
//! # Example: the fields that the standard ignores
//!
//! ```
//! use eventwire::line::{Field, Lines};
//!
//! let mut lines = Lines::new();
//! let mut ignored = Vec::new();
//! for chunk in [&b"data: 1\nerr"[..], b"or: quota\n\n"] {
//!     let mut input = chunk;
//!     while let Some(line) = lines.next(&mut input)? {
//!         if let (Field::Other, [_, ..]) = (Field::parse(line).0, line) {
//!             ignored.push(line.to_vec());
//!         }
//!     }
//! }
//! assert_eq!(ignored, [b"error: quota"]);
//! # Ok::<(), eventwire::line::LineTooLong>(())
//! ```

mod field;
mod lanes;
mod lines;
mod mask;
mod stops;

pub use self::{
    field::Field,
    lines::{LineTooLong, Lines},
};

#[cfg(feature = "json")]
pub(crate) use self::lines::Line;
pub(crate) use self::{
    lines::BYTE_ORDER_MARK,
    stops::{Scanned, Stops},
};
