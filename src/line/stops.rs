//! The lines of one chunk, found by its stops.

use super::{
    field::Field,
    mask::{NOT_ASCII, STOP, blocks_without_stops, mask},
};

/// The beginning of most lines. It contains no [stop](STOP).
const DATA: &[u8; 6] = b"data: ";

/// A cursor over the lines of a chunk that begins at the start of a line, or within one.
///
/// Its fields stay in registers as long as every method is inlined, and a reference passed to a real call would force
/// them into memory. This is the reason for `inline(always)` here and on the loops around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stops<'c> {
    chunk: &'c [u8],
    /// Where the next line begins.
    at: usize,
    /// All stops before this position are known.
    known: usize,
    /// The stops that have not been passed, as a mask over the 64 bytes before `known`: bit `i` is the byte at
    /// `known - 64 + i`.
    ahead: u64,
}

/// Bytes of a chunk, with what is known about them.
///
/// The knowledge is private. Bytes are known to be ASCII only where the stops have been searched for, and known to be
/// text only if they are ASCII or came from a `str`. So no safe code can claim it, and no code has to check it again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scanned<'c> {
    bytes: &'c [u8],
    known: Known,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
enum Known {
    /// They are ASCII, without a NUL.
    Ascii,
    /// They are UTF-8.
    Text,
    Nothing,
}

impl<'c> Stops<'c> {
    /// Begins at this position of the chunk.
    #[inline(always)]
    pub(crate) fn new(chunk: &'c [u8], at: usize) -> Stops<'c> {
        Stops { chunk, at, known: 0, ahead: 0 }
    }

    /// The bytes of the chunk that have not been passed.
    #[inline(always)]
    pub(crate) fn rest(&self) -> &'c [u8] {
        self.chunk.get(self.at..).unwrap_or_default()
    }

    /// How many bytes of the chunk have been passed.
    #[inline(always)]
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Whether the last byte that has been passed is a CR, so that an LF after it belongs to the same line end.
    #[inline(always)]
    pub(crate) fn is_after_cr(&self) -> bool {
        self.chunk.get(self.at.wrapping_sub(1)) == Some(&b'\r')
    }

