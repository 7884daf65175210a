//! However its input is split, a `Rewrite` has the output of the naive twin, and readers of the output see what the
//! function decided.

use super::{Decision, Item, decided, edit, items, joined, naive};
use crate::{
    stream_generator::{any_cut, any_stream, cut},
    tap::decoded,
};
use eventwire::{
    BlockItem, BlockItemRef, Comment, Decoder, Edit, Eof, Error, InvalidUtf8, Oversize, Position, Rewrite,
};
use futures_util::{FutureExt, StreamExt, stream};
use proptest::{collection::vec, prelude::*, sample::select};
use std::{cell::RefCell, convert::Infallible, time::Duration};

fn any_decision() -> impl Strategy<Value = Decision> {
    prop_oneof![
        3 => Just(Decision::Keep),
        3 => Just(Decision::Remove),
        1 => (0..6_usize).prop_map(Decision::Replace),
        1 => (0..6_usize).prop_map(Decision::Append),
        1 => (0..6_usize, 0..6_usize).prop_map(|(one, other)| Decision::AppendAndRemove(one, other)),
    ]
}

fn any_decoder() -> impl Strategy<Value = Decoder> {
    let eof = select(vec![Eof::Discard, Eof::Dispatch, Eof::Error]);
    let limit = prop_oneof![3 => Just(usize::MAX), 1 => 0..30_usize];
    let invalid = prop_oneof![3 => Just(InvalidUtf8::Replace), 1 => Just(InvalidUtf8::Reject)];
    (eof, limit, invalid).prop_map(|(eof, limit, invalid)| {
        Decoder::new().with_eof(eof).with_max_event_size(limit).with_invalid_utf8(invalid)
    })
}

/// Returns all items of a stream, without errors.
fn read(stream: &[u8], decoder: &Decoder) -> Vec<BlockItem> {
    decoded(stream, decoder).into_iter().flatten().collect()
}

/// Returns an item as bytes. They contain everything but the last event ID, which depends on earlier blocks.
fn bytes(item: &BlockItem) -> Vec<u8> {
    let mut bytes = Vec::new();
    BlockItemRef::from(item).encode(&mut bytes);
    bytes
}

/// Returns what a reader of the stream sees.
fn seen_in(stream: &[u8]) -> Vec<Vec<u8>> {
    read(stream, &Decoder::new().with_eof(Eof::Error)).iter().map(bytes).collect()
}

/// Whether these are among the others, in the same order.
fn is_within(items: &[Vec<u8>], others: &[Vec<u8>]) -> bool {
    let mut others = others.iter();
    items.iter().all(|item| others.any(|other| other == item))
}

