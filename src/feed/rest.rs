//! What a source of events knows beside them.

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

/// The last line that a source has returned as an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastLine {
    /// Its number, counted from 1.
    pub number: u64,
    /// Whether the stream ended before it did.
    pub is_cut: bool,
}
