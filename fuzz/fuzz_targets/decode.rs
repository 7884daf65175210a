//! Any bytes, split in any way, yield the same events as the naive twin, by every route.
#![no_main]

#[path = "../../tests/it/always_ready.rs"]
mod always_ready;
mod case;
#[path = "../../tests/it/decode_routes.rs"]
mod decode_routes;
#[path = "../../tests/it/naive.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod naive;
mod options;

use bytes::Bytes;
use case::Case;
use eventwire::{DecodeError, Decoder, Event};
use libfuzzer_sys::fuzz_target;
use naive::{Item, Options, Outcome};

fuzz_target!(|input: &[u8]| {
    let Some(case) = Case::of(input) else { return };
    let options = options::options(case.mode, usize::MAX);
    let expected = naive::interpret(case.stream, &options);
    decode_routes::check(&[case.stream], &options, &expected);
    decode_routes::check(&case.chunks(), &options, &expected);
    two_connections(case, &options);
});

/// Ends the stream at the header's number, and decodes the rest with the same decoder as a new connection. The second
/// connection starts with the last event ID and reconnection time of the first, and with nothing else.
fn two_connections(case: Case<'_>, options: &Options<'_>) {
    let mut decoder = decode_routes::decoder(options);
    let (first, second) = case.stream.split_at(case.number.min(case.stream.len()));

    let before = naive::interpret(first, options);
    check_connection(&mut decoder, Case { stream: first, ..case }, &before);

    let mut after = naive::interpret(second, &Options { last_event_id: &before.last_event_id, ..options.clone() });
    after.reconnection_time = after.reconnection_time.or(before.reconnection_time);
    check_connection(&mut decoder, Case { stream: second, ..case }, &after);
}

/// Decodes borrowed and owned events in turns, which must not affect each other.
fn check_connection(decoder: &mut Decoder, case: Case<'_>, expected: &Outcome) {
    let mut items = expected.items.iter().map(|(_, item)| item);
    let mut borrows = case.mode & 1 == 0;
    for chunk in case.chunks() {
        let mut input = Bytes::copy_from_slice(chunk);
        while let Some(outcome) = next(decoder, &mut input, borrows).transpose() {
            check_item(outcome, items.next());
            borrows = !borrows;
        }
        assert!(input.is_empty(), "`Ok(None)` means that the input is consumed");
    }
    if let Some(outcome) = decoder.finish().transpose() {
        check_item(outcome, items.next());
    }
    assert_eq!(items.next(), None);
    assert_eq!(decoder.last_event_id(), expected.last_event_id);
    let milliseconds = decoder.reconnection_time().map(|time| time.as_millis());
    assert_eq!(milliseconds, expected.reconnection_time.map(u128::from));
    // Until the first byte, the text is that of the stream before.
    if !case.stream.is_empty() {
        assert_eq!(decoder.ignored(), expected.ignored);
    }
}

fn next(decoder: &mut Decoder, input: &mut Bytes, borrows: bool) -> Result<Option<Event>, DecodeError> {
    if !borrows {
        return decoder.decode_bytes(input);
    }
    let mut rest = &input[..];
    let outcome = decoder.decode(&mut rest).map(|event| event.map(|event| event.to_event()));
    *input = input.slice_ref(rest);
    outcome
}

fn check_item(outcome: Result<Event, DecodeError>, expected: Option<&Item>) {
    match (outcome, expected) {
        (Ok(event), Some(Item::Event(expected))) => {
            let mut event = decode_routes::twin_of((&event).into());
            // An ID that the first connection cleared is not the twin's ID of the second.
            event.id = event.id.filter(|id| !id.is_empty() || expected.id.is_some());
            assert_eq!(event, *expected);
        }
        (Err(DecodeError::Truncated), Some(Item::Truncated)) => {}
        (outcome, expected) => panic!("{outcome:?} instead of {expected:?}"),
    }
}
