//! What the targets make of an input: a header of eight bytes, then the stream.

/// An input, taken apart. All targets but `roundtrip` have the same header, so that one can be fed what another has found.
#[derive(Clone, Copy, Debug)]
pub struct Case<'i> {
    /// How the stream begins and ends: see `options.rs`.
    pub mode: u8,
    /// A number that each target uses for what it alone does.
    pub number: usize,
    /// The sizes of the chunks, over and over.
    pub sizes: [u8; 6],
    pub stream: &'i [u8],
}

impl<'i> Case<'i> {
    /// `None` for an input too short to have a header.
    pub fn of(input: &'i [u8]) -> Option<Case<'i>> {
        let ([mode, number, sizes @ ..], stream) = input.split_first_chunk::<8>()?;
        Some(Case { mode: *mode, number: usize::from(*number), sizes: *sizes, stream })
    }

    /// The stream, cut as the header says. Sizes of zero make empty chunks; six of them end the cutting.
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
