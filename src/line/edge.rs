//! What a line splitter remembers from one chunk to the next.

pub(super) const BOM: &[u8; 3] = b"\xEF\xBB\xBF";

/// All that is remembered from one chunk to the next.
///
/// As large as a register, so that a copy of a walk copies no padding, whose bytes are moved one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Edge {
    /// Nothing of the stream is there.
    StreamStart,
    /// The stream has begun with one byte of a byte order mark, and with nothing else.
    Bom1,
    /// With two bytes of one.
    Bom2,
    /// A line begins.
    Start,
    /// A line begins, unless an LF comes first: it belongs to the CR before.
    AfterCr,
    /// Inside a line.
    Within,
}

impl Edge {
    /// How many bytes of a byte order mark the stream has begun with, at its start.
    pub(super) fn bom_bytes(self) -> usize {
        match self {
            Edge::Bom1 => 1,
            Edge::Bom2 => 2,
            _ => 0,
        }
    }

    /// After a line end: an LF, or a CR.
    #[inline]
    pub(super) fn after(line_end: u8) -> Edge {
        if line_end == b'\r' { Edge::AfterCr } else { Edge::Start }
    }
}

/// What the next bytes of a stream make of the `seen` bytes of a byte order mark that it has begun with, and how many of them
/// belong to the mark. `Within` where the bytes that were seen turn out to be text.
///
/// It takes bytes and not the walk, which would have to be in memory for that.
#[cold]
pub(super) fn stream_start(seen: usize, chunk: &[u8]) -> (Edge, usize) {
    let missing = BOM.get(seen..).unwrap_or_default();
    let matching = chunk.iter().zip(missing).take_while(|(byte, expected)| byte == expected).count();
    let edge = match seen + matching {
        3 => Edge::Start,
        1 if matching == chunk.len() => Edge::Bom1,
        2 if matching == chunk.len() => Edge::Bom2,
        _ if seen == 0 => Edge::Start,
        _ => Edge::Within,
    };
    // What turns out to be text is not passed.
    (edge, if matches!(edge, Edge::Start | Edge::Within) && seen + matching < 3 { 0 } else { matching })
}
