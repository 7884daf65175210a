//! What `Lint` adds to reading a stream: it checks every line, and `Decoder::decode` returns every event.

#[expect(dead_code, reason = "only one way to read is compared")]
#[path = "../../../entries.rs"]
mod entries;

use std::{hint::black_box, process::ExitCode, time::Duration};

use bytes::Bytes;
use eventwire_lint::{Finding, Lint, Severity};
use eventwire_rivals::{
    consume, corpora,
    options::{self, Options},
    race::Entry,
    table::{Table, megabytes},
};

fn main() -> ExitCode {
    options::run(bench)
}

fn bench(options: &Options) -> Result<(), String> {
    let mut table = Table::new(options, "MB/s", megabytes, &[]);
    for corpus in options.corpora() {
        for cut in options.cuts() {
            let chunks = &*corpora::cut(&corpus, cut);
            let entries = [
                Entry::ours("decode", || entries::decode(black_box(chunks))),
                Entry::ours("Lint", || lint(black_box(chunks)).map(|()| corpus.events)),
            ];
            table.row(&corpus.name, &cut.name(), corpus.bytes.len(), corpus.events, &entries);
        }
    }
    table.finish().map(drop)
}

/// Nothing is wrong with the streams. Some recorded ones name the default type.
fn lint(chunks: &[Bytes]) -> Result<(), String> {
    let mut lint = Lint::new();
    chunks.iter().for_each(|chunk| lint.chunk(chunk, Duration::ZERO));
    let is_wrong = |finding: &Finding| finding.severity > Severity::Note;
    lint.finish(Duration::ZERO).into_iter().find(is_wrong).map_or(Ok(()), |finding| Err(finding.to_string()))
}