/// Returns the stream with other bytes instead of comments, and with an end.
fn without_comments(mut stream: Vec<u8>) -> Vec<u8> {
    let mut is_line_start = true;
    for (at, byte) in stream.iter_mut().enumerate() {
        if *byte == b':' && (is_line_start || at == 3) {
            *byte = b'x';
        }
        is_line_start = matches!(byte, b'\n' | b'\r');
    }
    stream.extend(b"\n\n");
    stream
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_split_yields_the_output_of_the_naive_twin(
        stream in any_stream(),
        sizes in any_cut(),
        decisions in vec(any_decision(), 1..8),
        decoder in any_decoder(),
        oversize in select(vec![Oversize::Error, Oversize::Pass]),
    ) {
        let mut seen = Vec::new();
        let output = items(&cut(&stream, &sizes), &decoder, oversize, |item, edited| {
            edit(decisions[seen.len() % decisions.len()], edited);
            seen.push(item.to_item());
        });
        let mut naive_seen = Vec::new();
        let cuts: Vec<usize> = cut(&stream, &sizes).iter().scan(0, |at, chunk| {
            *at += chunk.len();
            Some(*at)
        }).collect();
        let expected = naive::rewrite(&stream, &cuts, &decoder, oversize, &mut |item| {
            let (is_kept, written) = decided(decisions[naive_seen.len() % decisions.len()]);
            naive_seen.push(item);
            (is_kept, written.iter().flat_map(bytes).collect())
        });
        prop_assert_eq!(joined(output), joined(expected));
        prop_assert_eq!(seen, naive_seen);
    }

    /// Guarantee 10 for a `Rewrite`: the function sees what a reader of the input would see, and a reader of the
    /// output sees what the function decided.
    #[test]
    fn a_reader_of_the_output_sees_what_was_decided(
        stream in any_stream(),
        sizes in any_cut(),
        decisions in vec(any_decision(), 1..8),
        eof in select(vec![Eof::Discard, Eof::Dispatch, Eof::Error]),
        invalid in select(vec![InvalidUtf8::Replace, InvalidUtf8::Reject]),
    ) {
        let decoder = Decoder::new().with_eof(eof).with_invalid_utf8(invalid);
        let (mut seen, mut expected) = (Vec::new(), Vec::new());
        let output = items(&cut(&stream, &sizes), &decoder, Oversize::Error, |item, edited| {
            let decision = decisions[seen.len() % decisions.len()];
            seen.push(item.to_item());
            let (is_kept, written) = decided(decision);
            expected.extend(is_kept.then(|| bytes(&item.to_item())));
            expected.extend(written.iter().map(bytes));
            edit(decision, edited);
        });
        prop_assert_eq!(seen, read(&stream, &decoder));
        let output = output.into_iter().flat_map(Result::unwrap_or_default).collect::<Vec<_>>();
        let found = seen_in(&output);
        prop_assert_eq!(found, expected, "{}", output.escape_ascii());
    }

    /// If some blocks are too large: a reader of the output sees what the function decided, in order, and apart from
    /// that only what was passed on.
    #[test]
    fn a_reader_of_the_output_sees_what_was_decided_under_any_limit(
        stream in any_stream(),
        sizes in any_cut(),
        decisions in vec(any_decision(), 1..8),
        eof in select(vec![Eof::Discard, Eof::Dispatch, Eof::Error]),
        limit in 0..30_usize,
        oversize in select(vec![Oversize::Error, Oversize::Pass]),
    ) {
        let decoder = Decoder::new().with_eof(eof).with_max_event_size(limit);
        let (mut count, mut expected) = (0, Vec::new());
        let output = items(&cut(&stream, &sizes), &decoder, oversize, |item, edited| {
            let decision = decisions[count % decisions.len()];
            count += 1;
            let (is_kept, written) = decided(decision);
            expected.extend(is_kept.then(|| bytes(&item.to_item())));
            expected.extend(written.iter().map(bytes));
            edit(decision, edited);
        });
        let output = output.into_iter().flat_map(Result::unwrap_or_default).collect::<Vec<_>>();
        let found = seen_in(&output);
        prop_assert!(is_within(&expected, &found), "{expected:?} in {}", output.escape_ascii());
        if oversize == Oversize::Error {
            prop_assert_eq!(found, expected, "{}", output.escape_ascii());
        }
    }

    /// Removing other blocks does not change what is passed on: its readers see nothing that was not in the input.
    #[test]
    fn what_is_passed_on_keeps_its_meaning(
        mut stream in any_stream(),
        sizes in any_cut(),
        is_removed in vec(any::<bool>(), 1..8),
        limit in 0..30_usize,
    ) {
        stream.extend(b"\n\n");
        let decoder = Decoder::new().with_max_event_size(limit);
        let mut count = 0;
        let output = items(&cut(&stream, &sizes), &decoder, Oversize::Pass, |_, edited| {
            if is_removed[count % is_removed.len()] {
                edited.remove();
            }
            count += 1;
        });
        let output = output.into_iter().flat_map(Result::unwrap).collect::<Vec<_>>();
        prop_assert!(is_within(&seen_in(&output), &seen_in(&stream)), "{}", output.escape_ascii());
    }

    /// With `InvalidUtf8::Stop`, the output ends at the same byte however the input is split: with an error if the
    /// decoder finds one, after which nothing follows.
    #[test]
    fn an_invalid_line_ends_the_output(
        stream in any_stream(),
        sizes in any_cut(),
        decisions in vec(any_decision(), 1..8),
        eof in select(vec![Eof::Discard, Eof::Dispatch, Eof::Error]),
        limit in prop_oneof![Just(usize::MAX), 0..30_usize],
        oversize in select(vec![Oversize::Error, Oversize::Pass]),
    ) {
        let decoder = Decoder::new().with_eof(eof).with_max_event_size(limit).with_invalid_utf8(InvalidUtf8::Stop);
        let rewritten = |chunks: &[&[u8]]| {
            let mut count = 0;
            joined(items(chunks, &decoder, oversize, |_, edited| {
                edit(decisions[count % decisions.len()], edited);
                count += 1;
            }))
        };
        let whole = rewritten(&[&stream[..]]);
        // What is appended to a block that ends with CR LF takes the place of the LF if that is in another chunk.
        let without_lf = |items: &[Item]| -> Vec<Item> {
            let without = |bytes: &Vec<u8>| bytes.iter().copied().filter(|byte| *byte != b'\n').collect();
            items.iter().map(|item| item.as_ref().map(without).map_err(Clone::clone)).collect()
        };
        prop_assert_eq!(without_lf(&rewritten(&cut(&stream, &sizes))), without_lf(&whole));
        let is_invalid = {
            let (mut decoder, mut input) = (decoder.clone(), &stream[..]);
            while decoder.position() != Position::Ended && (decoder.decode_block(&mut input) != Ok(None)) {}
            decoder.position() == Position::Ended
        };
        let invalid = whole.iter().position(|item| matches!(item, Err(error) if error.contains("UTF-8")));
        prop_assert!(!is_invalid || invalid.is_some(), "{:?}", whole);
        prop_assert!(invalid.is_none_or(|place| place + 1 == whole.len()), "{:?}", whole);
    }

    /// A `retry` whose line was complete before the block became too large is decided after the error was returned.
    #[test]
    fn a_retry_before_the_limit_is_not_lost(
        retry in 0..100_u8,
        size in 1..40_usize,
        sizes in any_cut(),
        end in select(vec!["\n", "\r\n", "\r"]),
        is_kept: bool,
    ) {
        let stream = format!("retry: {retry}{end}data:{}{end}{end}", "x".repeat(size));
        let limit = format!("retry: {retry}\n").len();
        let log = RefCell::new(Vec::new());
        let function = |item: BlockItemRef<'_>, edit: &mut Edit<'_>| {
            log.borrow_mut().push(format!("{:?}", item.block().unwrap().retry()));
            if !is_kept {
                edit.replace(&Comment::new("removed"));
            }
        };
        let chunks = cut(stream.as_bytes(), &sizes).into_iter().map(|chunk| Ok::<_, Infallible>(chunk.to_vec()));
        let chunks: Vec<_> = chunks.collect();
        let decoder = Decoder::new().with_max_event_size(limit);
        let mut rewrite = Rewrite::new(stream::iter(chunks), function).with_decoder(decoder);
        while let Some(item) = rewrite.next().now_or_never().unwrap() {
            log.borrow_mut().push(match item {
                Ok(output) => format!("{output:?}"),
                Err(Error::Decode(error)) => naive::word(error),
                Err(Error::Transport(never)) => match never {},
                Err(other) => panic!("{other:?}"),
            });
        }
        let output = if is_kept { format!("b\"retry: {retry}\\n\\n\"") } else { "b\": removed\\n\\n\"".to_owned() };
        let retry = format!("{:?}", Some(Duration::from_millis(retry.into())));
        prop_assert_eq!(log.into_inner(), ["event too large".to_owned(), retry, output]);
    }

    /// A block without a decision is passed on byte for byte.
    #[test]
    fn kept_blocks_are_unchanged(stream in any_stream(), sizes in any_cut()) {
        let stream = without_comments(stream);
        let output = items(&cut(&stream, &sizes), &Decoder::new(), Oversize::Error, |_, _| {});
        prop_assert_eq!(output.into_iter().flat_map(Result::unwrap).collect::<Vec<_>>(), stream);
    }
}
