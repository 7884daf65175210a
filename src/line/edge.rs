//! What a line splitter remembers from one chunk to the next.

pub(super) const BOM: &[u8; 3] = b"\xEF\xBB\xBF";

/// All that is remembered from one chunk to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    /// The stream has begun with so many bytes of a byte order mark, and with nothing else.
    Bom(u8),
    /// A line begins.
    Start,
    /// A line begins, unless an LF comes first: it belongs to the CR before.
    AfterCr,
    /// Inside a line.
    Within,
}

/// What the next bytes of a stream that has begun with `seen` bytes of a byte order mark make of it, and how many of them
/// belong to the mark. `Within` where the bytes that were seen turn out to be text.
///
/// Not a method: whoever is handed a `Lines` by reference keeps all of it in memory, and out of registers, for good.
#[cold]
pub(super) fn stream_start(seen: u8, chunk: &[u8]) -> (Edge, usize) {
    let missing = &BOM[usize::from(seen)..];
    let matching = chunk.iter().zip(missing).take_while(|(byte, expected)| byte == expected);
    let (now_seen, matching) = matching.fold((seen, 0), |(seen, matching), _| (seen + 1, matching + 1));
    if matching == missing.len() {
        (Edge::Start, matching)
    } else if matching == chunk.len() {
        (Edge::Bom(now_seen), matching)
    } else if seen == 0 {
        (Edge::Start, 0)
    } else {
        (Edge::Within, 0)
    }
}
