//! The crate decodes generated streams like the naive twin: guarantees 1, 2 and 3.

use crate::{
    decode_routes,
    naive::{self, Eof, Options, Scope, Utf8Policy},
    stream_generator::{Random, any_cut, any_stream, cut},
};
use eventwire::Decoder;
use proptest::prelude::*;

fn any_options() -> impl Strategy<Value = Options<'static>> {
    let last_event_id = prop_oneof![Just(""), Just("seed")];
    let max_event_size = prop_oneof![3 => Just(usize::MAX), 2 => 0..80usize];
    let eof = prop_oneof![Just(Eof::Discard), Just(Eof::Dispatch), Just(Eof::Error)];
    let utf8_policy = prop_oneof![Just(Utf8Policy::Replace), Just(Utf8Policy::Stop)];
    let scope = prop_oneof![2 => Just(Scope::Events), 1 => Just(Scope::Blocks), 1 => Just(Scope::WithoutComments)];
    (last_event_id, max_event_size, eof, utf8_policy, scope).prop_map(
        |(last_event_id, max_event_size, eof, utf8_policy, scope)| Options {
            last_event_id,
            max_event_size,
            eof,
            utf8_policy,
            scope,
            ..Options::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn every_route_and_split_agrees(stream in any_stream(), sizes in any_cut(), options in any_options()) {
        let expected = naive::interpret(&stream, &options);
        decode_routes::check(&[&stream], &options, &expected);
        decode_routes::check(&cut(&stream, &sizes), &options, &expected);
        decode_routes::check(&cut(&stream, &[1]), &options, &expected);
    }

    /// A limit that is changed between two chunks applies from the next byte that counts.
    #[test]
    fn a_limit_that_is_changed(
        stream in any_stream(),
        place in any::<prop::sample::Index>(),
        sizes in any_cut(),
        options in any_options(),
        limits in (0..80_usize, 0..80_usize),
    ) {
        let place = place.index(stream.len() + 1);
        let (first, second) = stream.split_at(place);
        let mut chunks = cut(first, &sizes);
        chunks.extend(cut(second, &sizes));
        // The end may count the last line.
        chunks.push(b"");
        let options = Options { max_event_size: limits.0, new_limit: Some((place, limits.1)), ..options };
        let expected = naive::interpret(&stream, &options);
        decode_routes::check_by(&decode_routes::ALL[..2], &chunks, &options, &expected);
    }

    #[test]
    fn arbitrary_bytes(stream in proptest::collection::vec(any::<u8>(), 0..300), sizes in any_cut(), options in any_options()) {
        let expected = naive::interpret(&stream, &options);
        decode_routes::check(&cut(&stream, &sizes), &options, &expected);
    }
}

proptest! {
    /// After each call, the decoder is where the bytes that it has read end, for events and for blocks.
    #[test]
    fn the_position_after_each_call(stream in any_stream(), sizes in any_cut(), options in any_options(), limit in 0..80usize) {
        for chunks in [cut(&stream, &sizes), cut(&stream, &[1])] {
            let mut events = decode_routes::decoder(&options);
            let mut blocks = events.clone().with_max_event_size(limit);
            let limited = Options { max_event_size: limit, ..options.clone() };
            for chunk in chunks {
                let (mut first, mut second) = (chunk, chunk);
                while let outcome = events.decode(&mut first).map(|event| event.is_some()) && outcome != Ok(false) {
                    check_position(&events, &stream, &options);
                }
                while let outcome = blocks.decode_block(&mut second).map(|item| item.is_some()) && outcome != Ok(false) {
                    check_position(&blocks, &stream, &limited);
                }
                check_position(&events, &stream, &options);
                check_position(&blocks, &stream, &limited);
            }
        }
    }
}

#[track_caller]
fn check_position(decoder: &Decoder, stream: &[u8], options: &Options<'_>) {
    let count = usize::try_from(decoder.bytes_read()).expect("a stream in memory");
    let beginning = stream.get(..count).expect("no more than the stream");
    assert_eq!(decoder.position(), naive::position(beginning, options), "{}", beginning.escape_ascii());
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
            utf8_policy: [Utf8Policy::Replace, Utf8Policy::Stop][random.below(2)],
            ..Options::default()
        };
        let expected = naive::interpret(&stream, &options);
        let chunks = cut(&stream, &sizes);
        let routes = [decode_routes::ALL[0], decode_routes::ALL[1 + random.below(4)]];
        decode_routes::check_by(&routes, &chunks, &options, &expected);
        let scope = [Scope::Blocks, Scope::WithoutComments][random.below(2)];
        let options = Options { scope, ..options };
        let expected = naive::interpret(&stream, &options);
        decode_routes::check_by(&[decode_routes::ALL[random.below(5)]], &chunks, &options, &expected);
    }
    eprintln!("{count} streams from seed {seed}: no difference");
}
