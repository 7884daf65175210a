//! The laws of the crate: the shortest test of each, named after it, and where the longer ones are. Law 9 is in
//! `round_trip`, law 10 in `blocks`, law 11 in `tap`.

use crate::{
    counting_allocator::measure,
    decode_routes,
    naive::{self, Eof, Item, Options},
    scripted_source::{Answer::Chunk, Script},
};
use bytes::Bytes;
use eventwire::{DecodeError, Decoder, Events};

/// Law 1. All cuts of three short streams. Generated streams and cuts are in `generated_streams`; every cut in two of
/// written and of recorded streams in `fixtures` and `recordings`; the decoder's state at each cut in `decoder_state`.
#[test]
fn any_cut_the_same_events() {
    for stream in [&b"\xEF\xBB\xBFid:\n data\r\n\r\n"[..], b"data:\xC3\xA9\r\n\r\nid\r", b"event:u\rdata\r\r"] {
        let options = Options { last_event_id: "seed", eof: Eof::Dispatch, ..Options::default() };
        let expected = naive::interpret(stream, &options);
        assert_eq!(expected.items.len(), usize::from(stream[0] != 0xEF));
        // Each bit is a place between two bytes; where it is set, the stream is cut.
        for places in 0..1u32 << (stream.len() - 1) {
            let mut chunks = Vec::new();
            let mut start = 0;
            for place in (1..stream.len()).filter(|place| places >> (place - 1) & 1 == 1) {
                chunks.push(&stream[start..place]);
                start = place;
            }
            chunks.push(&stream[start..]);
            for (name, route) in [("borrowed", decode_routes::ALL[0].1), ("owned", decode_routes::ALL[1].1)] {
                assert_eq!(route(&chunks, &options), expected, "{name}, chunks {}", decode_routes::show(&chunks));
            }
        }
    }
}

/// Law 2. All sequences of five of the parts that streams are made of. Longer ones, and any bytes at all, are in
/// `generated_streams`; every kind of broken UTF-8 is in `fixtures`.
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
            let errors = expected.items.iter().filter(|(_, item)| !matches!(item, Item::Event { .. })).count();
            assert!(errors == 0 || options.eof != Eof::Discard, "the limit and `Eof::Error` alone err");
        }
    }
}

/// Law 3. `generated_streams` compares the place of every event with that of the naive twin.
#[test]
fn no_waiting() {
    for (before, last) in [
        ("data: 1\n", "\n"),
        ("data: 1\r", "\r"),
        ("data: 1\r\n", "\r"), // the LF that may follow is not waited for
        ("data: 1\n", "\r"),
        ("data: 1\r\n", "\n"), // a CR LF, and a blank line of one LF
        ("data: 1\r\n: c\r\n", "\r"),
    ] {
        let mut decoder = Decoder::new();
        assert_eq!(decoder.decode(&mut before.as_bytes()), Ok(None), "{before:?}");
        let event = decoder.decode(&mut last.as_bytes()).unwrap();
        assert_eq!(event.expect("an event, with the byte that completes it").data(), "1");
    }
    // A `retry` counts at its line's end, before the event.
    let mut decoder = Decoder::new();
    assert_eq!(decoder.decode(&mut &b"retry: 1\r"[..]), Ok(None));
    assert!(decoder.reconnection_time().is_some());
}

/// Law 4. What would take hours if each byte were looked at more than a few times is in `linear_time`.
#[test]
fn linear() {
    let line = [&b"data: "[..], &[b'x'; 1 << 20], b"\n\n"].concat();
    let (taken, usage) = measure(|| {
        let mut decoder = Decoder::new();
        line.chunks(1).filter(|chunk| decoder.decode(&mut &chunk[..]).unwrap().is_some()).count()
    });
    assert_eq!(taken, 1);
    // A buffer that is doubled each time has asked for four times its contents at most.
    assert!(usage.allocated <= 4 << 20 && usage.allocations < 32, "{usage:?}");
}

/// Law 5. What counts towards an event's size, and where the error comes out, is in `event_size_limit`; how much memory
/// is used at most, in `memory::peak_usage`.
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

/// Law 6. Every field, chunks of every size, changing types and IDs and broken text are in `memory::allocation_counts`.
#[test]
fn nothing_allocated_in_the_steady_state() {
    let mut decoder = Decoder::new();
    let mut input = Bytes::from_static(b"event: t\nid: 1\ndata: 1\n\nevent: t\nid: 1\ndata: 2\n\n");
    assert!(decoder.decode_bytes(&mut input).unwrap().is_some());
    let (event, usage) = measure(|| decoder.decode_bytes(&mut input));
    assert_eq!((event.unwrap().unwrap().data(), usage.allocations), ("2", 0));
}

/// Law 7. Each of the buffers, and after how many blocks, is in `memory::released_buffers`; what an owned event keeps, in
/// `memory::chunk_sharing`.
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

/// Law 8. When the adapters ask their sources, row by row, is in `source_adapters`.
#[test]
fn nothing_pulled_that_was_not_asked_for() {
    let mut input = &b"data: 1\n\ndata: 2\n\n"[..];
    let mut decoder = Decoder::new().with_max_event_size(10);
    assert!(decoder.decode(&mut input).unwrap().is_some());
    assert_eq!(input, b"data: 2\n\n", "one call, one event");

    let mut input = &b"data: 12345678\n\n"[..];
    assert!(matches!(decoder.decode(&mut input), Err(DecodeError::EventTooLarge { limit: 10, .. })));
    assert_eq!(decoder.decode(&mut input), Ok(None), "one call, one error");

    let mut events = Events::new(Script::new(&[Chunk("data: 1\n\ndata: 2\n\n"), Chunk("data: 3\n\n")]));
    assert!(events.next().is_some() && events.next().is_some());
    assert_eq!(events.get_ref().asked(), 1);
}
