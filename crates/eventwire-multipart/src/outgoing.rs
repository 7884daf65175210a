//! The items that a `PartBody` sends.

use super::{Piece, WholePart};
use core::convert::Infallible;

/// An item for a [`PartBody`](super::PartBody) to send: a complete part, or a piece of one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outgoing {
    /// A complete part. An unfinished part before it is ended first.
    Part(WholePart),
    /// A piece of a part that is sent as it becomes available, or the end of the stream.
    Piece(Piece),
}

impl From<WholePart> for Outgoing {
    fn from(part: WholePart) -> Outgoing {
        Outgoing::Part(part)
    }
}

impl From<Piece> for Outgoing {
    fn from(piece: Piece) -> Outgoing {
        Outgoing::Piece(piece)
    }
}

/// The item type of the stream that a [`PartBody`](super::PartBody) sends: a [`WholePart`], a [`Piece`], an
/// [`Outgoing`], or a `Result` of one of them.
///
/// A stream that cannot fail needs no `Result`. An `Err` ends the body. Implement this trait to send your own type.
///
/// ```
/// use eventwire_multipart::{InvalidHeader, IntoOutgoing, Outgoing, WholePart};
///
/// struct Frame(Vec<u8>);
///
/// impl IntoOutgoing for Frame {
///     type Error = InvalidHeader;
///
///     fn into_outgoing(self) -> Result<Outgoing, InvalidHeader> {
///         Ok(WholePart::new("image/jpeg", self.0)?.into())
///     }
/// }
///
/// let outgoing = Frame(vec![1, 2]).into_outgoing()?;
/// assert!(matches!(outgoing, Outgoing::Part(part) if part.body().len() == 2));
/// # Ok::<(), InvalidHeader>(())
/// ```
pub trait IntoOutgoing {
    /// The error of the stream; [`Infallible`] if it cannot fail.
    type Error;

    /// Converts the item to a part or a piece.
    ///
    /// # Errors
    ///
    /// If the item is an `Err`.
    fn into_outgoing(self) -> Result<Outgoing, Self::Error>;
}

impl IntoOutgoing for Outgoing {
    type Error = Infallible;

    fn into_outgoing(self) -> Result<Outgoing, Infallible> {
        Ok(self)
    }
}

impl IntoOutgoing for WholePart {
    type Error = Infallible;

    fn into_outgoing(self) -> Result<Outgoing, Infallible> {
        Ok(self.into())
    }
}

impl IntoOutgoing for Piece {
    type Error = Infallible;

    fn into_outgoing(self) -> Result<Outgoing, Infallible> {
        Ok(self.into())
    }
}

impl<T: Into<Outgoing>, E> IntoOutgoing for Result<T, E> {
    type Error = E;

    fn into_outgoing(self) -> Result<Outgoing, E> {
        self.map(Into::into)
    }
}
