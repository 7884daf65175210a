//! What a line splitter remembers between chunks.

pub(super) const BOM: &[u8; 3] = b"\xEF\xBB\xBF";

/// All that is remembered between chunks.
///
/// It has the size of a register, so that a copied walk has no padding, whose bytes would be moved one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Edge {
    /// The stream has not begun.
    StreamStart,
    /// The stream has begun with one byte of a byte order mark, and has no other bytes yet.
    Bom1,
    /// The stream has begun with two bytes of a byte order mark, and has no other bytes yet.
    Bom2,
    /// At the beginning of a line.
    Start,
    /// At the beginning of a line, or before an LF that belongs to the last CR.
    AfterCr,
    /// Inside a line.
    Within,
}

impl Edge {
    /// How many bytes of a byte order mark the stream has begun with, if it has no other bytes yet.
    pub(super) fn bom_bytes(self) -> usize {
        match self {
            Edge::Bom1 => 1,
            Edge::Bom2 => 2,
            _ => 0,
        }
    }

    /// The edge after a line end, which is an LF or a CR.
    #[inline]
    pub(super) fn after(line_end: u8) -> Edge {
        if line_end == b'\r' { Edge::AfterCr } else { Edge::Start }
    }
}

/// Decides whether a stream that has begun with `seen` bytes of a byte order mark begins with the complete mark.
/// Returns the new edge, and how many bytes of `chunk` belong to the mark. The edge is `Within` if the seen bytes
/// are text.
///
/// It accepts bytes rather than the walk, because the walk would then have to be in memory.
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
    // Bytes that prove to be text are not passed.
    (edge, if matches!(edge, Edge::Start | Edge::Within) && seen + matching < 3 { 0 } else { matching })
}
