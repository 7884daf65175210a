//! The walk over the lines of a chunk.

mod blocks;
mod mask;
pub(super) mod scanned;

use self::{
    mask::{NonAscii, Stops, is_line_end, mask},
    scanned::Scanned,
};
use super::{
    Part,
    edge::{self, BOM, Edge},
};

/// The beginning of most lines. It contains no [stop](Stops).
const DATA: &[u8] = b"data: ";

/// A walk over the lines of a chunk, for [`Lines`](super::Lines) and for the decoder.
///
/// Its fields stay in registers as long as every method is inlined. A reference passed to a real call would force it
/// into memory for the entire loop, so rare paths get a copy. This is the reason for `inline(always)` on its methods
/// and on the decoder's methods around them; benches/history.md has the figures. On wasm, code size matters more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk<'c> {
    chunk: &'c [u8],
    /// Where the next line, or the next piece of one, begins.
    at: usize,
    ahead: Ahead,
    edge: Edge,
}

/// What a walk knows about the bytes that it has not passed.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    /// All stops before this position are known.
    known: usize,
    /// The stops that have not been passed, as a mask over the 64 bytes before `known`: bit `i` is the byte at
    /// `known - 64 + i`.
    stops: u64,
}

impl<'c> Walk<'c> {
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn new(edge: Edge, chunk: &'c [u8]) -> Walk<'c> {
        Walk { chunk, at: 0, ahead: Ahead { known: 0, stops: 0 }, edge }
    }

    /// How many bytes of the chunk have been passed.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) fn passed(&self) -> usize {
        self.at
    }

    /// Passes all bytes.
    #[cold]
    pub(crate) fn pass_all(&mut self) {
        self.pass_rest();
    }

    /// Goes back before the line end that has just been passed.
    #[cold]
    pub(crate) fn return_line_end(&mut self) {
        debug_assert!(self.at > 0, "a line end has been passed");
        self.at -= 1;
        self.ahead = Ahead { known: self.at, stops: 0 };
        self.edge = Edge::Within;
    }

