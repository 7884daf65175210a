//! What a source of events knows beside them.

use crate::decoder::LastLine;

/// The text at the end of a stream that is in none of its events, and where the last event was: for eventwire-client.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rest<'a> {
    /// The beginning of the data of an event that the end has cut off.
    pub unfinished: &'a str,
    /// What the decoder has [ignored](crate::Decoder::ignored).
    pub ignored: &'a [u8],
    /// The line that was the last event, if each line is one.
    pub line: Option<LastLine>,
}
