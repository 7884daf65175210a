//! The crate decodes generated streams like the naive twin: guarantees 1, 2 and 3.

use crate::{
    block_routes, decode_routes,
    naive::{self, Eof, Options, Scope},
    stream_generator::{Random, any_cut, any_stream, cut},
};
use proptest::prelude::*;

fn any_options() -> impl Strategy<Value = Options<'static>> {
    let last_event_id = prop_oneof![Just(""), Just("seed")];
    let max_event_size = prop_oneof![3 => Just(usize::MAX), 2 => 0..80usize];
    let eof = prop_oneof![Just(Eof::Discard), Just(Eof::Dispatch), Just(Eof::Error)];
    (last_event_id, max_event_size, eof, any::<bool>()).prop_map(|(last_event_id, max_event_size, eof, is_strict)| {
        Options { last_event_id, max_event_size, eof, scope: Scope::Events, is_strict }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn every_route_and_split_agrees(stream in any_stream(), sizes in any_cut(), options in any_options()) {
        let expected = naive::interpret(&stream, &options);
        decode_routes::check(&[&stream], &options, &expected);
        decode_routes::check(&cut(&stream, &sizes), &options, &expected);
        decode_routes::check(&cut(&stream, &[1]), &options, &expected);
    }

    #[test]
    fn every_route_and_split_agrees_on_blocks(stream in any_stream(), sizes in any_cut(), options in any_options()) {
        let options = Options { scope: Scope::Blocks, ..options };
        let expected = naive::interpret(&stream, &options);
        block_routes::check(&[&stream], &options, &expected);
        block_routes::check(&cut(&stream, &sizes), &options, &expected);
        block_routes::check(&cut(&stream, &[1]), &options, &expected);
    }

    #[test]
    fn arbitrary_bytes(stream in proptest::collection::vec(any::<u8>(), 0..300), sizes in any_cut(), options in any_options()) {
        let expected = naive::interpret(&stream, &options);
        decode_routes::check(&cut(&stream, &sizes), &options, &expected);
    }
}

/// Runs `EVENTWIRE_STREAMS` streams, from the seed `EVENTWIRE_SEED`.
#[test]
fn many_seeded_streams() {
    let (count, seed) = crate::stream_generator::count_and_seed();
    let mut random = Random::new(seed);
    for _ in 0..count {
        let (stream, sizes) = (random.stream(), random.cut());
        let options = Options {
            last_event_id: ["", "seed"][random.below(2)],
            max_event_size: if random.below(2) == 0 { usize::MAX } else { random.below(120) },
            eof: [Eof::Discard, Eof::Dispatch, Eof::Error][random.below(3)],
            scope: Scope::Events,
            is_strict: random.below(2) == 0,
        };
        let expected = naive::interpret(&stream, &options);
        let chunks = cut(&stream, &sizes);
        for (name, route) in [decode_routes::ALL[0], decode_routes::ALL[1 + random.below(4)]] {
            let outcome = route(&chunks, &options);
            assert_eq!(outcome, expected, "{name}, {options:?}, chunks {}", decode_routes::show(&chunks));
        }
        let options = Options { scope: Scope::Blocks, ..options };
        let (name, route) = block_routes::ALL[random.below(4)];
        let expected = naive::interpret(&stream, &options);
        let outcome = route(&chunks, &options);
        assert_eq!(outcome, expected, "{name}, {options:?}, chunks {}", decode_routes::show(&chunks));
    }
    eprintln!("{count} streams from seed {seed}: no difference");
}