    /// Whether the walk is inside a line.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) fn is_within_line(&self) -> bool {
        self.edge == Edge::Within
    }

    /// Whether all bytes have been passed.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) fn is_used_up(&self) -> bool {
        self.at == self.chunk.len()
    }

    /// The bytes that have not been passed.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn rest(&self) -> &'c [u8] {
        self.chunk.get(self.at..).unwrap_or_default()
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn edge(&self) -> Edge {
        self.edge
    }

    /// Passes a blank line, up to the byte that completes it. Returns whether there is one.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) fn blank_line(&mut self) -> bool {
        let first = byte_at(self.chunk, self.at);
        if self.edge == Edge::AfterCr && first == b'\n' {
            self.edge = Edge::Start;
            self.pass_to(self.at + 1);
            return self.blank_line_at(byte_at(self.chunk, self.at));
        }
        matches!(self.edge, Edge::Start | Edge::AfterCr) && self.blank_line_at(first)
    }

    /// The same, at a line that begins with this byte.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn blank_line_at(&mut self, first: u8) -> bool {
        if is_line_end(first) {
            self.edge = Edge::after(first);
            self.pass_to(self.at + 1);
        }
        is_line_end(first)
    }

    /// Offers the next line to `take`, and passes it if `take` returns `true`. Returns the result of `take`. A line
    /// that contains another stop is not offered.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) fn ascii_line_if(&mut self, take: impl FnOnce(&'c str) -> bool) -> bool {
        if self.edge != Edge::Start {
            return false;
        }
        let Some(stop) = self.next_stop() else { return false };
        let Some(line) = self.chunk.get(self.at..stop) else { return false };
        #[expect(unsafe_code, reason = "the walk knows that there is no stop")]
        // SAFETY: no byte before `stop` is a stop: see `next_stop`.
        let line = unsafe { Scanned::ascii(line) };
        let is_taken = byte_at(self.chunk, stop) == b'\n' && line.text().is_some_and(take);
        if is_taken {
            self.pass_to(stop + 1);
        }
        is_taken
    }

    /// The same, also for the rest of the chunk if it has no line end. `take` is in the code once, so it is inlined.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) fn ascii_part_if(&mut self, take: impl FnOnce(Part, &'c str) -> bool) -> bool {
        if self.edge != Edge::Start {
            return false;
        }
        let (part, end) = match self.next_stop() {
            Some(stop) if byte_at(self.chunk, stop) == b'\n' => (Part::Line, stop),
            None if self.at < self.chunk.len() => (Part::Head, self.chunk.len()),
            _ => return false,
        };
        let Some(text) = self.chunk.get(self.at..end) else { return false };
        #[expect(unsafe_code, reason = "the walk knows that there is no stop")]
        // SAFETY: no byte before the next stop, or of the rest if there is none, is a stop: see `next_stop`.
        let text = unsafe { Scanned::ascii(text) };
        let is_taken = text.text().is_some_and(|text| take(part, text));
        if is_taken && part == Part::Line {
            self.pass_to(end + 1);
        } else if is_taken {
            self.pass_rest();
        }
        is_taken
    }

    /// The next line, or the part of it that the chunk contains. A blank line is empty.
    #[cfg_attr(not(target_family = "wasm"), inline(always))] // It keeps the walk in the registers of the loop.
    pub(crate) fn part(&mut self) -> Option<(Part, Scanned<'c>)> {
        let first = *self.chunk.get(self.at)?;
        match self.edge {
            Edge::Start => {}
            Edge::AfterCr => {
                self.edge = Edge::Start;
                if first == b'\n' {
                    self.pass_to(self.at + 1);
                    self.chunk.get(self.at)?;
                }
            }
            Edge::Within => {
                let line = self.pass_line();
                return Some((if self.edge == Edge::Within { Part::Middle } else { Part::Tail }, line));
            }
            Edge::StreamStart | Edge::Bom1 | Edge::Bom2 => {
                let seen = self.edge.bom_bytes();
                let (edge, passed) = edge::stream_start(seen, self.rest());
                self.edge = edge;
                self.at += passed;
                if edge == Edge::Within {
                    // It is not a mark. The bytes from earlier chunks are text, and are borrowed from the constant.
                    return Some((Part::Head, Scanned::from(BOM.get(..seen)?)));
                }
                self.chunk.get(self.at)?;
            }
        }
        let line = self.pass_line();
        Some((if self.edge == Edge::Within { Part::Head } else { Part::Line }, line))
    }

    /// Passes any line, or the rest of one, with its end.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn pass_line(&mut self) -> Scanned<'c> {
        let at = self.at;
        let Some(stop) = self.next_stop() else {
            #[expect(unsafe_code, reason = "the walk knows that there is no stop")]
            // SAFETY: no byte of the rest is a stop: see `next_stop`.
            return unsafe { Scanned::ascii(self.pass_rest()) };
        };
        if is_line_end(byte_at(self.chunk, stop)) {
            self.edge = Edge::after(byte_at(self.chunk, stop));
            self.pass_to(stop + 1);
            #[expect(unsafe_code, reason = "the walk knows that there is no stop")]
            // SAFETY: no byte from `at` to `stop` is a stop: see `next_stop`.
            return unsafe { Scanned::ascii(self.chunk.get(at..stop).unwrap_or_default()) };
        }
        // The line contains other stops, so its end is searched for separately.
        let Some(end) = line_end_ahead(self.chunk, self.ahead) else { return Scanned::from(self.pass_rest()) };
        self.edge = Edge::after(byte_at(self.chunk, end));
        self.at = end + 1;
        self.ahead = self.ahead.after(self.at);
        Scanned::from(self.chunk.get(at..end).unwrap_or_default())
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn pass_rest(&mut self) -> &'c [u8] {
        let rest = self.rest();
        self.at = self.chunk.len();
        self.edge = Edge::Within;
        rest
    }

    /// The rest of the line in which the last chunk ended, up to the line's or the chunk's end. `None` if the chunk
    /// has more than `max_len` bytes left.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) fn rest_of_line(&mut self, max_len: impl FnOnce() -> Option<usize>) -> Option<(Part, Scanned<'c>)> {
        if self.edge != Edge::Within || self.rest().len() > max_len()? {
            return None;
        }
        let text = self.pass_line();
        Some((if self.edge == Edge::Within { Part::Middle } else { Part::Tail }, text))
    }

    /// Passes a line that begins with [`DATA`], if it is the last thing to read: a blank line follows, or the chunk
    /// ends inside the line. A blank line is passed too, up to the byte that completes it.
    ///
    /// Returns the bytes after `DATA`. `None` if there is no such line, or if it has more than `max_len` bytes.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) fn lone_line(&mut self, max_len: usize) -> Option<(Part, Scanned<'c>)> {
        if self.edge != Edge::Start || !self.rest().starts_with(DATA) {
            return None;
        }
        let begin = self.at + DATA.len();
        // It contains no stop, so it need not be scanned.
        self.ahead.known = self.ahead.known.max(begin);
        let stop = self.next_stop();
        // The most common line. The code below reads it too, but more slowly. On wasm, this would add 120 bytes.
        if cfg!(not(target_family = "wasm"))
            && let Some(stop) = stop
            && stop - self.at <= max_len
            && self.starts_at(stop, b"\n\n")
        {
            self.end_at(stop + 2);
            #[expect(unsafe_code, reason = "the walk knows that there is no stop")]
            // SAFETY: no byte before `stop` is a stop: see `next_stop`. `DATA` contains none.
            return Some((Part::Line, unsafe { Scanned::ascii(self.chunk.get(begin..stop)?) }));
        }
        let is_plain = stop.is_none_or(|stop| is_line_end(byte_at(self.chunk, stop)));
        let end = if is_plain { stop } else { line_end_ahead(self.chunk, self.ahead) };
        let value = self.chunk.get(begin..end.unwrap_or(self.chunk.len()))?;
        if DATA.len() + value.len() > max_len {
            return None;
        }
        let part = match end {
            Some(end) if self.starts_at(end, b"\n\n") => {
                self.end_at(end + 2);
                Part::Line
            }
            Some(end) if self.starts_at(end, b"\r\n\r") => {
                self.end_at(end + 3);
                self.edge = Edge::AfterCr;
                Part::Line
            }
            Some(_) => return None,
            None => {
                self.pass_rest();
                Part::Head
            }
        };
        if is_plain {
            #[expect(unsafe_code, reason = "the walk knows that there is no stop")]
            // SAFETY: no byte before `stop`, or of the rest if there is no stop, is a stop: see `next_stop`.
            return Some((part, unsafe { Scanned::ascii(value) }));
        }
        Some((part, Scanned::from(value)))
    }

    /// Ends the walk at `at`. Only [`rest`](Walk::rest) and [`edge`](Walk::edge) are valid after it. Clearing the
    /// stops here would slow the decoder down by 5 %, and nothing reads them again. If something did, it would miss
    /// lines, but without undefined behaviour: a stop before `at` makes `get(at..stop)` return `None`.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn end_at(&mut self, at: usize) {
        self.at = at;
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn starts_at<const N: usize>(&self, at: usize, bytes: &[u8; N]) -> bool {
        self.chunk.get(at..at + N).and_then(<[u8]>::first_chunk) == Some(bytes)
    }

    /// Passes comments and blank lines, for callers that ignore both. Returns `None` if the rest of the chunk
    /// contains anything else, `Head` if it ends inside a comment, and `Line` otherwise.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) fn pass_comments(&mut self) -> Option<Part> {
        while self.edge == Edge::Start
            && let Some(first) = self.chunk.get(self.at)
        {
            let end = match first {
                b'\n' | b'\r' => self.at,
                b':' => match self.next_stop() {
                    Some(stop) => stop,
                    None => {
                        self.pass_rest();
                        return Some(Part::Head);
                    }
                },
                _ => return None,
            };
            if self.starts_at(end, b"\n") {
                self.pass_to(end + 1);
            } else if self.starts_at(end, b"\r\n") {
                self.pass_to(end + 1);
                self.pass_to(end + 2);
            } else {
                return None;
            }
        }
        (self.at == self.chunk.len()).then_some(Part::Line)
    }

    /// Passes blank lines that end with LF. Returns whether a comment begins after them.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) fn pass_blank_lines(&mut self) -> bool {
        while self.edge == Edge::Start && self.starts_at(self.at, b"\n") {
            self.pass_to(self.at + 1);
        }
        self.edge == Edge::Start && self.starts_at(self.at, b":")
    }

    /// Passes everything up to `at`. It contains at most one stop, as its last byte.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn pass_to(&mut self, at: usize) {
        self.at = at;
        self.ahead.stops &= self.ahead.stops.wrapping_sub(1);
    }

    /// Returns the position of the first stop at or after `at`. `None`: there is none. The `unsafe` blocks rely on it.
    ///
    /// The first 64 unknown bytes are scanned into one mask, which later calls use up. What follows is scanned block
    /// by block. A mask alone is slow on long lines, and a call takes longer than a short line.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn next_stop(&mut self) -> Option<usize> {
        if self.ahead.stops == 0 {
            let from = self.at.max(self.ahead.known);
            // Every event ends with a blank line. It is recognised here, before anything is scanned for it.
            if *self.chunk.get(from)? == b'\n' {
                return Some(from);
            }
            self.ahead = Ahead::look(self.chunk, from);
        }
        self.ahead.first()
    }
}

