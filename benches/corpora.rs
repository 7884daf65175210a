//! The event streams of the benchmarks. They are generated from a seed, the same on every machine. Recorded streams
//! are added if a folder of them is available.

use std::{env, fs, io, path::PathBuf};

use bytes::Bytes;

/// An event stream, with the number of events that it contains.
pub struct Corpus {
    pub name: String,
    pub bytes: Vec<u8>,
    pub events: usize,
}

/// How the transport splits a stream into chunks.
#[derive(Clone, Copy, Debug)]
pub enum Cut {
    /// After each blank line, like a server that flushes each event.
    Events,
    /// After this many bytes each time, at any position.
    Bytes(usize),
}

impl Cut {
    /// One flush per event, a trickle, a TCP segment, and a TLS record.
    pub const ALL: [Cut; 4] = [Cut::Events, Cut::Bytes(64), Cut::Bytes(1460), Cut::Bytes(16384)];

    pub fn name(self) -> String {
        match self {
            Cut::Events => String::from("events"),
            Cut::Bytes(size) => size.to_string(),
        }
    }
}

/// Splits a corpus into chunks. All are slices of one allocation, as with most HTTP clients.
pub fn cut(corpus: &Corpus, cut: Cut) -> Vec<Bytes> {
    let whole = Bytes::from(corpus.bytes.clone());
    let ends: Vec<usize> = match cut {
        Cut::Events => {
            lines(&whole).filter(|(line, end)| line.is_empty() || *end == whole.len()).map(|(_, end)| end).collect()
        }
        Cut::Bytes(size) => (1..=whole.len().div_ceil(size)).map(|chunk| (chunk * size).min(whole.len())).collect(),
    };
    let mut start = 0;
    ends.into_iter().map(|end| whole.slice(std::mem::replace(&mut start, end)..end)).collect()
}

/// The names of all corpora. There is a corpus `recordings` only if there are any.
pub const NAMES: [&str; 12] = [
    "openai",
    "openai-crlf",
    "anthropic",
    "named",
    "ticks",
    "ids",
    "tiny",
    "lines24",
    "cjk-emoji",
    "keep-alive",
    "mib",
    "recordings",
];

/// The corpus with this name.
pub fn named(name: &str) -> Option<Corpus> {
    let (bytes, events) = match name {
        "openai" => grow(MIB, openai),
        "openai-crlf" => with_crlf(grow(MIB, openai)),
        "anthropic" => grow(MIB, anthropic),
        "named" => grow(MIB, named_event),
        "ticks" => grow(MIB, tick),
        "ids" => grow(MIB, with_id),
        "tiny" => grow(MIB, tiny),
        "lines24" => grow(MIB, lines24),
        "cjk-emoji" => grow(MIB, cjk_emoji),
        "keep-alive" => grow(MIB, keep_alive),
        "mib" => grow(8 * MIB, mib),
        "recordings" => recordings()?,
        _ => return None,
    };
    Some(Corpus { name: name.to_owned(), bytes, events })
}

const MIB: usize = 1 << 20;

/// Writes events until they have `size` bytes, and returns the bytes and the number of events. The comment at the
/// start shifts the events by two bytes: without it, no chunk of 64 bytes would end inside one of the events of 16
/// bytes.
fn grow(size: usize, event: fn(&mut Vec<u8>, &mut Random, usize)) -> (Vec<u8>, usize) {
    let mut random = Random(0x5EED);
    let mut bytes = b":\n".to_vec();
    let mut events = 0;
    while bytes.len() < size {
        event(&mut bytes, &mut random, events);
        events += 1;
    }
    (bytes, events)
}

/// About 300 bytes: a chunk of a chat completion, one word in a large envelope.
fn openai(out: &mut Vec<u8>, random: &mut Random, nth: usize) {
    let word = random.pick(&WORDS);
    let text = format!(
        "data: {{\"id\":\"chatcmpl-AbCdEfGhIjKlMnOpQrStUvWxYz012\",\"object\":\"chat.completion.chunk\",\
         \"created\":{},\"model\":\"gpt-4o-2024-08-06\",\"service_tier\":\"default\",\
         \"system_fingerprint\":\"fp_50cad350e4\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\" {word}\"}},\
         \"logprobs\":null,\"finish_reason\":null}}],\"usage\":null}}\n\n",
        1_727_000_000 + nth
    );
    out.extend_from_slice(text.as_bytes());
}

/// About 150 bytes: a named event with a small envelope.
fn anthropic(out: &mut Vec<u8>, random: &mut Random, _: usize) {
    let word = random.pick(&WORDS);
    let more = random.pick(&WORDS);
    let text = format!(
        "event: content_block_delta\n\
         data: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\
         \"text\":\" {word} {more}\"}}}}\n\n"
    );
    out.extend_from_slice(text.as_bytes());
}

/// 100 to 200 bytes: one of four types, and text of any length, so that chunks of 64 bytes end at any place of a line.
fn named_event(out: &mut Vec<u8>, random: &mut Random, _: usize) {
    let event_type = random.pick(&["message", "update", "text_delta", "item.created"]);
    out.extend_from_slice(format!("event: {event_type}\ndata: ").as_bytes());
    let end = out.len() + 75 + random.below(100);
    while out.len() < end {
        out.extend_from_slice(random.pick(&WORDS).as_bytes());
        out.push(b' ');
    }
    out.extend_from_slice(b"\n\n");
}

