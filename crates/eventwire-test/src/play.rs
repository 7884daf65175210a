//! A body as it is sent: a script with its faults, piece by piece.

use std::{io, time::Duration};

use bytes::{Bytes, BytesMut};
use eventwire::{BlockItemRef, Decoder};

use crate::{
    body::{BLANKS, Body, Piece, Pieces, Times},
    faults::{Chunking, End, Faults, Pace, Place, Resume},
};

/// A comment that nobody reads.
const KEEP_ALIVE: &[u8] = b":\n\n";

/// Iterates over the pieces of a body as they are sent, without its framing.
///
/// Each step changes what the step before returns: [`Source`], the place of the cut and the garbage ([`Playback::cut`]),
/// the chunks, the keep-alives.
#[derive(Debug)]
pub(crate) struct Playback {
    source: Source,
    cut: Option<Cut>,
    garbage: Option<Garbage>,
    pace: Pace,
    chunks: Option<Chunks>,
    keep_alive: Option<KeepAlive>,
    /// What is sent next: a piece whose wait is longer than the time between keep-alives.
    next: Option<Piece>,
    /// How the response ends if nothing changes it, and what does.
    body_end: End,
    end: Option<End>,
}

impl Playback {
    /// Begins to send a body to a client that has this last event ID. A pace among the faults keeps the
    /// times of a file.
    pub(crate) fn new(body: &Body, faults: &Faults, last_id: Option<&str>, times: Times) -> io::Result<Playback> {
        let offset = match (faults.resume.unwrap_or_default(), last_id) {
            (Resume::Ignore, _) | (_, None | Some("")) => 0,
            (resume, Some(id)) => offset_after(body.pieces(Times::Dropped), id, resume)?,
        };
        let times = if faults.pace.is_some() { Times::Kept } else { times };
        let seed = faults.seed.unwrap_or(0);
        Ok(Playback {
            source: Source {
                body: faults.repeat.then(|| body.clone()),
                times,
                pieces: body.pieces(times),
                skip: offset,
                has_bytes: false,
            },
            cut: faults.cut_after.map(|place| Cut { place, counter: Counter::default() }),
            garbage: faults.garbage.map(|one_of| Garbage { one_of: one_of.get(), seed, offset: 0 }),
            pace: faults.pace.unwrap_or(Pace::Recorded),
            chunks: faults.chunk.map(|chunking| Chunks::new(chunking, seed)),
            keep_alive: faults.keep_alive.map(|time| KeepAlive::new(Duration::from_millis(time.get().into()))),
            next: None,
            body_end: body.end,
            end: faults.end,
        })
    }

    /// Returns how the response ends after the last piece.
    pub(crate) fn end(&self) -> End {
        self.end.unwrap_or(if self.is_cut() { End::Close } else { self.body_end })
    }

    fn is_cut(&self) -> bool {
        self.cut.as_ref().is_some_and(|cut| cut.counter.is_at(cut.place))
    }

    /// Returns the next piece. If the response stalls at its end, only keep-alives follow.
    pub(crate) fn next(&mut self) -> io::Result<Option<Piece>> {
        let next = match self.next.take() {
            Some(next) => Some(next),
            None => self.chunk()?,
        };
        let Some(keep_alive) = &mut self.keep_alive else { return Ok(next) };
        match next {
            Some(mut piece) if piece.wait > keep_alive.time && keep_alive.is_between_blocks() => {
                piece.wait -= keep_alive.time;
                self.next = Some(piece);
                Ok(Some(keep_alive.comment()))
            }
            Some(piece) => {
                keep_alive.sent(&piece.bytes);
                Ok(Some(piece))
            }
            None if keep_alive.is_between_blocks() && self.end() == End::Stall => {
                Ok(self.keep_alive.as_ref().map(KeepAlive::comment))
            }
            None => Ok(None),
        }
    }

    /// Returns the next piece, cut into chunks.
    fn chunk(&mut self) -> io::Result<Option<Piece>> {
        let piece = match self.chunks.take() {
            None => self.scaled()?,
            Some(mut chunks) => {
                let chunk = chunks.next(|| self.scaled());
                self.chunks = Some(chunks);
                chunk?
            }
        };
        Ok(piece.map(|piece| match self.pace {
            Pace::Every(wait) if !piece.bytes.is_empty() => Piece { wait, ..piece },
            _ => piece,
        }))
    }

    /// Returns the next piece before it is cut into chunks, with the time before it.
    fn scaled(&mut self) -> io::Result<Option<Piece>> {
        Ok(self.cut()?.map(|Piece { wait, bytes }| {
            let wait = match self.pace {
                Pace::Recorded => wait,
                Pace::None | Pace::Every(_) => Duration::ZERO,
                Pace::Times(times) => Duration::try_from_secs_f64(wait.as_secs_f64() / times).unwrap_or(Duration::MAX),
            };
            Piece { wait, bytes }
        }))
    }