impl Ahead {
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn look(chunk: &[u8], from: usize) -> Ahead {
        let ahead = Ahead { known: from + 64, stops: mask::<Stops>(chunk, from) };
        if ahead.stops == 0 && ahead.known < chunk.len() { Ahead::look_far(chunk, ahead.known) } else { ahead }
    }

    /// The same, after 64 bytes without a stop.
    #[inline(never)]
    fn look_far(chunk: &[u8], from: usize) -> Ahead {
        let from = from + 64 * blocks::without_stops(chunk.get(from..).unwrap_or_default());
        Ahead { known: from + 64, stops: mask::<Stops>(chunk, from) }
    }

    /// The same without the stops before `at`, which has been passed.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn after(self, at: usize) -> Ahead {
        match self.known.checked_sub(at) {
            None | Some(0) => Ahead { known: at, stops: 0 },
            Some(left) => Ahead { stops: self.stops & (u64::MAX << (64 - left)), ..self },
        }
    }

    /// The first of the stops that is a line end.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn line_end(mut self, chunk: &[u8]) -> Option<usize> {
        self.stops &= !mask::<NonAscii>(chunk, self.known - 64);
        while let Some(stop) = self.first() {
            if is_line_end(byte_at(chunk, stop)) {
                return Some(stop);
            }
            self.stops &= self.stops - 1;
        }
        None
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn first(self) -> Option<usize> {
        if self.stops == 0 {
            return None;
        }
        Some(self.known + self.stops.trailing_zeros() as usize - 64)
    }
}

