//! How the targets read an input: a header of eight bytes, then the stream.

/// A parsed input. All targets except `roundtrip` have the same header, so that one can run inputs that another has
/// found.
#[derive(Clone, Copy, Debug)]
pub struct Case<'i> {
    /// The settings for the beginning and the end of the stream: see `options.rs`.
    pub mode: u8,
    /// A number that each target uses for its own purpose.
    pub number: usize,
    /// The sizes of the chunks, repeated.
    pub sizes: [u8; 6],
    pub stream: &'i [u8],
}

impl<'i> Case<'i> {
    /// Returns `None` if the input is too short for a header.
    pub fn of(input: &'i [u8]) -> Option<Case<'i>> {
        let ([mode, number, sizes @ ..], stream) = input.split_first_chunk::<8>()?;
        Some(Case { mode: *mode, number: usize::from(*number), sizes: *sizes, stream })
    }

    /// Returns the stream, split as the header describes. A size of zero yields an empty chunk; if all six are zero,
    /// the stream is one chunk.
    pub fn chunks(&self) -> Vec<&'i [u8]> {
        let (mut rest, mut chunks) = (self.stream, Vec::new());
        if self.sizes != [0; 6] {
            for size in self.sizes.iter().cycle() {
                let Some((chunk, behind)) = rest.split_at_checked(usize::from(*size)) else { break };
                chunks.push(chunk);
                rest = behind;
            }
        }
        chunks.push(rest);
        chunks
    }
}
