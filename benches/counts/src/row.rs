//! The rows of the table.

use std::fmt;

use bytes::Bytes;

use crate::{
    corpora::{self, Cut},
    entries, part_corpora, part_entries,
};

/// An entry point, on a corpus in chunks of one size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) entry: Entry,
    pub(crate) corpus: &'static str,
    pub(crate) cut: Cut,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Entry {
    Decode,
    Stream,
    /// A `Tap` that observes comments, too.
    Tap,
    /// `decode` of multipart streams.
    Parts,
}

/// Short and long lines, unsplit and split. If any one `#[inline(always)]` of the decoder is removed, at least two
/// `decode` rows fail, unless the compiler inlines that function anyway.
const EVENTS: [(&str, Cut); 12] = [
    ("openai", Cut::Events),
    ("openai", Cut::Bytes(64)),
    ("openai-crlf", Cut::Bytes(1460)),
    ("anthropic", Cut::Bytes(1460)),
    ("ticks", Cut::Events),
    ("tiny", Cut::Bytes(64)),
    ("tiny", Cut::Bytes(16384)),
    ("lines24", Cut::Bytes(1460)),
    ("cjk-emoji", Cut::Bytes(1460)),
    ("keep-alive", Cut::Events),
    ("keep-alive", Cut::Bytes(16384)),
    ("mib", Cut::Bytes(1460)),
];

/// Comments and events, whole and split, with LF and CRLF.
const TAPS: [(&str, Cut); 5] = [
    ("openai", Cut::Bytes(64)),
    ("openai-crlf", Cut::Bytes(1460)),
    ("tiny", Cut::Bytes(16384)),
    ("keep-alive", Cut::Bytes(64)),
    ("keep-alive", Cut::Bytes(16384)),
];

/// Small and large parts, with and without a length.
const PARTS: [(&str, Cut); 4] = [
    ("text", Cut::Bytes(64)),
    ("text-length", Cut::Bytes(1460)),
    ("frames", Cut::Bytes(1460)),
    ("frames-length", Cut::Bytes(64)),
];

impl Row {
    pub(crate) fn all() -> Vec<Row> {
        let of = |entry: Entry| entry.pairs().iter().map(move |&(corpus, cut)| Row { entry, corpus, cut });
        Entry::ALL.into_iter().flat_map(of).collect()
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{} {}/{}", self.entry.name(), self.corpus, self.cut.name()))
    }
}

impl Entry {
    const ALL: [Entry; 4] = [Entry::Decode, Entry::Stream, Entry::Tap, Entry::Parts];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Entry::Decode => "decode",
            Entry::Stream => "stream",
            Entry::Tap => "tap",
            Entry::Parts => "parts",
        }
    }

    pub(crate) fn function(self) -> fn(&[Bytes]) -> Result<usize, String> {
        match self {
            Entry::Decode => entries::decode,
            Entry::Stream => entries::stream,
            Entry::Tap => entries::tap,
            Entry::Parts => |chunks| part_entries::decode(chunks).map(|seen| seen.parts),
        }
    }

    fn pairs(self) -> &'static [(&'static str, Cut)] {
        match self {
            Entry::Decode | Entry::Stream => &EVENTS,
            Entry::Tap => &TAPS,
            Entry::Parts => &PARTS,
        }
    }

    /// Returns the chunks of this corpus in this size, and the number of events or parts in them.
    pub(crate) fn chunks(self, corpus: &str, cut: Cut) -> Option<(Vec<Bytes>, usize)> {
        match (self, cut) {
            (Entry::Decode | Entry::Stream | Entry::Tap, cut) => {
                let corpus = corpora::named(corpus)?;
                Some((corpora::cut(&corpus, cut), corpus.events))
            }
            (Entry::Parts, Cut::Bytes(size)) => {
                let corpus = part_corpora::named(corpus)?;
                Some((part_corpora::cut(&corpus, size), corpus.parts))
            }
            (Entry::Parts, Cut::Events) => None,
        }
    }

    pub(crate) fn named(name: &str) -> Option<Entry> {
        Entry::ALL.into_iter().find(|entry| entry.name() == name)
    }
}

pub(crate) fn cut_named(name: &str) -> Option<Cut> {
    Cut::ALL.into_iter().find(|cut| cut.name() == name)
}
