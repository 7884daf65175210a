//! Generates streams that are almost valid, and splits them into chunks.

/// The parts of generated streams. Line ends are listed several times, so that there are enough events.
const PARTS: &[&[u8]] = &[
    b"\n", b"\n", b"\n", b"\r", b"\r", b"\r\n", b"\r\n", b"\n\n", b"\n\n", b"\r\r", b"\r\n\r\n", b"\n\r", b"\n\r\n",
    b"data", b"data:", b"data: ", b"data: a", b"data:b\n", b"data: c\n\n", b"data\n", b"data: d\r\n\r\n", b"data:e\r\r",
    b"event", b"event:", b"event: ", b"event: t\n", b"event\n", b"event: message\n", b"event:u\r",
    b"id", b"id:", b"id: ", b"id: 1\n", b"id\n", b"id: \0\n", b"id:2\r\n", b"id: 3\n\n",
    b"retry", b"retry:", b"retry: ", b"retry: 10\n", b"retry: +5\n", b"retry:99999999999999999999999\r\n", b"retry: 7",
    b"dat", b"dataa", b"Data: x\n", b"even", b"events: y\n", b"i", b"idd: z\n", b"retr", b"retryy: 1\n", b" data: v\n", b"data : w\n",
    b":", b":", b": comment\n", b":\n", b" ", b" ", b"  ", b"\t", b"\0", b"x", b"0", b"9", b"foo", b"foo: bar\n",
    b"\xEF\xBB\xBF", b"\xEF\xBB\xBF", b"\xEF", b"\xEF\xBB", b"\xBB\xBF", b"\xFE\xFF",
    b"\xC3\xA9", b"\xC3", b"\xE2\x82\xAC", b"\xE2\x82", b"\xF0\x9F\x98\x80", b"\xF0\x9F\x98", b"\xF0\x9F", b"\xF0", b"\x80", b"\xBF\x80",
    b"\xC0\xAF", b"\xE0\x80\x80", b"\xED\xA0\x80", b"\xF4\x90\x80\x80", b"\xF8\x88\x80\x80", b"\xFF", b"\xE2\x80\xA8", b"\xC2\x85", b"\x0B\x0C\x1C\x85",
    b"data: 012345678901234567890123456789012345678901234567890123456789\n",
    b"data: \xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\n\n",
    b": 0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789\n",
];

/// Splits the stream into chunks of these sizes, repeated. If all sizes are zero, the stream is one chunk.
pub(crate) fn cut<'a>(stream: &'a [u8], sizes: &[usize]) -> Vec<&'a [u8]> {
    let (mut rest, mut chunks) = (stream, Vec::new());
    for size in sizes.iter().cycle().take(2 * stream.len() + sizes.len()) {
        let (chunk, behind) = rest.split_at((*size).min(rest.len()));
        chunks.push(chunk);
        rest = behind;
        if rest.is_empty() {
            break;
        }
    }
    chunks.push(rest);
    chunks
}

/// Choices, from which everything is generated. The first of several possibilities is the simplest.
pub(crate) enum Random {
    /// Numbers without an end, by xorshift64*.
    Seeded(u64),
    /// These, and then zeros.
    Chosen(std::vec::IntoIter<u32>),
    /// The same, and the streams and the sizes of chunks that they mean are printed.
    Shown(std::vec::IntoIter<u32>),
}

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random::Seeded(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Returns a number below 2^31.
    pub(crate) fn number(&mut self) -> u32 {
        match self {
            Random::Seeded(state) => {
                *state ^= *state >> 12;
                *state ^= *state << 25;
                *state ^= *state >> 27;
                u32::try_from(state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33).expect("31 bits")
            }
            Random::Chosen(numbers) | Random::Shown(numbers) => numbers.next().unwrap_or_default() >> 1,
        }
    }

    /// A smaller choice is a smaller number.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from((u64::from(self.number()) * bound as u64) >> 31).expect("less than the bound")
    }

    pub(crate) fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// Returns true in one of two cases.
    pub(crate) fn coin(&mut self) -> bool {
        self.below(2) == 1
    }

    /// Returns fewer than `bound` items.
    pub(crate) fn list<T>(&mut self, bound: usize, item: impl Fn(&mut Random) -> T) -> Vec<T> {
        (0..self.below(bound)).map(|_| item(self)).collect()
    }

    pub(crate) fn maybe<T>(&mut self, item: impl Fn(&mut Random) -> T) -> Option<T> {
        self.coin().then(|| item(self))
    }

    pub(crate) fn stream(&mut self) -> Vec<u8> {
        let mut stream = Vec::new();
        for _ in 0..self.below(40) {
            match self.below(10) {
                9 => stream.push(self.byte()),
                _ => stream.extend_from_slice(self.one_of(PARTS)),
            }
        }
        if let Random::Shown(_) = self {
            eprintln!("stream: {}", stream.escape_ascii());
        }
        stream
    }

    pub(crate) fn byte(&mut self) -> u8 {
        u8::try_from(self.below(256)).expect("a byte")
    }

    /// Returns sizes of chunks, mostly small, sometimes empty.
    pub(crate) fn cut(&mut self) -> Vec<usize> {
        let largest = self.one_of(&[2, 4, 40, 200]);
        let sizes = (0..=self.below(8)).map(|_| self.below(largest)).collect();
        if let Random::Shown(_) = self {
            eprintln!("sizes: {sizes:?}");
        }
        sizes
    }
}

/// Returns the number of streams to generate (`EVENTWIRE_STREAMS`) and the seed (`EVENTWIRE_SEED`).
pub(crate) fn count_and_seed() -> (u64, u64) {
    let number = |name: &str, default| match std::env::var(name) {
        Ok(value) => value.parse().unwrap_or_else(|_| panic!("{name} must be a number, not {value:?}")),
        Err(_) => default,
    };
    (number("EVENTWIRE_STREAMS", 20_000), number("EVENTWIRE_SEED", 1))
}
