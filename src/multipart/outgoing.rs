//! What a body of parts is made of.

use super::{Piece, WholePart};
use core::convert::Infallible;

/// What a [`PartBody`](super::PartBody) sends next: a part as a whole, or a piece of one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outgoing {
    /// A part that is there as a whole. It ends one that was begun.
    Part(WholePart),
    /// A piece of a part whose body is still to come, or the end of the stream.
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

/// What a stream of parts may give: a [`WholePart`], a [`Piece`] or an [`Outgoing`], or a `Result` of what becomes one of them.
///
/// A stream that cannot fail need not say so at each item, and one that can ends with its error. Implement it for a type of your own
/// to send that directly.
pub trait IntoOutgoing {
    /// Why there is nothing to send; [`Infallible`] where there always is.
    type Error;

    /// What is to be sent.
    ///
    /// # Errors
    ///
    /// Those of a `Result`.
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
