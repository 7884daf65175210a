//! The crate decodes generated streams like the naive twin: guarantees 1, 2 and 3.

use crate::{
    decode_routes::{self, ALL},
    law,
    naive::{self, Eof, Options, Scope, Utf8Policy},
    stream_generator::{Random, cut},
};
use eventwire::Decoder;

fn any_options(random: &mut Random) -> Options<'static> {
    Options {
        last_event_id: random.one_of(&["", "seed"]),
        max_event_size: any_limit(random),
        eof: random.one_of(&[Eof::Discard, Eof::Dispatch, Eof::Error]),
        utf8_policy: random.one_of(&[Utf8Policy::Replace, Utf8Policy::Stop]),
        scope: random.one_of(&[Scope::Events, Scope::Events, Scope::Blocks, Scope::WithoutComments]),
        ..Options::default()
    }
}

/// Often without an effect.
pub(crate) fn any_limit(random: &mut Random) -> usize {
    if random.coin() { random.below(80) } else { usize::MAX }
}

#[test]
fn every_route_and_split_agrees() {
    law::check(4_000, |random| {
        let (stream, sizes, options) = (random.stream(), random.cut(), any_options(random));
        let expected = naive::interpret(&stream, &options);
        decode_routes::check(&[&stream], &options, &expected);
        decode_routes::check(&cut(&stream, &sizes), &options, &expected);
        decode_routes::check(&cut(&stream, &[1]), &options, &expected);
    });
}

/// A limit that is changed between two chunks applies from the next byte that counts.
#[test]
fn a_limit_that_is_changed() {
    law::check(4_000, |random| {
        let (stream, sizes) = (random.stream(), random.cut());
        let place = random.below(stream.len() + 1);
        let (first, second) = stream.split_at(place);
        let mut chunks = cut(first, &sizes);
        chunks.extend(cut(second, &sizes));
        // The end may count the last line.
        chunks.push(b"");
        let (max_event_size, new_limit) = (random.below(80), Some((place, random.below(80))));
        let options = Options { max_event_size, new_limit, ..any_options(random) };
        let expected = naive::interpret(&stream, &options);
        decode_routes::check_by(&ALL[..2], &chunks, &options, &expected);
    });
}

#[test]
fn arbitrary_bytes() {
    law::check(4_000, |random| {
        let (sizes, options, stream) = (random.cut(), any_options(random), random.list(300, Random::byte));
        let expected = naive::interpret(&stream, &options);
        decode_routes::check(&cut(&stream, &sizes), &options, &expected);
    });
}

/// After each call, the decoder is where the bytes that it has read end, for events and for blocks.
#[test]
fn the_position_after_each_call() {
    law::check(500, |random| {
        let (stream, sizes, options) = (random.stream(), random.cut(), any_options(random));
        for chunks in [cut(&stream, &sizes), cut(&stream, &[1])] {
            let (mut events, mut blocks) = (decode_routes::decoder(&options), decode_routes::decoder(&options));
            for chunk in chunks {
                let (mut first, mut second) = (chunk, chunk);
                while events.decode(&mut first) != Ok(None) {
                    check_position(&events, &stream, &options);
                }
                while blocks.decode_block(&mut second) != Ok(None) {
                    check_position(&blocks, &stream, &options);
                }
                check_position(&events, &stream, &options);
                check_position(&blocks, &stream, &options);
            }
        }
    });
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
        let (stream, sizes, options) = (random.stream(), random.cut(), any_options(&mut random));
        let chunks = cut(&stream, &sizes);
        for scope in [Scope::Events, random.one_of(&[Scope::Blocks, Scope::WithoutComments])] {
            let options = Options { scope, ..options.clone() };
            let expected = naive::interpret(&stream, &options);
            decode_routes::check_by(&[ALL[0], random.one_of(&ALL[1..])], &chunks, &options, &expected);
        }
    }
    eprintln!("{count} streams from seed {seed}: no difference");
}

/// Streams that were once decoded wrongly, and the sizes of their chunks: by any route, and if the limit changes.
#[test]
fn what_has_failed_before() {
    let digits = "0123456789".repeat(13);
    let long = [
        b"data:e\r\r\r\n\0retr: ",
        digits.as_bytes(),
        b"\n\xF4\x90\x80\x80\xEF\xBB \xEF\xBB\xBF\nid\n\xEF\xBBevents: y\nretryy: 1\nretr\r\n\r\n\0\xE2\x82\xAC\xEF\xBBid:even\
          Data: x\n\xC3 id: \xC3data:e\r\r\0\xEF\xBBdata: d\r\n\r\ndata: \xEF",
    ]
    .concat();
    for (stream, sizes) in [
        (&b"id: 3\n\ndata: \xF0\x9F\x98\n\n"[..], &[18][..]),
        (b"data: \x80\n\ndata:\r\n\r\n", &[9]),
        (&long, &[5, 3, 7, 18, 4, 3, 27]),
        (&[&long[..], b"\n\n"].concat(), &[5, 3, 7, 18, 4, 3, 27]),
    ] {
        for scope in [Scope::Events, Scope::Blocks, Scope::WithoutComments] {
            for max_event_size in [8, usize::MAX] {
                let options = Options { scope, max_event_size, ..Options::default() };
                let expected = naive::interpret(stream, &options);
                decode_routes::check(&cut(stream, sizes), &options, &expected);
            }
        }
        for place in 0..=stream.len() {
            let (first, second) = stream.split_at(place);
            let chunks = [cut(first, sizes), cut(second, sizes), vec![b""]].concat();
            let options = Options { max_event_size: 8, new_limit: Some((place, 0)), ..Options::default() };
            let expected = naive::interpret(stream, &options);
            decode_routes::check_by(&ALL[..2], &chunks, &options, &expected);
        }
    }
}
