//! Blocks contain everything that a stream means, in order: guarantee 10. `generated_streams` compares generated
//! streams with the naive twin, `fixtures` has the blocks of some, and `round_trip` writes blocks and reads them back.

use crate::{
    counting_allocator::{live, measure},
    decode_routes,
    generated_streams::any_limit,
    law,
    naive::{self, Item, Options, Outcome, Scope, Utf8Policy},
    stream_generator::cut,
};
use eventwire::{BlockItemRef, Decoder, Eof};
use std::time::Duration;

/// Items that are read and written again are the same stream for every reader, however it is split.
#[test]
fn items_lose_nothing() {
    law::check(2_000, |random| {
        let (mut stream, sizes, is_complete) = (random.stream(), random.cut(), random.coin());
        if is_complete {
            stream.extend(b"\n\n");
        }
        let written = written_again(&cut(&stream, &sizes));
        // For readers of events and of blocks: the crate and the twin.
        for scope in [Scope::Events, Scope::Blocks] {
            let options = Options { scope, ..Options::default() };
            let expected = naive::interpret(&stream, &options);
            let twin = naive::interpret(&written, &options);
            let borrowed = decode_routes::borrowed(&[&written], &options);
            for read in [twin, borrowed, decode_routes::owned(&[&written], &options)] {
                assert_eq!(items(&read), items(&expected));
                assert_eq!(read.last_event_id, expected.last_event_id);
                // The reconnection time of a block that the end cuts off has taken effect, but is not an item.
                if is_complete {
                    assert_eq!(read.reconnection_time, expected.reconnection_time);
                }
            }
        }
    });
}

fn written_again(chunks: &[&[u8]]) -> Vec<u8> {
    let (mut decoder, mut written) = (Decoder::new(), Vec::new());
    for chunk in chunks {
        let mut input = *chunk;
        while let Some(item) = decoder.decode_block(&mut input).expect("within the limit") {
            item.encode(&mut written);
        }
    }
    assert_eq!(decoder.finish_block(), Ok(None), "what the end cuts off is not an item");
    written
}

fn items(outcome: &Outcome) -> Vec<&Item> {
    outcome.items.iter().map(|(_, item)| item).collect()
}

/// The events among the blocks are the events that `decode` returns.
#[test]
fn events_among_blocks_are_those_of_decode() {
    law::check(2_000, |random| {
        let (stream, sizes, max_event_size) = (random.stream(), random.cut(), any_limit(random));
        let utf8_policy = random.one_of(&[Utf8Policy::Replace, Utf8Policy::Stop]);
        let options = Options { max_event_size, utf8_policy, ..Options::default() };
        let events = decode_routes::borrowed(&cut(&stream, &sizes), &options);
        let blocks = decode_routes::borrowed(&cut(&stream, &sizes), &Options { scope: Scope::Blocks, ..options });
        let of_events = |(place, item)| match item {
            Item::Block(block) => block.event.map(|event| (place, Item::Event(event))),
            Item::Comment(_) | Item::CommentTooLarge => None,
            error => Some((place, error)),
        };
        let among = blocks.items.into_iter().filter_map(of_events).collect();
        assert_eq!(Outcome { items: among, ..blocks }, events);
    });
}

/// A reader that alternates between events and blocks gets all events, and no block that is not in the stream.
#[test]
fn alternating_calls_invent_nothing() {
    law::check(500, |random| {
        let (stream, sizes) = (random.stream(), random.cut());
        let (mut decoder, mut all) = (Decoder::new(), Vec::new());
        let mut input = &stream[..];
        while let Some(item) = decoder.decode_block(&mut input).unwrap() {
            all.push(item.to_item());
        }
        let (mut decoder, mut rest, mut events) = (Decoder::new(), all.iter().map(BlockItemRef::from), 0);
        for mut chunk in cut(&stream, &sizes) {
            loop {
                let is_there = if random.coin() {
                    decoder.decode_block(&mut chunk).unwrap().map(|item| {
                        events += usize::from(item.event().is_some());
                        rest.any(|other| other == item)
                    })
                } else {
                    decoder.decode(&mut chunk).unwrap().map(|event| {
                        events += 1;
                        rest.any(|other| other.event() == Some(event))
                    })
                };
                let Some(is_there) = is_there else { break };
                assert!(is_there, "not all are among {all:?}");
            }
        }
        assert_eq!(events, all.iter().filter(|item| BlockItemRef::from(*item).event().is_some()).count());
    });
}

