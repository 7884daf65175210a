//! The one walk over the bytes of a chunk, from line to line.

mod blocks;
mod mask;
pub(super) mod scanned;

use self::{
    mask::{ByteSet, LineEnds, Stops, mask},
    scanned::Scanned,
};
use super::{
    Part,
    edge::{self, BOM, Edge},
};

/// A walk over the lines of a chunk. [`Lines`](super::Lines) and the decoder stand on it.
///
/// Its fields stay in registers as long as every method is inlined. Passing a reference to a real call would force it into memory for the
/// whole loop, so rare paths get a copy. Hence the `inline(always)` on its methods, and on the decoder's around them: what it is worth is in
/// DESIGN.md. On wasm size matters more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk<'c> {
    chunk: &'c [u8],
    /// Where the next line, or the next piece of one, begins.
    at: usize,
    ahead: Ahead,
    edge: Edge,
}

/// What a walk knows of the bytes that it has not passed.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    /// All stops before this place have been found.
    known: usize,
    /// Those that have not been passed are among the 64 bytes before `known`: bit `i` is the byte at `known - 64 + i`.
    stops: u64,
}

impl<'c> Walk<'c> {
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn new(edge: Edge, chunk: &'c [u8]) -> Walk<'c> {
        Walk { chunk, at: 0, ahead: Ahead { known: 0, stops: 0 }, edge }
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

    /// The next line, if it is all ASCII and ends with an LF.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn ascii_line(&mut self) -> Option<Scanned<'c>> {
        if self.edge != Edge::Start {
            return None;
        }
        let stop = self.next_stop()?;
        if self.chunk.get(stop) != Some(&b'\n') {
            return None;
        }
        let line = Scanned::ascii(self.chunk.get(self.at..stop)?);
        self.pass_to(stop + 1);
        Some(line)
    }

    /// The next line, or as much of one as is there. A blank line is empty.
    #[cfg_attr(not(target_family = "wasm"), inline(always))] // The loops around it are where the state of the walk has to live.
    pub(crate) fn part(&mut self) -> Option<(Part, Scanned<'c>)> {
        match self.ascii_line() {
            Some(line) => Some((Part::Line, line)),
            None => self.any_part(),
        }
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn any_part(&mut self) -> Option<(Part, Scanned<'c>)> {
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
                    // Not a mark: the bytes of it that earlier chunks held are text, and are lent from the constant.
                    return Some((Part::Head, Scanned::from(BOM.get(..seen)?)));
                }
                self.chunk.get(self.at)?;
            }
        }
        let line = self.pass_line();
        Some((if self.edge == Edge::Within { Part::Head } else { Part::Line }, line))
    }

    /// Passes any line, or what is left of it, with its end.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn pass_line(&mut self) -> Scanned<'c> {
        let rest = self.rest();
        let Some(stop) = self.next_stop() else { return Scanned::ascii(self.pass_rest()) };
        let len = stop - self.at;
        if LineEnds::has(byte_at(rest, len)) {
            self.edge = Edge::after(byte_at(rest, len));
            self.pass_to(stop + 1);
            return Scanned::ascii(rest.get(..len).unwrap_or_default());
        }
        // Whatever else there is in the line, its end is searched for by itself.
        let Some(len) = line_end(rest, len) else { return Scanned::from(self.pass_rest()) };
        self.edge = Edge::after(byte_at(rest, len));
        self.at += len + 1;
        self.ahead = Ahead { known: self.at, stops: 0 };
        Scanned::from(rest.get(..len).unwrap_or_default())
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn pass_rest(&mut self) -> &'c [u8] {
        let rest = self.rest();
        self.at = self.chunk.len();
        self.edge = Edge::Within;
        rest
    }

    /// The whole chunk, if it lies within one line and has at most `max_len` bytes.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) fn middle(&mut self, max_len: usize) -> Option<Scanned<'c>> {
        if self.edge != Edge::Within || self.rest().len() > max_len {
            return None;
        }
        match self.next_stop() {
            None => Some(Scanned::ascii(self.pass_rest())),
            Some(stop) if LineEnds::has(byte_at(self.chunk, stop)) || line_end(self.chunk, stop).is_some() => None,
            Some(_) => Some(Scanned::from(self.pass_rest())),
        }
    }

    /// Passes a line that begins with `prefix` and the blank line after it, up to the byte that completes that one, if both are there
    /// and the line is no longer than `max_len`. `prefix` has no stop in it. Gives what is after it. If
    /// it does, that is the end of the walk.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) fn lone_line(&mut self, prefix: &[u8], max_len: usize) -> Option<Scanned<'c>> {
        if self.edge != Edge::Start || !self.rest().starts_with(prefix) {
            return None;
        }
        let begin = self.at + prefix.len();
        // The prefix need not be scanned.
        self.ahead.known = self.ahead.known.max(begin);
        let stop = self.next_stop()?;
        if stop - self.at <= max_len && self.starts_at(stop, b"\n\n") {
            self.end_at(stop + 2);
            return Some(Scanned::ascii(self.chunk.get(begin..stop)?));
        }
        let is_plain = LineEnds::has(byte_at(self.chunk, stop));
        let end = if is_plain { stop } else { line_end(self.chunk, stop)? };
        if end - self.at > max_len {
            return None;
        }
        if self.starts_at(end, b"\n\n") {
            self.end_at(end + 2);
        } else if self.starts_at(end, b"\r\n\r") {
            self.end_at(end + 3);
            self.edge = Edge::AfterCr;
        } else {
            return None;
        }
        let value = self.chunk.get(begin..end)?;
        Some(if is_plain { Scanned::ascii(value) } else { Scanned::from(value) })
    }

    /// Ends the walk at `at`: only [`rest`](Walk::rest) and [`edge`](Walk::edge) mean something after it. To forget the stops here would cost the
    /// decoder 5 %, though nothing reads them again.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn end_at(&mut self, at: usize) {
        self.at = at;
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn starts_at(&self, at: usize, bytes: &[u8]) -> bool {
        self.chunk.get(at..at + bytes.len()) == Some(bytes)
    }

    /// Passes comments and blank lines, where both mean nothing. Says whether that was the whole chunk.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) fn pass_comments(&mut self) -> bool {
        while self.edge == Edge::Start
            && let Some(first) = self.chunk.get(self.at)
        {
            let end = match first {
                b'\n' | b'\r' => self.at,
                b':' => match self.next_stop() {
                    Some(stop) => stop,
                    None => return false,
                },
                _ => return false,
            };
            if self.starts_at(end, b"\n") {
                self.pass_to(end + 1);
            } else if self.starts_at(end, b"\r\n") {
                self.pass_to(end + 1);
                self.pass_to(end + 2);
            } else {
                return false;
            }
        }
        self.at == self.chunk.len()
    }

    /// Passes all up to `at`, which has one stop in it at most, the last byte.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn pass_to(&mut self, at: usize) {
        self.at = at;
        self.ahead.stops &= self.ahead.stops.wrapping_sub(1);
    }

    /// The place of the next stop.
    ///
    /// The first 64 unknown bytes are scanned as one mask, which later calls use up, and what follows block by block: a mask
    /// alone is slow on long lines, and a call costs more than a short line itself.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn next_stop(&mut self) -> Option<usize> {
        if self.ahead.stops == 0 {
            let from = self.at.max(self.ahead.known);
            // A blank line, which is every event's last, is told before anything is scanned for it.
            if *self.chunk.get(from)? == b'\n' {
                return Some(from);
            }
            self.ahead = look_ahead(self.chunk, from);
            if self.ahead.stops == 0 {
                return None;
            }
        }
        Some(self.ahead.known + self.ahead.stops.trailing_zeros() as usize - 64)
    }
}