    /// Passes the most common event, a data line and a blank line, and returns its data. Both end with LF or with CR
    /// LF; the LF after the last CR is not passed. `None` if anything else comes next, or if the line and its end have
    /// more than `limit` bytes.
    ///
    /// Only [`at`](Stops::at) is valid after such an event: forgetting its stops here would slow the decoder down
    /// by 5 %, and nothing reads on.
    #[inline(always)]
    pub(crate) fn data_event(&mut self, limit: usize) -> Option<Scanned<'c>> {
        if self.chunk.get(self.at..)?.first_chunk() != Some(DATA) {
            return None;
        }
        let begin = self.at + DATA.len();
        // It contains no stop, so it need not be searched.
        self.known = begin;
        let stop = self.next_stop()?;
        let (end, known) = match is_line_end(self.byte_at(stop)) {
            true => (stop, Known::Ascii),
            false => (next_line_end(self.chunk, self.known, self.ahead)?, Known::Nothing),
        };
        let (line, line_ends) = self.chunk.get(self.at..)?.split_at_checked(end - self.at)?;
        let rest = match line_ends {
            [b'\n', b'\n', rest @ ..] | [b'\r', b'\n', b'\r', rest @ ..] => rest,
            _ => return None,
        };
        if line.len() >= limit {
            return None;
        }
        self.at = self.chunk.len() - rest.len();
        Some(Scanned { bytes: line.get(DATA.len()..)?, known })
    }

    /// Passes the next line and its end: an LF, or a CR without the LF that may follow. Returns the line, or what the
    /// chunk contains of it, which may be nothing, and whether it has ended.
    ///
    /// The LF that belongs to the CR of the line before is passed first.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> (Scanned<'c>, bool) {
        let mut stop = self.next_stop();
        if stop == Some(self.at) && self.is_after_cr() {
            self.pass_lf();
            stop = self.next_stop();
        }
        let begin = self.at;
        let Some(stop) = stop else {
            self.at = self.chunk.len();
            return (Scanned { bytes: self.slice(begin, self.at), known: Known::Ascii }, false);
        };
        if is_line_end(self.byte_at(stop)) {
            self.at = stop + 1;
            self.ahead &= self.ahead.wrapping_sub(1);
            return (Scanned { bytes: self.slice(begin, stop), known: Known::Ascii }, true);
        }
        // The line contains a stop that does not end it.
        let Some(end) = next_line_end(self.chunk, self.known, self.ahead) else {
            (self.at, self.known, self.ahead) = (self.chunk.len(), self.chunk.len(), 0);
            return (Scanned::from(self.slice(begin, self.at)), false);
        };
        self.at = end + 1;
        // The stops of the line are forgotten.
        match self.known.checked_sub(self.at) {
            None | Some(0) => (self.known, self.ahead) = (self.at, 0),
            Some(left) => self.ahead &= u64::MAX << (64 - left),
        }
        (Scanned::from(self.slice(begin, end)), true)
    }

    /// Passes an LF, if it comes next: a blank line, or the second half of a CR LF.
    #[inline(always)]
    pub(crate) fn pass_lf(&mut self) {
        if self.chunk.get(self.at) == Some(&b'\n') {
            self.at += 1;
            self.ahead &= self.ahead.wrapping_sub(1);
        }
    }

    /// Returns the position of the first stop at or after `at`. `None`: there is none. What is known to be ASCII relies
    /// on it.
    ///
    /// The first 64 unknown bytes are searched into one mask, which later calls use up. What follows is searched block
    /// by block. A mask alone is slow on long lines, and a call takes longer than a short line.
    #[inline(always)]
    fn next_stop(&mut self) -> Option<usize> {
        if self.ahead == 0 {
            let from = self.at.max(self.known);
            // Every event ends with a blank line. It is recognised here, before anything is searched for it.
            if *self.chunk.get(from)? == b'\n' {
                return Some(from);
            }
            (self.known, self.ahead) = (from + 64, mask(self.chunk, from, STOP));
            if self.ahead == 0 && self.known < self.chunk.len() {
                (self.known, self.ahead) = look_far(self.chunk, self.known);
            }
            if self.ahead == 0 {
                return None;
            }
        }
        Some(self.known - 64 + self.ahead.trailing_zeros() as usize)
    }

    #[inline(always)]
    fn byte_at(&self, at: usize) -> u8 {
        self.chunk.get(at).copied().unwrap_or(0)
    }

    #[inline(always)]
    fn slice(&self, begin: usize, end: usize) -> &'c [u8] {
        self.chunk.get(begin..end).unwrap_or_default()
    }
}

/// The first 64 bytes with a stop, and its mask, after 64 bytes without one.
#[inline(never)]
fn look_far(chunk: &[u8], from: usize) -> (usize, u64) {
    let from = from + 64 * blocks_without_stops(chunk.get(from..).unwrap_or_default());
    (from + 64, mask(chunk, from, STOP))
}

/// The position of the next line end: one of the known stops, or a byte after them.
#[inline(never)]
fn next_line_end(chunk: &[u8], known: usize, ahead: u64) -> Option<usize> {
    let mut ahead = ahead & !mask(chunk, known - 64, NOT_ASCII);
    while ahead != 0 {
        let stop = known - 64 + ahead.trailing_zeros() as usize;
        if chunk.get(stop).copied().is_some_and(is_line_end) {
            return Some(stop);
        }
        ahead &= ahead - 1;
    }
    // For a long text, the vectors of memchr are several times as fast as masks.
    memchr::memchr2(b'\n', b'\r', chunk.get(known..)?).map(|at| known + at)
}

/// Whether the byte is a CR or an LF.
#[inline(always)]
fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

impl<'c> Scanned<'c> {
    #[inline(always)]
    pub(crate) fn bytes(self) -> &'c [u8] {
        self.bytes
    }

    #[inline(always)]
    pub(crate) fn len(self) -> usize {
        self.bytes.len()
    }

    /// The field of a line, and its value, which begins after ASCII.
    #[inline(always)]
    pub(crate) fn field(self) -> (Field, Scanned<'c>) {
        let (field, bytes) = Field::parse(self.bytes);
        (field, Scanned { bytes, ..self })
    }

    /// The bytes before and after the position, or all and none if they are fewer.
    pub(crate) fn split_at(self, at: usize) -> (Scanned<'c>, Scanned<'c>) {
        // Other text could be split inside a character.
        let known = if self.known == Known::Ascii { Known::Ascii } else { Known::Nothing };
        let (before, after) = self.bytes.split_at_checked(at).unwrap_or((self.bytes, &[]));
        (Scanned { bytes: before, known }, Scanned { bytes: after, known })
    }

    /// Whether the bytes contain a NUL, which is a stop.
    #[inline(always)]
    pub(crate) fn has_nul(self) -> bool {
        self.known != Known::Ascii && memchr::memchr(0, self.bytes).is_some()
    }

    /// The bytes as text, if they are known to be text. If not, they may still be valid text.
    #[inline(always)]
    pub(crate) fn text(self) -> Option<&'c str> {
        #[expect(unsafe_code, reason = "what is known about the bytes is not part of their type")]
        // SAFETY: the bytes came from a `str`, or `Stops` has found no stop among them, and every byte that is not
        // ASCII is a stop. A part of them that is known to be text begins and ends at ASCII.
        (self.known != Known::Nothing).then(|| unsafe { str::from_utf8_unchecked(self.bytes) })
    }
}