/// Alternates between `decode` and `decode_block`. A comment is returned if `decode` has read no part of it. Calls of
/// `decode` drop blocks without data.
#[test]
fn mixed_with_decode() {
    let mut decoder = Decoder::new();
    assert_eq!(decoder.decode(&mut &b": a"[..]), Ok(None));
    assert_eq!(decoder.decode_block(&mut &b"b\n: c"[..]), Ok(None));
    assert_eq!(decoder.decode(&mut &b"d\n"[..]), Ok(None));
    assert_eq!(decoder.decode_block(&mut &b": e\n"[..]), Ok(Some(BlockItemRef::Comment("e"))));
    assert_eq!(decoder.decode_block(&mut &b": he"[..]), Ok(None));
    assert_eq!(decoder.decode(&mut &b"ll"[..]), Ok(None));
    assert_eq!(decoder.decode_block(&mut &b"o\n"[..]), Ok(None));

    let mut input = &b"id: 1\nretry: 5\n\ndata: a\n\n"[..];
    assert_eq!(decoder.decode_block(&mut input).unwrap().unwrap().block().unwrap().id(), Some("1"));
    let event = decoder.decode(&mut input).unwrap().unwrap();
    assert_eq!((event.data(), event.last_event_id()), ("a", "1"));
    assert_eq!(decoder.reconnection_time(), Some(Duration::from_millis(5)));
}

/// The same inside a block that is too large.
#[test]
fn mixed_with_decode_in_a_block_that_is_too_large() {
    let mut decoder = Decoder::new().with_max_event_size(10).with_eof(Eof::Dispatch);
    assert!(decoder.decode_block(&mut &b"data: 12345\n"[..]).is_err());
    assert_eq!(decoder.decode_block(&mut &b": he"[..]), Ok(None));
    assert_eq!(decoder.decode(&mut &b"ll"[..]), Ok(None));
    assert_eq!(decoder.decode_block(&mut &b"o\n: pi"[..]), Ok(None));
    assert_eq!(decoder.decode(&mut &b"ng\n"[..]), Ok(None));
    assert_eq!(decoder.finish_block(), Ok(None));
}

#[test]
fn a_comment_that_is_not_returned_leaves_no_memory() {
    let before = live();
    let mut decoder = Decoder::new();
    let rests: [fn(&mut Decoder); 2] =
        [|decoder| assert_eq!(decoder.decode(&mut &b"\n"[..]), Ok(None)), |decoder| decoder.reset()];
    for end in rests {
        for chunk in [&b": "[..], &[b'x'; 90_000]] {
            assert_eq!(decoder.decode_block(&mut &chunk[..]), Ok(None));
        }
        end(&mut decoder);
        assert_eq!(live(), before);
    }
    let mut decoder = decoder.without_comments();
    let ((), usage) = measure(|| {
        for chunk in [&b": "[..], &[b'x'; 200_000], b"\n"] {
            assert_eq!(decoder.decode_block(&mut &chunk[..]), Ok(None));
        }
    });
    assert_eq!(usage.allocations, 0, "nothing is stored");
}

#[test]
fn nothing_allocated_in_the_steady_state() {
    let stream =
        b": comment\nid: an ID of more than 23 bytes\n\nretry: 5\n\nevent: a type of more than 23 bytes\n\nid: 2\nevent: u\ndata: a\n: inside\ndata: b\n\ndata: c\n\n";
    for size in [1, 7, 200] {
        let mut decoder = Decoder::new();
        let mut round = || {
            let mut blocks = 0;
            for mut chunk in stream.chunks(size) {
                while decoder.decode_block(&mut chunk).unwrap().is_some() {
                    blocks += 1;
                }
            }
            blocks
        };
        assert_eq!(round(), 7);
        let (blocks, usage) = measure(round);
        assert_eq!((blocks, usage.allocations), (7, 0), "{usage:?}");
    }
}
