//! The names of streams.

use std::{fmt, sync::Arc};

/// The name of one stream in a [`Hub`](crate::Hub) and its [`Log`](crate::Log).
///
/// It has 1 to 256 bytes, and no control characters. A clone shares the text.
///
/// ```
/// use eventwire_hub::{InvalidTopic, Topic};
///
/// assert_eq!(Topic::new("room/7")?.as_str(), "room/7");
/// assert_eq!(Topic::new("room\n7"), Err(InvalidTopic::ControlCharacter { at: 4 }));
/// # Ok::<(), InvalidTopic>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Topic(Arc<str>);

impl Topic {
    const MAX_LEN: usize = 256;

    /// Creates a topic from a name.
    ///
    /// # Errors
    ///
    /// [`InvalidTopic`] if the name is empty, too long, or has a control character. If a request has the name, answer
    /// with status 400.
    pub fn new(name: &str) -> Result<Topic, InvalidTopic> {
        match name.len() {
            0 => return Err(InvalidTopic::Empty),
            len if len > Topic::MAX_LEN => return Err(InvalidTopic::TooLong { len }),
            _ => {}
        }
        match name.char_indices().find(|(_, character)| character.is_control()) {
            Some((at, _)) => Err(InvalidTopic::ControlCharacter { at }),
            None => Ok(Topic(name.into())),
        }
    }

    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a name is not that of a topic; [`Topic::new`] returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidTopic {
    /// There is no character.
    #[error("the name of the topic is empty")]
    Empty,
    /// There are more than 256 bytes.
    #[error("the name of the topic has {len} bytes, and may have 256")]
    TooLong {
        /// How many bytes there are.
        len: usize,
    },
    /// There is a control character, such as a line end.
    #[error("the name of the topic has a control character at byte {at}")]
    ControlCharacter {
        /// The byte at which it begins.
        at: usize,
    },
}