impl<'c> From<&'c str> for Scanned<'c> {
    #[inline(always)]
    fn from(text: &'c str) -> Scanned<'c> {
        Scanned { bytes: text.as_bytes(), known: Known::Text }
    }
}

/// Bytes about which nothing is known.
impl<'c> From<&'c [u8]> for Scanned<'c> {
    #[inline(always)]
    fn from(bytes: &'c [u8]) -> Scanned<'c> {
        Scanned { bytes, known: Known::Nothing }
    }
}

#[cfg(test)]
mod tests {
    use super::Stops;
    use proptest::prelude::*;
    use std::{vec, vec::Vec};

    /// Runs of one byte, long and short, so that lines of all lengths meet all kinds of stops at all positions.
    fn stream() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop::sample::select(b"\n\n\n\r\r\t\0\x0Ea:\x7F\x80\xC3\xFF".to_vec());
        prop::collection::vec((byte, 1..90_usize), 0..12).prop_map(|runs| {
            runs.into_iter().flat_map(|(byte, len)| vec![byte; if byte < 14 { 1 } else { len }]).collect()
        })
    }

    /// The lines of a stream, found byte by byte, and the last one, which has not ended.
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

        #[test]
        fn the_lines_are_those_of_the_obvious_loop(stream in stream()) {
            let (mut lines, mut stops) = (Vec::new(), Stops::new(&stream, 0));
            let last = loop {
                let at = stops.at();
                let (line, has_ended) = stops.next();
                prop_assert!(stops.at() >= at);
                if let Some(known) = line.text() {
                    prop_assert!(known.is_ascii() && known.as_bytes() == line.bytes() && !known.contains('\0'));
                }
                prop_assert_eq!(line.has_nul(), line.bytes().contains(&0));
                prop_assert_eq!(stops.is_after_cr(), stops.at() > 0 && stream[stops.at() - 1] == b'\r');
                match has_ended {
                    true => lines.push(line.bytes().to_vec()),
                    false => break line.bytes().to_vec(),
                }
            };
            prop_assert_eq!(stops.at(), stream.len());
            prop_assert_eq!((lines, last), naive(&stream));
        }

        /// It is a line of data and a blank line, whose ends are LF or CR LF. The bytes before and after them do not
        /// matter, and if there is anything else, the lines can still be read.
        #[test]
        fn the_most_common_event(
            before in 0..70_usize,
            line in stream(),
            end in "\n\n|\r\n\r\n|\n|\r\r|\n\r",
            after in stream(),
            limit in 0..300_usize,
        ) {
            let line: Vec<u8> = line.into_iter().filter(|byte| !matches!(byte, b'\n' | b'\r')).collect();
            let chunk = [&vec![b'x'; before], &b"data: "[..], &line, end.as_bytes(), b"!", &after].concat();
            let mut stops = Stops::new(&chunk, before);
            let found = stops.data_event(limit).map(|data| data.bytes());
            let is_event = matches!(&*end, "\n\n" | "\r\n\r\n") && line.len() + 6 < limit;
            prop_assert_eq!(found, is_event.then_some(&line[..]));
            if found.is_some() {
                let rest = if end.contains('\r') { &b"\n!"[..] } else { b"!" };
                prop_assert!(chunk[stops.at()..].starts_with(rest));
                return Ok(());
            }
            let mut lines = Vec::new();
            while let (line, true) = stops.next() {
                lines.push(line.bytes().to_vec());
            }
            prop_assert_eq!(lines, naive(&chunk[before..]).0);
        }
    }
}
