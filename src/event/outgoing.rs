//! What a server sends.

use super::{Block, BlockItem, Comment, Event, EventId};
use crate::encoding::{Encoded, Encoding};
use bytes::Bytes;
use core::{convert::Infallible, mem};

/// What a body sends: an event, a block, a comment, or blocks that are encoded already.
///
/// Create it by `into()`, to mix these in one stream, or to send a type of your own.
///
/// ```
/// use eventwire::{Block, Comment, Event, Outgoing};
/// use std::time::Duration;
///
/// let stream: [Outgoing; 3] = [
///     Block::default().with_retry(Duration::from_secs(3)).into(),
///     Comment::new("welcome").into(),
///     Event::new("hello").into(),
/// ];
/// let sent = stream.map(Outgoing::into_bytes).concat();
/// assert_eq!(sent, b"retry: 3000\n\n: welcome\n\ndata: hello\n\n");
/// ```
#[derive(Clone, Debug)]
pub struct Outgoing(Contents);

#[derive(Clone, Debug)]
enum Contents {
    Event(Event),
    Block(Block),
    Comment(Comment),
    Encoded(Bytes),
    Identified(EventId, Encoded),
}

impl Outgoing {
    /// Creates an item from blocks that are encoded already, and an ID for the first of them, unless that sets one
    /// itself.
    ///
    /// Use it where many readers share the blocks, but not the ID. [`EventBody`](crate::EventBody) sends the ID and the
    /// blocks as two frames, so the blocks are not copied.
    ///
    /// ```
    /// use eventwire::{Event, Outgoing};
    ///
    /// let price = Event::new("41.7").encoded();
    /// let outgoing = Outgoing::from_id("EUR-7".parse()?, price);
    /// assert_eq!(outgoing.into_bytes(), "id: EUR-7\ndata: 41.7\n\n");
    /// # Ok::<(), eventwire::InvalidField>(())
    /// ```
    #[must_use]
    pub const fn from_id(id: EventId, blocks: Encoded) -> Outgoing {
        Outgoing(Contents::Identified(id, blocks))
    }

    /// Returns the bytes. Those of an [`Encoded`] are shared, without a copy.
    #[must_use]
    pub fn into_bytes(mut self) -> Bytes {
        match self.frames() {
            Ok(event) => event.to_bytes(),
            Err([bytes, rest]) if rest.is_empty() => bytes,
            Err(frames) => frames.concat().into(),
        }
    }

    /// The event, if it is one; or else the item's one or two frames. The second one is empty if there is only one.
    ///
    /// The item is borrowed, because moving events costs more than anything else in a body.
    #[inline(always)]
    pub(crate) fn frames(&mut self) -> Result<&Event, [Bytes; 2]> {
        let frame = match &mut self.0 {
            Contents::Event(event) => return Ok(event),
            Contents::Encoded(blocks) => mem::take(blocks),
            Contents::Block(block) => block.to_bytes(),
            Contents::Comment(comment) => comment.to_bytes(),
            Contents::Identified(id, blocks) => return Err([id_line(id), blocks.clone().into_bytes()]),
        };
        Err([frame, Bytes::new()])
    }
}

/// Returns the line of an ID, without the blank line after it.
fn id_line(id: &EventId) -> Bytes {
    let mut block = Bytes::from(&Encoding::block(None, None, Some(id.as_str()), None));
    block.truncate(block.len() - 1);
    block
}

impl From<Event> for Outgoing {
    fn from(event: Event) -> Outgoing {
        Outgoing(Contents::Event(event))
    }
}

impl From<Block> for Outgoing {
    fn from(block: Block) -> Outgoing {
        Outgoing(Contents::Block(block))
    }
}

impl From<Comment> for Outgoing {
    fn from(comment: Comment) -> Outgoing {
        Outgoing(Contents::Comment(comment))
    }
}

impl From<BlockItem> for Outgoing {
    fn from(item: BlockItem) -> Outgoing {
        match item {
            BlockItem::Block(block) => block.into(),
            BlockItem::Comment(comment) => comment.into(),
        }
    }
}

impl From<Encoded> for Outgoing {
    fn from(encoded: Encoded) -> Outgoing {
        Outgoing(Contents::Encoded(encoded.into_bytes()))
    }
}

/// The types that a stream can yield to be sent as a body: [`Event`], [`Block`], [`Comment`], [`BlockItem`],
/// [`Encoded`], [`Outgoing`], any other type that is `Into<Outgoing>`, or a `Result` with one of them.
///
/// A stream that cannot fail yields plain items. One that can fail yields results, and an error ends the response. To
/// mix types, convert each item to an [`Outgoing`]. For JSON, yield what [`Event::encoded_json`] returns. To send
/// values of your own type directly, implement `From` for [`Outgoing`], or this trait if the conversion can fail.
///
/// ```
/// use eventwire::{Event, IntoOutgoing, Outgoing};
/// use std::fmt;
///
/// struct Price(f64);
///
/// impl From<Price> for Outgoing {
///     fn from(price: Price) -> Outgoing {
///         Event::new(format!("{:.2}", price.0)).into()
///     }
/// }
///
/// struct Checked(f64);
///
/// impl IntoOutgoing for Checked {
///     type Error = fmt::Error;
///
///     fn into_outgoing(self) -> Result<Outgoing, fmt::Error> {
///         if self.0 < 0.0 { Err(fmt::Error) } else { Ok(Price(self.0).into()) }
///     }
/// }
///
/// let Ok(outgoing) = Price(41.7).into_outgoing();
/// assert_eq!(outgoing.into_bytes(), "data: 41.70\n\n");
/// assert!(Checked(-1.0).into_outgoing().is_err());
/// ```
pub trait IntoOutgoing {
    /// The error if there is nothing to send; [`Infallible`] if there always is something.
    type Error;

    /// Converts the item.
    ///
    /// # Errors
    ///
    /// The error of a `Result`.
    fn into_outgoing(self) -> Result<Outgoing, Self::Error>;
}

impl<T: Into<Outgoing>> IntoOutgoing for T {
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