/// The position of the next line end: one of the known stops, or a byte after them.
#[inline(never)]
fn line_end_ahead(chunk: &[u8], ahead: Ahead) -> Option<usize> {
    if cfg!(target_family = "wasm") {
        // The smallest code: no second kind of mask.
        return line_end(chunk, ahead.first()?);
    }
    let among = ahead.line_end(chunk);
    if among.is_some() || ahead.known >= chunk.len() { among } else { line_end(chunk, ahead.known) }
}

/// The position of the first line end at or after `from`.
pub(super) fn line_end(chunk: &[u8], from: usize) -> Option<usize> {
    let rest = chunk.get(from..)?;
    if cfg!(target_family = "wasm") {
        // The smallest code: neither masks nor memchr.
        return rest.iter().position(|byte| is_line_end(*byte)).map(|at| from + at);
    }
    // A call takes longer than a short text. For a long text, the vectors of memchr are several times as fast as
    // masks.
    if rest.len() <= 64 {
        return Ahead { known: from + 64, stops: mask::<Stops>(chunk, from) }.line_end(chunk);
    }
    memchr::memchr2(b'\n', b'\r', rest).map(|at| from + at)
}

#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn byte_at(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{Edge, Part, Walk, line_end};
    use proptest::prelude::*;
    use std::{vec, vec::Vec};

    /// Runs of one byte, long and short, so that lines of all lengths meet all kinds of stops at all positions.
    fn stream() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop::sample::select(b"\n\n\n\r\r\t\0\x0Ea:\x7F\x80\xC3\xFF".to_vec());
        prop::collection::vec((byte, 1..90_usize), 0..12).prop_map(|runs| {
            runs.into_iter().flat_map(|(byte, len)| vec![byte; if byte < 14 { 1 } else { len }]).collect()
        })
    }

    /// The lines of a stream, found byte by byte, and the last one if it has not ended.
    fn naive(stream: &[u8]) -> (Vec<Vec<u8>>, Vec<u8>) {
        let (mut lines, mut line) = (Vec::new(), Vec::new());
        for (i, byte) in stream.iter().enumerate() {
            match byte {
                b'\n' if i > 0 && stream[i - 1] == b'\r' => {}
                b'\n' | b'\r' => lines.push(core::mem::take(&mut line)),
                _ => line.push(*byte),
            }
        }
        (lines, line)
    }

    proptest! {
        // Miri has no file system for recorded failures.
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 8 } else { 2000 },
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        /// However the stream is split, the parts form the same lines, and text that is known to be ASCII is ASCII
        /// without a NUL.
        #[test]
        fn the_lines_do_not_depend_on_the_chunks(stream in stream(), size in 1..200_usize) {
            let (mut lines, mut open, mut edge) = (Vec::new(), Vec::new(), Edge::Start);
            for chunk in stream.chunks(size) {
                let mut walk = Walk::new(edge, chunk);
                // A part that was offered and not accepted changes nothing.
                while !walk.ascii_part_if(|_, _| false) && let Some((part, text)) = walk.part() {
                    if let Some(known) = text.text() {
                        prop_assert!(known.as_bytes() == text.bytes() && known.is_ascii() && !known.contains('\0'));
                    }
                    open.extend_from_slice(text.bytes());
                    if matches!(part, Part::Line | Part::Tail) {
                        lines.push(core::mem::take(&mut open));
                    }
                }
                prop_assert!(walk.rest().is_empty());
                edge = walk.edge();
            }
            prop_assert_eq!((lines, open), naive(&stream));
        }

        /// A lone line is followed by a blank line in the same chunk, or continues beyond the chunk. The bytes after
        /// it do not matter.
        #[test]
        fn a_lone_line_ends_the_walk(line in stream(), end in "\n\n|\r\n\r\n|\n|\r\r|\n\r", is_cut: bool, max_len in 0..300_usize) {
            let line: Vec<u8> = line.into_iter().filter(|byte| !matches!(byte, b'\n' | b'\r')).collect();
            let after = if is_cut { vec![] } else { [end.as_bytes(), b"rest"].concat() };
            let chunk = [&b"data: "[..], &line, &after].concat();
            let mut walk = Walk::new(Edge::Start, &chunk);
            let found = walk.lone_line(max_len).map(|(part, value)| (part, value.bytes(), walk.rest(), walk.edge()));
            let expected = match &*end {
                _ if is_cut => Some((Part::Head, &line[..], &b""[..], Edge::Within)),
                "\n\n" => Some((Part::Line, &line[..], &b"rest"[..], Edge::Start)),
                "\r\n\r\n" => Some((Part::Line, &line[..], &b"\nrest"[..], Edge::AfterCr)),
                // `\r\r` and mixed line ends are left to the general path.
                _ => None,
            };
            prop_assert_eq!(found, expected.filter(|_| line.len() + 6 <= max_len));
            if found.is_none() {
                let mut fresh = Walk::new(Edge::Start, &chunk);
                while let Some((part, text)) = fresh.part() {
                    prop_assert_eq!(walk.part().map(|(part, text)| (part, text.bytes())), Some((part, text.bytes())));
                }
                prop_assert!(walk.part().is_none());
            }
        }

        #[test]
        fn the_next_line_end(stream in stream(), from in 0..400_usize) {
            let expected = stream.iter().skip(from).position(|byte| matches!(byte, b'\n' | b'\r')).map(|at| from + at);
            prop_assert_eq!(line_end(&stream, from), expected);
        }
    }
}
