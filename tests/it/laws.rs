//! The guarantees of the crate: a short test of each, and where the longer ones are. Guarantee 9 is in `round_trip`,
//! guarantee 10 in `blocks` and `round_trip`, guarantee 11 in `tap`.

use crate::{
    counting_allocator::measure,
    decode_routes,
    naive::{self, Eof, Item, Options},
    scripted_source::{Answer::Chunk, Script},
};
use bytes::Bytes;
use eventwire::{DecodeError, Decoder, Events};

/// Guarantee 1: all ways to split three short streams. Generated streams and splits are in `generated_streams`;
/// fixtures, split in two, in `fixtures`; recorded streams in `recordings`; the decoder's state at each place in
/// `decoder_state`.
#[test]
fn any_split_yields_the_same_events() {
    for stream in [&b"\xEF\xBB\xBFid:\n data\r\n\r\n"[..], b"data:\xC3\xA9\r\n\r\nid\r", b"event:u\rdata\r\r"] {
        let options = Options { last_event_id: "seed", eof: Eof::Dispatch, ..Options::default() };
        let expected = naive::interpret(stream, &options);
        assert_eq!(expected.items.len(), usize::from(stream[0] != 0xEF));
        // Each bit is a place between two bytes. Where it is set, the stream is split.
        for places in 0..1u32 << (stream.len() - 1) {
            let mut chunks = Vec::new();
            let mut start = 0;
            for place in (1..stream.len()).filter(|place| places >> (place - 1) & 1 == 1) {
                chunks.push(&stream[start..place]);
                start = place;
            }
            chunks.push(&stream[start..]);
            decode_routes::check_by(&decode_routes::ALL[..2], &chunks, &options, &expected);
        }
    }
}

/// Guarantee 2: all sequences of five parts of streams. Longer ones, and arbitrary bytes, are in `generated_streams`;
/// every kind of broken UTF-8 is in `fixtures`.
#[test]
fn no_malformed_input() {
    const PARTS: [&[u8]; 10] =
        [b"data", b"id", b":", b" ", b"\n", b"\r", b"\0", b"\xEF\xBB\xBF", b"\xE2\x82", b"retry:1"];
    let options = [
        Options::default(),
        Options { eof: Eof::Error, ..Options::default() },
        Options { max_event_size: 6, eof: Eof::Dispatch, ..Options::default() },
    ];
    for number in 0..100_000 {
        let part = |place: u32| PARTS[number / 10_usize.pow(place) % 10];
        let stream = [part(0), part(1), part(2), part(3), part(4)].concat();
        for options in &options {
            let expected = naive::interpret(&stream, options);
            assert_eq!(
                decode_routes::borrowed(&[&stream], options),
                expected,
                "{options:?}, {}",
                stream.escape_ascii()
            );
            let errors = expected.items.iter().filter(|(_, item)| !matches!(item, Item::Event(_))).count();
            assert!(errors == 0 || options.eof != Eof::Discard, "only the limit and `Eof::Error` cause errors");
        }
    }
}

/// Guarantee 3. `generated_streams` compares the place of every event with that of the naive twin.
#[test]
fn no_waiting() {
    for (before, last) in [
        ("data: 1\n", "\n"),
        ("data: 1\r", "\r"),
        ("data: 1\r\n", "\r"), // does not wait for an LF
        ("data: 1\n", "\r"),
        ("data: 1\r\n", "\n"), // a CR LF, and a blank line that is one LF
        ("data: 1\r\n: c\r\n", "\r"),
    ] {
        let mut decoder = Decoder::new();
        assert_eq!(decoder.decode(&mut before.as_bytes()), Ok(None), "{before:?}");
        let event = decoder.decode(&mut last.as_bytes()).unwrap();
        assert_eq!(event.expect("an event, with the byte that completes it").data(), "1");
    }
    // A `retry` takes effect at the end of its line, before the event.
    let mut decoder = Decoder::new();
    assert_eq!(decoder.decode(&mut &b"retry: 1\r"[..]), Ok(None));
    assert!(decoder.reconnection_time().is_some());
}

/// Guarantee 4. `linear_time` reads streams that would take hours if each byte were read more than a few times.
#[test]
fn linear() {
    let line = [&b"data: "[..], &[b'x'; 1 << 20], b"\n\n"].concat();
    let (taken, usage) = measure(|| {
        let mut decoder = Decoder::new();
        line.chunks(1).filter(|chunk| decoder.decode(&mut &chunk[..]).unwrap().is_some()).count()
    });
    assert_eq!(taken, 1);
    // A buffer that doubles each time has requested at most four times its contents.
    assert!(usage.allocated <= 4 << 20 && usage.allocations < 32, "{usage:?}");
}

/// Guarantee 5. `event_size_limit` tests what counts towards an event's size and where the error is returned;
/// `memory::peak_usage` the maximum memory.
#[test]
fn bounded() {
    let mut decoder = Decoder::new().with_max_event_size(1000);
    let (errors, usage) = measure(|| {
        let endless = std::iter::repeat_n(&b"data: and so on"[..], 100_000);
        endless.filter(|chunk| decoder.decode(&mut &chunk[..]).is_err()).count()
    });
    assert_eq!(errors, 1);
    assert!(usage.peak <= 4000, "{usage:?}");
}

/// Guarantee 6. `memory::allocation_counts` tests every field, chunks of every size, changing types and IDs, and
/// broken text.
#[test]
fn nothing_allocated_in_the_steady_state() {
    let mut decoder = Decoder::new();
    let mut input = Bytes::from_static(b"event: t\nid: 1\ndata: 1\n\nevent: t\nid: 1\ndata: 2\n\n");
    assert!(decoder.decode_bytes(&mut input).unwrap().is_some());
    let (event, usage) = measure(|| decoder.decode_bytes(&mut input));
    assert_eq!((event.unwrap().unwrap().data(), usage.allocations), ("2", 0));
}

/// Guarantee 7. `memory::released_buffers` tests each of the buffers, and after how many blocks it is released;
/// `memory::chunk_sharing` what an owned event keeps.
#[test]
fn memory_is_given_back() {
    let before = crate::counting_allocator::live();
    let mut decoder = Decoder::new();
    assert_eq!(decoder.decode(&mut &[&b"data: "[..], &[b'x'; 1 << 20]].concat()[..]), Ok(None));
    assert!(crate::counting_allocator::live() >= before + (1 << 20));
    assert!(decoder.decode(&mut &b"\n\n"[..]).unwrap().is_some());
    for _ in 0..33 {
        assert!(decoder.decode(&mut &b"data\n\n"[..]).unwrap().is_some());
    }
    assert_eq!(crate::counting_allocator::live(), before);
}

/// Guarantee 8. `source_adapters` tests in detail when the adapters poll their sources.
#[test]
fn nothing_is_read_ahead() {
    let mut input = &b"data: 1\n\ndata: 2\n\n"[..];
    let mut decoder = Decoder::new().with_max_event_size(10);
    assert!(decoder.decode(&mut input).unwrap().is_some());
    assert_eq!(input, b"data: 2\n\n", "one call, one event");

    let mut input = &b"data: 12345678\n\n"[..];
    assert!(matches!(decoder.decode(&mut input), Err(DecodeError::EventTooLarge { limit: 10, .. })));
    assert_eq!(decoder.decode(&mut input), Ok(None), "one call, one error");

    let mut events = Events::new(Script::new(&[Chunk("data: 1\n\ndata: 2\n\n"), Chunk("data: 3\n\n")]).blocking());
    assert!(events.next().is_some() && events.next().is_some());
    assert_eq!(events.get_ref().asked(), 1);
}