/// About 30 bytes: an ID, which is new each time, and a few words.
fn with_id(out: &mut Vec<u8>, random: &mut Random, nth: usize) {
    let [first, second] = [random.pick(&WORDS), random.pick(&WORDS)];
    out.extend_from_slice(format!("id: {}\ndata: {first} {second}\n\n", 100_000 + nth).as_bytes());
}

/// About 30 bytes: all three fields, with a new ID each time.
fn tick(out: &mut Vec<u8>, random: &mut Random, nth: usize) {
    let price = 1000 + random.below(9000);
    let text = format!("id: {}\nevent: t\ndata: {price}\n\n", 100_000 + nth);
    out.extend_from_slice(text.as_bytes());
}

/// 16 bytes in total.
fn tiny(out: &mut Vec<u8>, random: &mut Random, _: usize) {
    let number = 10_000_000 + random.below(90_000_000);
    out.extend_from_slice(format!("data: {number}\n\n").as_bytes());
}

/// 24 data lines of about 40 bytes each.
fn lines24(out: &mut Vec<u8>, random: &mut Random, _: usize) {
    for _ in 0..24 {
        out.extend_from_slice(b"data:");
        let end = out.len() + 30 + random.below(10);
        while out.len() < end {
            out.push(b' ');
            out.extend_from_slice(random.pick(&WORDS).as_bytes());
        }
        out.push(b'\n');
    }
    out.push(b'\n');
}

/// About 200 bytes, few of them ASCII.
fn cjk_emoji(out: &mut Vec<u8>, random: &mut Random, _: usize) {
    out.extend_from_slice(b"data: ");
    let end = out.len() + 180 + random.below(12);
    while out.len() < end {
        out.extend_from_slice(random.pick(&CJK_EMOJI).as_bytes());
    }
    out.extend_from_slice(b"\n\n");
}

/// Fifty comments and then one event, as on a quiet connection.
fn keep_alive(out: &mut Vec<u8>, random: &mut Random, nth: usize) {
    out.extend_from_slice(&b": keep-alive\n\n".repeat(50));
    openai(out, random, nth);
}

/// 1 MiB in total: an image in base64.
fn mib(out: &mut Vec<u8>, random: &mut Random, _: usize) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    out.extend_from_slice(b"data: ");
    out.extend((0..MIB - 8).map(|_| *random.pick(DIGITS)));
    out.extend_from_slice(b"\n\n");
}

const WORDS: [&str; 16] = [
    "the", "stream", "of", "events", "never", "ends", "but", "each", "line", "does", "and", "then", "a", "blank",
    "one", "follows",
];

const CJK_EMOJI: [&str; 12] =
    ["事件", "流は", "終わらない", "🚀", "数据", "한국어", "👩‍💻", "文字", "です。", "🎉", "你好，", "世界"];

fn with_crlf((bytes, events): (Vec<u8>, usize)) -> (Vec<u8>, usize) {
    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 64);
    for byte in bytes {
        if byte == b'\n' {
            out.push(b'\r');
        }
        out.push(byte);
    }
    (out, events)
}

/// SplitMix64: short, well mixed, and the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap_or(0)
    }

    fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}

/// All `*.sse` files in the folder that `EVENTWIRE_RECORDINGS` names, one after the other, repeated until they have
/// a MiB.
fn recordings() -> Option<(Vec<u8>, usize)> {
    let Some(folder) = env::var_os("EVENTWIRE_RECORDINGS").map(PathBuf::from) else {
        eprintln!("skipped: recordings (set EVENTWIRE_RECORDINGS to a folder of *.sse files)");
        return None;
    };
    let once = match read_all(&folder) {
        Ok(once) if !once.is_empty() => once,
        Ok(_) => {
            eprintln!("skipped: recordings (no *.sse file in {})", folder.display());
            return None;
        }
        Err(error) => {
            eprintln!("skipped: recordings ({}: {error})", folder.display());
            return None;
        }
    };
    let bytes = once.repeat(MIB.div_ceil(once.len()));
    let events = count_events(&bytes);
    Some((bytes, events))
}

/// The files in the order of their names, each followed by a blank line, so that no file runs into the next.
fn read_all(folder: &PathBuf) -> io::Result<Vec<u8>> {
    let mut paths =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<PathBuf>>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "sse"));
    paths.sort();

    let mut all = Vec::new();
    for path in paths {
        let file = fs::read(path)?;
        all.extend_from_slice(file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&file));
        all.extend_from_slice(b"\n\n");
    }
    Ok(all)
}

/// Counts the blank lines after a data line. It is slow and obviously correct.
fn count_events(bytes: &[u8]) -> usize {
    let mut events = 0;
    let mut has_data = false;
    for (line, _) in lines(bytes) {
        if line.is_empty() {
            events += usize::from(has_data);
            has_data = false;
        } else if line == b"data" || line.starts_with(b"data:") {
            has_data = true;
        }
    }
    events
}

/// Each line without its end, and the offset after that end.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (&[u8], usize)> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(start..).filter(|rest| !rest.is_empty())?;
        let line = rest.split(|byte| matches!(byte, b'\r' | b'\n')).next()?;
        let line_end = match &rest[line.len()..] {
            [b'\r', b'\n', ..] => 2,
            [] => 0,
            _ => 1,
        };
        start += line.len() + line_end;
        Some((line, start))
    })
}
