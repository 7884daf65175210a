//! Every way to read events with this crate, on every corpus, with every chunk size. `cargo bench -- --test` runs
//! each once.

#[expect(unreachable_pub, reason = "also a module of a library, as the next one")]
mod consume;
#[expect(unreachable_pub, reason = "see above")]
mod corpora;
mod entries;

use std::{hint::black_box, time::Duration};

use bytes::Bytes;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

use crate::corpora::Cut;

type Entry = fn(&[Bytes]) -> Result<usize, String>;

const ENTRIES: [(&str, Entry); 5] = [
    ("decode", entries::decode),
    ("decode_bytes", entries::decode_bytes),
    ("events", entries::events),
    ("stream", entries::stream),
    ("tap", entries::tap),
];

fn decode(criterion: &mut Criterion) {
    for corpus in corpora::NAMES.into_iter().filter_map(corpora::named) {
        let mut group = criterion.benchmark_group(&corpus.name);
        group.throughput(Throughput::Bytes(corpus.bytes.len() as u64));
        for cut in Cut::ALL {
            let chunks = corpora::cut(&corpus, cut);
            for (name, count) in ENTRIES {
                group.bench_function(BenchmarkId::new(name, cut.name()), |bencher| {
                    bencher.iter(|| assert_eq!(count(black_box(&chunks)), Ok(corpus.events)));
                });
            }
        }
    }
}

criterion_group! {
    name = benches;
    // Each pass reads a MiB or more, so a few samples are enough. With the defaults, the run takes twenty minutes.
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = decode
}
criterion_main!(benches);