    /// Returns the next piece up to the place where the response ends, with its garbage.
    fn cut(&mut self) -> io::Result<Option<Piece>> {
        if self.is_cut() {
            return Ok(None);
        }
        let Some(mut piece) = self.source.next()? else { return Ok(None) };
        if let Some(Cut { place, counter }) = &mut self.cut {
            let length = counter.count(&piece.bytes, Some(*place));
            piece.bytes.truncate(length);
        }
        if let Some(garbage) = &mut self.garbage {
            piece.bytes = garbage.spoil(piece.bytes);
        }
        Ok(Some(piece))
    }
}

/// The pieces of a script, from an offset, once or again and again.
#[derive(Debug)]
struct Source {
    /// The body, if it is sent again and again.
    body: Option<Body>,
    times: Times,
    pieces: Pieces,
    /// How many bytes are left out.
    skip: u64,
    /// Whether there was a byte since the body began.
    has_bytes: bool,
}

impl Source {
    fn next(&mut self) -> io::Result<Option<Piece>> {
        loop {
            match (self.pieces.next().transpose()?, &self.body) {
                (Some(mut piece), _) => {
                    self.has_bytes |= !piece.bytes.is_empty();
                    if self.skip > 0 {
                        let skipped = usize::try_from(self.skip).unwrap_or(usize::MAX).min(piece.bytes.len());
                        self.skip -= skipped as u64;
                        piece.bytes = piece.bytes.slice(skipped..);
                        if piece.bytes.is_empty() {
                            continue;
                        }
                    }
                    return Ok(Some(piece));
                }
                (None, Some(body)) if self.has_bytes => {
                    self.pieces = body.pieces(self.times);
                    self.has_bytes = false;
                }
                (None, _) => return Ok(None),
            }
        }
    }
}

/// Returns how many bytes are before what a client gets that has this last event ID. A server that does not know it
/// sends everything.
fn offset_after(pieces: Pieces, id: &str, resume: Resume) -> io::Result<u64> {
    let mut decoder = Decoder::new();
    let mut offset = 0;
    // Where the block begins, which may be in an earlier piece.
    let mut start = 0;
    let mut is_after = false;
    for piece in pieces {
        let bytes = piece?.bytes;
        let mut input = &bytes[..];
        loop {
            let item = decoder.decode_block(&mut input);
            input = after_line_end(&bytes, input);
            let place = offset + (bytes.len() - input.len()) as u64;
            match item {
                Ok(Some(BlockItemRef::Block(block))) => {
                    if is_after && block.event().is_some() {
                        return Ok(place);
                    }
                    if block.id() == Some(id) {
                        match resume {
                            Resume::Repeat => return Ok(start),
                            Resume::Skip => is_after = true,
                            Resume::Ignore | Resume::Exact => return Ok(place),
                        }
                    }
                }
                Ok(None) => break,
                Ok(Some(_)) | Err(_) => {}
            }
            start = place;
        }
        offset += bytes.len() as u64;
    }
    Ok(if is_after { offset } else { 0 })
}

/// A block ends at the CR of its blank line. Returns the rest of these bytes without an LF that is part of the line end.
fn after_line_end<'a>(bytes: &[u8], rest: &'a [u8]) -> &'a [u8] {
    match bytes[..bytes.len() - rest.len()].last() {
        Some(b'\r') => rest.strip_prefix(b"\n").unwrap_or(rest),
        _ => rest,
    }
}

/// Where a response ends, and how far it is.
#[derive(Debug)]
struct Cut {
    place: Place,
    counter: Counter,
}

/// How much of a body has been sent.
#[derive(Debug, Default)]
pub(crate) struct Counter {
    decoder: Decoder,
    /// Without those of a body that is compressed.
    pub(crate) events: u64,
    pub(crate) bytes: u64,
    /// How many bytes there were when the last event ended.
    bytes_at_event: u64,
    /// Whether the last byte was the CR that has ended an event. An LF after it is part of the line end.
    is_after_cr: bool,
}

impl Counter {
    fn is_at(&self, place: Place) -> bool {
        self.events > place.events || self.events == place.events && self.bytes - self.bytes_at_event >= place.bytes
    }

