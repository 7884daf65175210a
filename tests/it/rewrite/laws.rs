//! In any chunks the output is that of the naive twin, and its readers see what the function decided.

use super::{Decision, decided, edit, items, joined, naive};
use crate::stream_generator::{any_cut, any_stream, cut};
use eventwire::{Block, Decoder, Eof, InvalidUtf8, Oversize};
use proptest::{collection::vec, prelude::*, sample::select};

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
    let invalid = prop_oneof![3 => Just(InvalidUtf8::Replace), 1 => Just(InvalidUtf8::Error)];
    (eof, limit, invalid).prop_map(|(eof, limit, invalid)| {
        Decoder::new().with_eof(eof).with_max_event_size(limit).with_invalid_utf8(invalid)
    })
}

/// All blocks of a stream, errors left out.
fn blocks(stream: &[u8], decoder: &Decoder) -> Vec<Block> {
    let (mut decoder, mut input, mut blocks) = (decoder.clone(), stream, Vec::new());
    loop {
        match decoder.decode_block(&mut input) {
            Ok(None) => break,
            Ok(Some(block)) => blocks.push(block.to_block()),
            Err(_) => {}
        }
    }
    loop {
        match decoder.finish_block() {
            Ok(None) => return blocks,
            Ok(Some(block)) => blocks.push(block),
            Err(_) => {}
        }
    }
}

/// The block, if it is an event, without an ID that another block set.
fn own(block: Block) -> Block {
    match block {
        Block::Event(event) => Block::Event(event.without_inherited_id()),
        other => other,
    }
}

/// The stream with another byte where each comment begins, and ended.
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
    fn any_cut_the_output_of_the_naive_twin(
        stream in any_stream(),
        sizes in any_cut(),
        decisions in vec(any_decision(), 1..8),
        decoder in any_decoder(),
        oversize in select(vec![Oversize::Error, Oversize::Pass]),
    ) {
        let mut seen = Vec::new();
        let output = items(&cut(&stream, &sizes), &decoder, oversize, |block, edited| {
            edit(decisions[seen.len() % decisions.len()], edited);
            seen.push(block.to_block());
        });
        let mut naive_seen = Vec::new();
        let expected = naive::rewrite(&stream, &decoder, oversize, &mut |block| {
            let (is_kept, written) = decided(decisions[naive_seen.len() % decisions.len()]);
            naive_seen.push(block.to_block());
            (is_kept, written.iter().flat_map(Block::to_bytes).collect())
        });
        prop_assert_eq!(joined(output), joined(expected));
        prop_assert_eq!(seen, naive_seen);
    }

    /// Law 10 of a `Rewrite`: the function sees what a reader of the input would see, and a reader of the output sees
    /// what it decided.
    #[test]
    fn a_reader_of_the_output_sees_what_was_decided(
        stream in any_stream(),
        sizes in any_cut(),
        decisions in vec(any_decision(), 1..8),
        eof in select(vec![Eof::Discard, Eof::Dispatch]),
    ) {
        let decoder = Decoder::new().with_eof(eof);
        let (mut seen, mut expected) = (Vec::new(), Vec::new());
        let output = items(&cut(&stream, &sizes), &decoder, Oversize::Error, |block, edited| {
            let decision = decisions[seen.len() % decisions.len()];
            seen.push(block.to_block());
            let (is_kept, written) = decided(decision);
            expected.extend(is_kept.then(|| own(block.to_block())));
            expected.extend(written);
            edit(decision, edited);
        });
        prop_assert_eq!(seen, blocks(&stream, &decoder));
        let output = output.into_iter().flat_map(Result::unwrap).collect::<Vec<_>>();
        let found: Vec<_> = blocks(&output, &Decoder::new().with_eof(Eof::Error)).into_iter().map(own).collect();
        prop_assert_eq!(found, expected, "{}", output.escape_ascii());
    }

    /// A block that nothing is said about is passed on byte for byte.
    #[test]
    fn what_is_kept_is_not_changed(stream in any_stream(), sizes in any_cut()) {
        let stream = without_comments(stream);
        let output = items(&cut(&stream, &sizes), &Decoder::new(), Oversize::Error, |_, _| {});
        prop_assert_eq!(output.into_iter().flat_map(Result::unwrap).collect::<Vec<_>>(), stream);
    }
}
