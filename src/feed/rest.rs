//! What is left of a stream at its end.

/// The text at the end of a stream that is in none of its events: for eventwire-client.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rest<'a> {
    /// The beginning of the data of an event that the end has cut off.
    pub unfinished: &'a str,
    /// What the decoder has [ignored](crate::Decoder::ignored).
    pub ignored: &'a [u8],
}