    /// Counts bytes up to this place, and returns how many.
    pub(crate) fn count(&mut self, bytes: &[u8], until: Option<Place>) -> usize {
        let mut input = bytes;
        if self.is_after_cr
            && let Some(rest) = bytes.strip_prefix(b"\n")
        {
            input = rest;
            self.bytes_at_event += 1;
        }
        let start = self.bytes;
        self.bytes += (bytes.len() - input.len()) as u64;
        self.is_after_cr &= bytes.is_empty();
        loop {
            if let Some(place) = until
                && self.events == place.events
            {
                let rest = place.bytes - (self.bytes - self.bytes_at_event);
                let rest = usize::try_from(rest).unwrap_or(usize::MAX).min(input.len());
                self.bytes += rest as u64;
                return bytes.len() - input.len() + rest;
            }
            let found = self.decoder.decode(&mut input);
            let is_event = matches!(found, Ok(Some(_)));
            let is_used_up = matches!(found, Ok(None));
            input = after_line_end(bytes, input);
            self.bytes = start + (bytes.len() - input.len()) as u64;
            if is_event {
                self.events += 1;
                self.bytes_at_event = self.bytes;
                self.is_after_cr = input.is_empty() && bytes.ends_with(b"\r");
            }
            if is_used_up {
                return bytes.len();
            }
        }
    }
}

/// Random bytes become 0xFF.
#[derive(Debug)]
struct Garbage {
    one_of: u32,
    seed: u64,
    /// Where in the body the next bytes are.
    offset: u64,
}

impl Garbage {
    fn spoil(&mut self, bytes: Bytes) -> Bytes {
        let offset = self.offset;
        self.offset += bytes.len() as u64;
        let is_spoiled = |at: usize| {
            !matches!(bytes[at], b'\r' | b'\n') && mix(self.seed, offset + at as u64).is_multiple_of(self.one_of.into())
        };
        let places: Vec<usize> = (0..bytes.len()).filter(|&at| is_spoiled(at)).collect();
        if places.is_empty() {
            return bytes;
        }
        let mut spoiled = BytesMut::from(bytes);
        places.into_iter().for_each(|at| spoiled[at] = 0xFF);
        spoiled.freeze()
    }
}

/// Cuts what is sent without a pause into chunks.
#[derive(Debug)]
struct Chunks {
    chunking: Chunking,
    seed: u64,
    /// How many chunks there were.
    count: u64,
    /// What is not part of a chunk yet, and the time before it.
    rest: BytesMut,
    wait: Duration,
    /// A piece after a pause, which ends the chunk before it.
    next: Option<Piece>,
}

impl Chunks {
    fn new(chunking: Chunking, seed: u64) -> Chunks {
        Chunks { chunking, seed, count: 0, rest: BytesMut::new(), wait: Duration::ZERO, next: None }
    }

    fn next(&mut self, mut source: impl FnMut() -> io::Result<Option<Piece>>) -> io::Result<Option<Piece>> {
        let size = match self.chunking {
            Chunking::Size(size) => size.get(),
            // Short ones are more frequent.
            Chunking::Random => {
                let random = mix(self.seed, self.count);
                1 + usize::try_from((random >> 8) % (1 << (random % 8))).unwrap_or(0)
            }
        };
        let mut has_ended = false;
        while self.rest.len() < size && !has_ended {
            match self.next.take().map_or_else(&mut source, |next| Ok(Some(next)))? {
                Some(piece) if !piece.wait.is_zero() && !self.rest.is_empty() => {
                    self.next = Some(piece);
                    break;
                }
                Some(piece) => {
                    self.wait = self.wait.saturating_add(piece.wait);
                    self.rest.extend_from_slice(&piece.bytes);
                }
                None => has_ended = true,
            }
        }
        let wait = std::mem::take(&mut self.wait);
        if self.rest.is_empty() {
            // A pause before the end.
            return Ok((!wait.is_zero()).then(|| Piece { wait, bytes: Bytes::new() }));
        }
        self.count += 1;
        let length = size.min(self.rest.len());
        Ok(Some(Piece { wait, bytes: self.rest.split_to(length).freeze() }))
    }
}

/// Comments while nothing else is sent.
#[derive(Debug)]
struct KeepAlive {
    time: Duration,
    /// The last bytes that were sent, up to four.
    last: Vec<u8>,
}

impl KeepAlive {
    fn new(time: Duration) -> KeepAlive {
        KeepAlive { time, last: Vec::new() }
    }

    fn sent(&mut self, bytes: &[u8]) {
        self.last.extend_from_slice(&bytes[bytes.len().saturating_sub(4)..]);
        let surplus = self.last.len().saturating_sub(4);
        self.last.drain(..surplus);
    }

    /// Returns whether a comment would not be a part of a line or of a block.
    fn is_between_blocks(&self) -> bool {
        self.last.is_empty() || BLANKS.iter().any(|blank| self.last.ends_with(blank))
    }

    fn comment(&self) -> Piece {
        Piece { wait: self.time, bytes: Bytes::from_static(KEEP_ALIVE) }
    }
}

/// Returns a random number for each number of a seed ([SplitMix64](https://prng.di.unimi.it/splitmix64.c)).
fn mix(seed: u64, number: u64) -> u64 {
    let mut mixed = seed.wrapping_add(number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
