//! Searches for streams that make the decoder use more memory than is proved: guarantee 5.
//!
//! The proof is in `src/decoder/buffer.rs`. The search climbs: it changes a stream at random, and keeps the
//! change if the peak does not fall. A stream is a list of lines with their sizes and the places where chunks end.
//!
//! `EVENTWIRE_MEMORY_MINUTES` sets how long it searches for each entry point, and `EVENTWIRE_SEED` where it begins.

use super::peak_usage::SMALL;
use crate::{counting_allocator::measure, stream_generator::Random};
use bytes::Bytes;
use eventwire::{Decoder, Eof, Utf8Policy};
use std::time::{Duration, Instant};

/// What decodes the chunks, and the proved multiple of the limit: for valid text, and for any bytes.
const ENTRIES: [(Entry, usize, usize); 5] = [
    (Entry::Decode, 5, 9),
    (Entry::DecodeBytes, 6, 10),
    (Entry::DecodeBlock, 6, 10),
    (Entry::DecodeBlockBytes, 6, 10),
    (Entry::Any, 6, 10),
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Entry {
    Decode,
    DecodeBytes,
    DecodeBlock,
    DecodeBlockBytes,
    /// Another one for each chunk.
    Any,
}

/// A stream, and the decoder's settings.
#[derive(Clone, Debug)]
struct Stream {
    steps: Vec<Step>,
    eof: Eof,
    utf8_policy: Utf8Policy,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// A line with this beginning, filled with this byte to a size in bytes, and how it is split into chunks.
    Line {
        begin: &'static str,
        fill: u8,
        size: usize,
        cut: Cut,
    },
    /// A blank line.
    Blank(Cut),
    Finish,
    Reset,
}

#[derive(Clone, Copy, Debug)]
enum Cut {
    /// The line continues the chunk before it.
    None,
    /// The line begins a chunk.
    Before,
    /// A chunk ends after this many bytes of the line.
    After(usize),
    /// Chunks of this many bytes.
    Every(usize),
}

const BEGINNINGS: [&str; 8] = ["data:", "data: ", "event:", "id: ", ":", "retry:", "x:", "data"];
const FILLS: [u8; 8] = [b'x', b'x', 0xFF, 0xFF, 0xFF, 0, b'1', 0xE2];

/// A step of the decoder.
enum Input {
    Chunk(Bytes),
    Finish,
    Reset,
}

impl Stream {
    fn random(random: &mut Random, limit: usize, is_valid: bool) -> Stream {
        let steps = (0..=random.below(12)).map(|_| Step::random(random, limit, is_valid)).collect();
        Stream { steps, eof: Eof::Discard, utf8_policy: Utf8Policy::default() }
    }

    /// A stream that comes close to the proof: a value of almost the limit for each buffer that stays, and then a
    /// block that fills the others.
    fn seed(limit: usize, fill: u8) -> Stream {
        let line = |begin, size, cut| Step::Line { begin, fill, size, cut };
        let blank = Step::Blank(Cut::None);
        let steps = vec![
            line("id:", limit - 1, Cut::Before),
            blank,
            line("data:", limit / 2 + 1, Cut::After(limit / 2 - 10)),
            Step::Reset,
            line("event:", limit / 2, Cut::After(limit / 2 - 20)),
            line("data:", limit / 2 - 2, Cut::After(limit / 4)),
            blank,
            line(":", limit - 1, Cut::After(limit - 100)),
            line("event:", limit - 10, Cut::After(limit - 100)),
            blank,
        ];
        Stream { steps, eof: Eof::Dispatch, utf8_policy: Utf8Policy::default() }
    }

    fn mutate(&mut self, random: &mut Random, limit: usize, is_valid: bool) {
        for _ in 0..=random.below(3) {
            let place = random.below(self.steps.len() + 1);
            match random.below(12) {
                0..3 if self.steps.len() < 30 => self.steps.insert(place, Step::random(random, limit, is_valid)),
                3..5 if self.steps.len() > 1 && place < self.steps.len() => drop(self.steps.remove(place)),
                5 if place < self.steps.len() => {
                    let other = random.below(self.steps.len());
                    self.steps.swap(place, other);
                }
                6 => self.eof = [Eof::Discard, Eof::Dispatch, Eof::Error][random.below(3)],
                7 => {
                    self.utf8_policy = [Utf8Policy::Replace, Utf8Policy::Stop][random.below(2)];
                }
                _ => {
                    if let Some(step) = self.steps.get_mut(place) {
                        step.mutate(random, limit, is_valid);
                    }
                }
            }
        }
    }

    fn inputs(&self) -> Vec<Input> {
        let (mut inputs, mut chunk) = (Vec::new(), Vec::new());
        // The reference counter is allocated here, and not while the decoder is measured.
        fn end(chunk: &mut Vec<u8>, inputs: &mut Vec<Input>) {
            let chunk = Bytes::from(std::mem::take(chunk));
            drop(chunk.clone());
            inputs.push(Input::Chunk(chunk));
        }
        for step in &self.steps {
            let (line, cut) = match *step {
                Step::Line { begin, fill, size, cut } => {
                    let mut line = Vec::from(begin);
                    line.resize(size.max(begin.len()), fill);
                    line.push(b'\n');
                    (line, cut)
                }
                Step::Blank(cut) => (vec![b'\n'], cut),
                Step::Finish | Step::Reset => {
                    end(&mut chunk, &mut inputs);
                    inputs.push(if matches!(step, Step::Finish) { Input::Finish } else { Input::Reset });
                    continue;
                }
            };
            let places = match cut {
                Cut::None => Vec::new(),
                Cut::Before => vec![0],
                Cut::After(place) => vec![place.min(line.len())],
                Cut::Every(size) => (0..line.len()).step_by(size.max(line.len() / 64)).collect(),
            };
            let mut begin = 0;
            for place in places {
                chunk.extend_from_slice(&line[begin..place]);
                end(&mut chunk, &mut inputs);
                begin = place;
            }
            chunk.extend_from_slice(&line[begin..]);
        }
        end(&mut chunk, &mut inputs);
        inputs
    }

    /// The decoder's maximum memory, in bytes, without the chunks.
    fn peak(&self, entry: Entry, limit: usize) -> usize {
        let mut inputs = self.inputs();
        let mut decoder =
            Decoder::new().with_max_event_size(limit).with_eof(self.eof).with_utf8_policy(self.utf8_policy);
        let ((), usage) = measure(|| {
            for (number, input) in inputs.iter_mut().enumerate() {
                let entry = match entry {
                    Entry::Any => ENTRIES[number * 7 % 4].0,
                    entry => entry,
                };
                match input {
                    Input::Chunk(chunk) => entry.decode(&mut decoder, chunk),
                    Input::Finish => entry.finish(&mut decoder),
                    Input::Reset => decoder.reset(),
                }
            }
            entry.finish(&mut decoder);
            drop(decoder);
        });
        usage.peak
    }
}

impl Step {
    fn random(random: &mut Random, limit: usize, is_valid: bool) -> Step {
        match random.below(16) {
            0..11 => {
                let mut line = Step::Line { begin: "", fill: b'x', size: 0, cut: Cut::None };
                for _ in 0..8 {
                    line.mutate(random, limit, is_valid);
                }
                line
            }
            11..15 => Step::Blank(Cut::random(random, 1)),
            _ => [Step::Finish, Step::Reset][random.below(2)],
        }
    }

    fn mutate(&mut self, random: &mut Random, limit: usize, is_valid: bool) {
        match self {
            Step::Line { begin, fill, size, cut } => match random.below(5) {
                0 => *begin = BEGINNINGS[random.below(BEGINNINGS.len())],
                1 => *fill = if is_valid { b'x' } else { FILLS[random.below(FILLS.len())] },
                2 => *size = random_size(random, limit),
                // A little more or less.
                3 => *size = (*size + random.below(64)).saturating_sub(32),
                _ => *cut = Cut::random(random, *size),
            },
            Step::Blank(cut) => *cut = Cut::random(random, 1),
            Step::Finish | Step::Reset => {}
        }
    }
}

/// A size at a fraction of the limit, or close to it.
fn random_size(random: &mut Random, limit: usize) -> usize {
    let size = limit * random.below(9) / 8;
    match random.below(3) {
        0 => size,
        1 => size.saturating_sub(random.below(40)),
        _ => random.below(limit + limit / 16),
    }
}

impl Cut {
    fn random(random: &mut Random, size: usize) -> Cut {
        match random.below(6) {
            0 => Cut::None,
            1 => Cut::Before,
            2 => Cut::After(random.below(size + 1)),
            3 => Cut::After(size.saturating_sub(random.below(40))),
            4 => Cut::After(random_size(random, size + 1).min(size)),
            _ => Cut::Every(1 + random.below(size / 2 + 1)),
        }
    }
}

impl Entry {
    fn decode(self, decoder: &mut Decoder, chunk: &Bytes) {
        let (mut slice, mut bytes) = (&chunk[..], chunk.clone());
        match self {
            Entry::Decode => while decoder.decode(&mut slice).transpose().is_some() {},
            Entry::DecodeBytes => while decoder.decode_bytes(&mut bytes).transpose().is_some() {},
            Entry::DecodeBlock => while decoder.decode_block(&mut slice).transpose().is_some() {},
            Entry::DecodeBlockBytes | Entry::Any => {
                while decoder.decode_block_bytes(&mut bytes).transpose().is_some() {}
            }
        }
    }

    fn finish(self, decoder: &mut Decoder) {
        match self {
            // An owned event or block is measured by the bound for those.
            Entry::Decode | Entry::DecodeBlock => decoder.reset(),
            Entry::DecodeBytes => drop(decoder.finish()),
            _ => while decoder.finish_block().transpose().is_some() {},
        }
    }
}

/// The state of a search.
struct Climb {
    entry: Entry,
    is_valid: bool,
    limit: usize,
    proved: usize,
    best: Stream,
    peak: usize,
    /// How many changes have brought nothing.
    idle: usize,
    worst: usize,
}

impl Climb {
    fn new(entry: Entry, is_valid: bool, limit: usize, proved: usize) -> Climb {
        let best = Stream::seed(limit, if is_valid { b'x' } else { 0xFF });
        Climb { entry, is_valid, limit, proved, best, peak: 0, idle: 0, worst: 0 }
    }

    fn step(&mut self, random: &mut Random) {
        let mut stream = self.best.clone();
        if self.peak > 0 {
            stream.mutate(random, self.limit, self.is_valid);
        }
        if self.idle > 3_000 {
            stream = Stream::random(random, self.limit, self.is_valid);
            (self.peak, self.idle) = (0, 0);
        }
        let peak = stream.peak(self.entry, self.limit);
        assert!(
            peak <= self.proved * self.limit + SMALL,
            "{:?} with a limit of {} has used {peak} bytes, {:.2} times the limit: {stream:?}",
            self.entry,
            self.limit,
            self.multiple(peak)
        );
        self.idle = if peak > self.peak { 0 } else { self.idle + 1 };
        if peak >= self.peak {
            (self.best, self.peak) = (stream, peak);
        }
        self.worst = self.worst.max(peak);
    }

    fn multiple(&self, bytes: usize) -> f64 {
        bytes as f64 / self.limit as f64
    }
}

#[test]
fn the_proved_bounds_hold() {
    let seed = std::env::var("EVENTWIRE_SEED").map_or(1, |seed| seed.parse().expect("EVENTWIRE_SEED is a number"));
    let minutes = std::env::var("EVENTWIRE_MEMORY_MINUTES")
        .map(|minutes| minutes.parse::<f64>().expect("EVENTWIRE_MEMORY_MINUTES is a number"));
    let mut random = Random::new(seed);
    for (entry, valid, any) in ENTRIES {
        for (is_valid, proved) in [(true, valid), (false, any)] {
            // The first is above the size from which a buffer is large, the second is below it, and with the third the
            // constants matter.
            let mut climbs = [70_000, 20_000, 1_000].map(|limit| Climb::new(entry, is_valid, limit, proved));
            match &minutes {
                // The same number of steps on every machine.
                Err(_) => (0..25).for_each(|_| climbs.iter_mut().for_each(|climb| climb.step(&mut random))),
                Ok(minutes) => {
                    let end = Instant::now() + Duration::from_secs_f64(minutes * 30.0);
                    while Instant::now() < end {
                        climbs.iter_mut().for_each(|climb| climb.step(&mut random));
                    }
                }
            }
            for climb in climbs {
                assert!(climb.worst > 0, "no step has run: search for more than {minutes:?} minutes");
                let text = if is_valid { "valid text" } else { "any bytes" };
                let (worst, best) = (climb.multiple(climb.worst), &climb.best);
                eprintln!("{entry:?}, {text}, limit {}: {worst:.2} of {proved}", climb.limit);
                if minutes.is_ok() {
                    eprintln!("    {best:?}");
                }
            }
        }
    }
}