#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn look_ahead(chunk: &[u8], from: usize) -> Ahead {
    let ahead = Ahead { known: from + 64, stops: mask::<Stops>(chunk, from) };
    if ahead.stops == 0 && ahead.known < chunk.len() { look_far(chunk, ahead.known) } else { ahead }
}

/// The same, after 64 bytes without a stop.
#[inline(never)]
fn look_far(chunk: &[u8], from: usize) -> Ahead {
    let from = from + 64 * blocks::without_stops(chunk.get(from..).unwrap_or_default());
    Ahead { known: from + 64, stops: mask::<Stops>(chunk, from) }
}

/// The place of the next line end, anything may be before it.
#[inline(never)]
pub(super) fn line_end(chunk: &[u8], mut from: usize) -> Option<usize> {
    while from < chunk.len() {
        let ends = mask::<LineEnds>(chunk, from);
        if ends != 0 {
            return Some(from + ends.trailing_zeros() as usize);
        }
        from += 64;
    }
    None
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

    /// Runs of one byte, long and short, so that lines of all lengths meet stops of all kinds at all places.
    fn stream() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop::sample::select(b"\n\n\n\r\r\t\0\x0Ea:\x7F\x80\xC3\xFF".to_vec());
        prop::collection::vec((byte, 1..90_usize), 0..12).prop_map(|runs| {
            runs.into_iter().flat_map(|(byte, len)| vec![byte; if byte < 14 { 1 } else { len }]).collect()
        })
    }

    /// The lines of a stream, byte by byte, and the last one if it is not ended.
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
        // Miri has no files to keep failures in.
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 8 } else { 2000 },
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        /// In any chunks, the parts of the lines are those of the stream, and what is known to be text is ASCII without a NUL.
        #[test]
        fn any_cut_the_same_lines(stream in stream(), size in 1..200_usize) {
            let (mut lines, mut open, mut edge) = (Vec::new(), Vec::new(), Edge::Start);
            for chunk in stream.chunks(size) {
                let mut walk = Walk::new(edge, chunk);
                while let Some((part, text)) = walk.part() {
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

        /// A line is alone if it is followed by a blank line in the same chunk; what is before and after it does not matter.
        #[test]
        fn a_lone_line_is_the_line_before_a_blank_one(line in stream(), end in "\n\n|\r\n\r\n|\n|\r\r|\n\r", max_len in 0..300_usize) {
            let line: Vec<u8> = line.into_iter().filter(|byte| !matches!(byte, b'\n' | b'\r')).collect();
            let chunk = [&b"data: "[..], &line, end.as_bytes(), b"rest"].concat();
            let mut walk = Walk::new(Edge::Start, &chunk);
            let found = walk.lone_line(b"data: ", max_len).map(|value| (value.bytes(), walk.rest()));
            let expected = match &*end {
                "\n\n" => Some((&line[..], &b"rest"[..])),
                "\r\n\r\n" => Some((&line[..], &b"\nrest"[..])),
                // `\r\r` and mixed ends are left to the long way.
                _ => None,
            };
            prop_assert_eq!(found, expected.filter(|_| line.len() + 6 <= max_len));
        }

        #[test]
        fn the_next_line_end(stream in stream(), from in 0..400_usize) {
            let expected = stream.iter().skip(from).position(|byte| matches!(byte, b'\n' | b'\r')).map(|at| from + at);
            prop_assert_eq!(line_end(&stream, from), expected);
        }
    }
}
