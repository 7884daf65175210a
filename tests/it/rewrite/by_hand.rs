//! What the laws cannot reach: when output is returned, what it shares with its chunk, panics, and parts.

use super::{items, naive};
use crate::scripted_source::{
    Answer::{self, Chunk, Failure, Pending},
    Script,
};
use bytes::Bytes;
use eventwire::{
    Block, BlockItem, BlockItemRef, BlockRef, Comment, Decoder, Edit, Eof, Error, Event, EventRef, InvalidUtf8,
    Oversize, Rewrite,
};
use futures_util::{FutureExt, Stream, StreamExt, stream, stream::FusedStream};
use std::{
    cell::{Cell, RefCell},
    convert::Infallible,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// Drops comments and events with the data `drop`, replaces `shout` by capital letters, and answers `ask`.
fn rule(item: BlockItemRef<'_>, edit: &mut Edit<'_>) {
    match item {
        BlockItemRef::Comment("keep") => {}
        BlockItemRef::Comment(_) => edit.remove(),
        BlockItemRef::Block(block) => match block.data() {
            Some("drop") => edit.remove(),
            Some("shout") => edit.replace(block.with_data("SHOUT")),
            Some("ask") => edit.append(EventRef::new("answer")),
            _ => {}
        },
    }
}

/// The answers of a source, and each item of the output with how often the source was polled before it.
type Row<'a> = (&'a str, Decoder, Oversize, &'a [Answer], &'a [(&'a str, usize)]);

#[test]
fn each_item_is_returned_as_early_as_possible() {
    let plain = Decoder::new;
    let limit = |limit| Decoder::new().with_max_event_size(limit);
    let table: &[Row<'_>] = &[
        (
            "the LF of a removed line",
            plain(),
            Oversize::Error,
            &[Chunk("data: drop\r\n\r"), Chunk("\ndata: 1\r\n\r\n")],
            &[("data: 1\r\n\r\n", 2)],
        ),
        (
            "a comment between a CR and the LF of a blank line",
            plain(),
            Oversize::Error,
            &[Chunk("data: 1\r: c\n\ndata: 2\n\n")],
            &[("data: 1\n\ndata: 2\n\n", 1)],
        ),
        (
            "a truncated comment",
            limit(10).with_eof(Eof::Dispatch),
            Oversize::Pass,
            &[Chunk("data: 1\n: 0123456789")],
            &[(": 0123456789", 1), ("\ndata: 1\n\n", 2)],
        ),
        (
            "a truncated comment alone",
            limit(10).with_eof(Eof::Dispatch),
            Oversize::Pass,
            &[Chunk(": 0123456789")],
            &[(": 0123456789", 1), ("\n", 2)],
        ),
        (
            "a truncated comment in a block that is passed on",
            limit(10).with_eof(Eof::Dispatch),
            Oversize::Pass,
            &[Chunk("data: 0123456789\n: 0123456789")],
            &[("data: 0123456789\n: 0123456789", 1)],
        ),
        (
            "a truncated comment that is removed",
            limit(10).with_eof(Eof::Dispatch),
            Oversize::Error,
            &[Chunk(": 0123456789")],
            &[("comment too large", 1)],
        ),
        (
            "a truncated line without a colon of just the limit",
            limit(4).with_eof(Eof::Dispatch),
            Oversize::Error,
            &[Chunk("data")],
            &[("data\n\n", 2)],
        ),
        (
            "U+FEFF after a removed block",
            plain(),
            Oversize::Error,
            &[Chunk("data: drop\n\n\u{FEFF}data: 1\n\n")],
            &[("\n\u{FEFF}data: 1\n\n", 1)],
        ),
        (
            "a byte order mark",
            plain(),
            Oversize::Error,
            &[Chunk("\u{FEFF}"), Chunk("data: drop\n\ndata: 1\n\n")],
            &[("\u{FEFF}", 1), ("data: 1\n\n", 2)],
        ),
        // A comment is returned at the end of its line, although the block around it is stored.
        (
            "a comment inside a block",
            plain(),
            Oversize::Error,
            &[Chunk("data: 1\n: ke"), Chunk("ep\r"), Chunk("\ndata: 2\n\n")],
            &[(": keep\r", 2), ("\ndata: 1\ndata: 2\n\n", 3)],
        ),
        (
            "an appended block",
            plain(),
            Oversize::Error,
            &[Chunk("data: ask\r\n\r\n"), Chunk("data: ask\r\n\r"), Chunk("\ndata: 1\n\n")],
            &[("data: ask\r\n\r\ndata: answer\n\n", 1), ("data: ask\r\n\rdata: answer\n\n", 2), ("data: 1\n\n", 3)],
        ),
        (
            "one chunk becomes one chunk",
            plain(),
            Oversize::Error,
            &[
                Chunk("data: 1\n\n: c\n\ndata: shout\n\ndata: drop\n\ndata: ask\n\n"),
                Chunk(": c\n\n"),
                Chunk("data: 2\n\n"),
            ],
            &[("data: 1\n\ndata: SHOUT\n\ndata: ask\n\ndata: answer\n\n", 1), ("data: 2\n\n", 3)],
        ),
        (
            "an error between output",
            limit(11),
            Oversize::Error,
            &[Chunk("data: 1\n\ndata: 12345\n\ndata: 2\n\nda"), Chunk(""), Chunk("ta: 3\n\n")],
            &[("data: 1\n\n", 1), ("event too large", 1), ("data: 2\n\n", 1), ("data: 3\n\n", 3)],
        ),
        (
            "an error that ends its chunk, and a `retry` after it",
            limit(11),
            Oversize::Error,
            &[Chunk("retry: 5\ndata"), Chunk("\n\n")],
            &[("event too large", 1), ("retry: 5\n\n", 1)],
        ),
        (
            "a block of two chunks that is checked",
            plain().with_invalid_utf8(InvalidUtf8::Reject),
            Oversize::Error,
            &[Chunk("data: 1\n\nid: 7\n"), Chunk("data: 2\n\n")],
            &[("data: 1\n\n", 1), ("id: 7\ndata: 2\n\n", 2)],
        ),
        (
            "a truncated block and its `retry`",
            plain(),
            Oversize::Error,
            &[Chunk("data: 1\n\nretry: 5\ndata: 2")],
            &[("data: 1\n\n", 1)],
        ),
        (
            "a truncated line without effect",
            plain().with_eof(Eof::Error),
            Oversize::Error,
            &[Chunk("data: 1\n\nfoo")],
            &[("data: 1\n\n", 1), ("the stream is truncated: it ended inside an event", 2)],
        ),
        (
            "a truncated block of just the limit",
            limit(7).with_eof(Eof::Dispatch),
            Oversize::Error,
            &[Chunk("data: 1")],
            &[("data: 1\n\n", 2)],
        ),
        (
            "a source that fails and continues",
            plain().with_eof(Eof::Dispatch),
            Oversize::Error,
            &[Chunk("data: 1\n\nda"), Failure("slow"), Chunk("ta: 2\n\ndata: 3\n")],
            &[("data: 1\n\n", 1), ("failure: slow", 2), ("data: 2\n\n", 3), ("data: 3\n\n", 4)],
        ),
        (
            "a source that ends after a failure",
            plain().with_eof(Eof::Dispatch),
            Oversize::Error,
            &[Chunk("data: 1\n\nda"), Failure("reset")],
            &[("data: 1\n\n", 1), ("failure: reset", 2)],
        ),
    ];
    for (name, decoder, oversize, answers, expected) in table {
        let hesitant: Vec<_> = answers.iter().flat_map(|answer| [Pending, *answer]).chain([Pending]).collect();
        for answers in [answers, &hesitant[..]] {
            let rewrite = Rewrite::new(Script::new(answers), rule);
            let mut rewrite = rewrite.with_decoder(decoder.clone()).with_oversize(*oversize);
            let mut items = Vec::new();
            loop {
                // Here a pending `next()` is dropped, and must lose nothing.
                let word = match rewrite.next().now_or_never() {
                    None => continue,
                    Some(None) => break,
                    Some(Some(Ok(output))) => String::from_utf8(output.to_vec()).unwrap(),
                    Some(Some(Err(Error::Transport(failure)))) => format!("failure: {failure}"),
                    Some(Some(Err(Error::Decode(error)))) => naive::word(error),
                    Some(Some(Err(other))) => panic!("{other:?}"),
                };
                items.push((word, rewrite.get_ref().asked()));
            }
            let expected: Vec<_> = expected.iter().map(|(word, asked)| ((*word).to_owned(), *asked)).collect();
            assert_eq!(items, expected, "{name}");
            assert!(rewrite.is_terminated() && rewrite.next().now_or_never().unwrap().is_none(), "{name}");
        }
    }
}

/// Also if all of a chunk is removed, and all of the next one is kept.
#[test]
fn each_block_is_shown_once() {
    let chunks = ["data: 1\n\n", "data: drop\n\n", "data: 2\n\n", "data: 3\n\n"];
    let mut seen = Vec::new();
    let source = stream::iter(chunks.map(Ok::<_, Infallible>));
    let rewrite = Rewrite::new(source, |item: BlockItemRef<'_>, edit: &mut Edit<'_>| {
        seen.push(item.event().expect("an event").data().to_owned());
        rule(item, edit);
    });
    let output: Vec<_> = rewrite.map(Result::unwrap).collect().now_or_never().unwrap();
    assert_eq!(output, ["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"]);
    assert_eq!(seen, ["1", "drop", "2", "3"]);
}

/// After a run that ends with a CR, and a comment that is removed.
#[test]
fn the_output_after_a_cr_does_not_depend_on_the_chunks() {
    let stream = "data: a\r\n\r:x\n\ndata: b\n\n";
    for place in 0..stream.len() {
        let (first, second) = stream.split_at(place);
        let source = stream::iter([Ok::<_, Infallible>(first), Ok(second)]);
        let rewrite = Rewrite::new(source, |item: BlockItemRef<'_>, edit: &mut Edit<'_>| {
            if matches!(item, BlockItemRef::Comment(_)) {
                edit.remove();
            }
        });
        let output: Vec<_> = rewrite.map(Result::unwrap).collect().now_or_never().unwrap();
        assert_eq!(output.concat(), b"data: a\r\n\rdata: b\n\n", "{place}");
    }
}

#[test]
fn a_chunk_in_which_all_is_kept_is_passed_on_without_a_copy() {
    let chunk = Bytes::from("data: 1\n\n: c\n\ndata: 2\n\nid: 1\n\ndata: 3\n\nda".to_owned());
    let removed = RefCell::new("");
    let source = stream::iter([Ok::<_, Infallible>(chunk.clone()), Ok(Bytes::from_static(b"ta: 4\n\n"))]);
    let mut rewrite = Rewrite::new(source.clone(), |_, _| {});
    let output = rewrite.next().now_or_never().unwrap().unwrap().unwrap();
    assert_eq!((output.as_ptr(), &output[..]), (chunk.as_ptr(), &chunk[..chunk.len() - 2]));
    // Removing a block at its start or its end does not matter.
    for data in ["1", "3"] {
        removed.replace(data);
        let mut rewrite = Rewrite::new(source.clone(), |item: BlockItemRef<'_>, edit: &mut Edit<'_>| {
            if item.event().is_some_and(|event| event.data() == *removed.borrow()) {
                edit.remove();
            }
        });
        let output = rewrite.next().now_or_never().unwrap().unwrap().unwrap();
        assert!(chunk.as_ptr_range().contains(&output.as_ptr()), "without {data}");
        assert_eq!(output.len(), chunk.len() - 2 - 9);
    }
}

#[test]
fn everything_that_can_be_read_can_be_written() {
    let function = |item: BlockItemRef<'_>, edit: &mut Edit<'_>| {
        edit.append(item);
        edit.append(EventRef::new("1"));
        edit.append(BlockRef::from(&Block::default().with_data("2")));
        edit.append(&Comment::new("3"));
        edit.append(&BlockItem::Block(Event::new("4").into()));
        assert_eq!(format!("{edit:?}"), "Edit { is_removed: false, .. }");
    };
    let output = items(&[b"data\n\n"], &Decoder::new(), Oversize::Error, function);
    let expected = "data\n\ndata: \n\ndata: 1\n\ndata: 2\n\n: 3\n\ndata: 4\n\n";
    assert_eq!(output, [Ok(expected.as_bytes().to_vec())]);
}

#[test]
fn after_the_end_its_decoder_is_at_the_start_of_a_stream() {
    for answers in [
        &[][..],
        &[Chunk("data: 1\n\n")],
        &[Chunk("data: 1\n\nda")],
        &[Chunk("data: 0123456789")],
        &[Chunk("\u{FEFF}: c")],
        &[Chunk("data: 1\n\nda"), Failure("reset")],
    ] {
        for eof in [Eof::Discard, Eof::Dispatch, Eof::Error] {
            let decoder = Decoder::new().with_max_event_size(12).with_eof(eof);
            let mut rewrite = Rewrite::new(Script::new(answers), rule).with_decoder(decoder);
            while rewrite.next().now_or_never().unwrap().is_some() {}
            let mut decoder = rewrite.decoder().clone();
            let event = decoder.decode(&mut &b"\xEF\xBB\xBFdata: 2\n\n"[..]).unwrap();
            assert_eq!(event.map(|event| event.data().to_owned()).as_deref(), Some("2"), "{answers:?}, {eof:?}");
        }
    }
}

#[test]
fn it_can_be_taken_apart() {
    let source = stream::iter([Ok::<_, Infallible>("id: 7\ndata: 1\n\ndata")]);
    // The unfinished block of a decoder is dropped, before and after.
    let mut decoder = Decoder::new().with_max_event_size(100);
    assert!(decoder.decode(&mut &b"da"[..]).unwrap().is_none());
    let mut rewrite = Rewrite::new(source, rule).with_oversize(Oversize::Pass).with_decoder(decoder);
    assert_eq!(rewrite.next().now_or_never().unwrap().unwrap().unwrap(), "id: 7\ndata: 1\n\n");
    assert_eq!(rewrite.decoder().last_event_id(), "7");
    let mut decoder = rewrite.decoder().clone();
    decoder.reset();
    let mut source = rewrite.into_inner();
    assert!(source.next().now_or_never().unwrap().is_none());
    assert_eq!((decoder.last_event_id(), decoder.max_event_size()), ("7", 100));
    assert!(decoder.decode(&mut &b"\xEF\xBB\xBFdata: 2\n\n"[..]).unwrap().is_some());
}

#[test]
fn the_decoder_counts_the_byte_order_mark() {
    for chunks in [&[&b"\xEF\xBB\xBFdata: 1\n\n"[..]][..], &[b"\xEF", b"\xBB", b"\xBFdata: ", b"1\n\n"]] {
        let source = stream::iter(chunks.iter().copied().map(Ok::<_, Infallible>)).chain(stream::pending());
        let mut rewrite = Rewrite::new(source, |_, _| {});
        let mut output = Vec::new();
        while let Some(chunk) = rewrite.next().now_or_never() {
            output.extend_from_slice(&chunk.unwrap().unwrap());
        }
        assert_eq!((output, rewrite.decoder().bytes_read()), (chunks.concat(), 12));
    }
}

/// Polls until a panic, and checks that every later poll panics as well. Returns the output before.
fn until_panic<S, B>(rewrite: &mut Rewrite<S, impl FnMut(BlockItemRef<'_>, &mut Edit<'_>)>) -> String
where
    S: Stream<Item = Result<B, crate::scripted_source::Failure>> + Unpin,
    B: Into<Bytes>,
{
    let mut output = Vec::new();
    while let Ok(item) = catch_unwind(AssertUnwindSafe(|| rewrite.next().now_or_never())) {
        output.extend_from_slice(&item.unwrap().expect("a panic before the end").unwrap());
    }
    for _ in 0..3 {
        let panic = catch_unwind(AssertUnwindSafe(|| rewrite.next().now_or_never())).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"`Rewrite` polled after a panic"));
    }
    String::from_utf8(output).unwrap()
}

#[test]
fn after_a_panic_of_the_function_every_poll_panics() {
    let answers = [Chunk("data: 1\n\n"), Chunk("data: 2\n\n: c\n\nid: 3\nretry: 4\n\n"), Chunk("data: 5\n")];
    let before = ["", "data: 1\n\n", "data: 1\n\n", "data: 1\n\n"];
    let at_end = "data: 1\n\ndata: 2\n\n: c\n\nid: 3\nretry: 4\n\n";
    for (last, expected) in before.into_iter().chain([at_end]).enumerate() {
        let calls = Cell::new(0);
        let function = |_: BlockItemRef<'_>, _: &mut Edit<'_>| {
            calls.set(calls.get() + 1);
            assert!(calls.get() <= last, "the function panics");
        };
        let decoder = Decoder::new().with_eof(Eof::Dispatch);
        let mut rewrite = Rewrite::new(Script::new(&answers), function).with_decoder(decoder);
        assert_eq!(until_panic(&mut rewrite), expected);
        assert_eq!(calls.get(), last + 1);
        assert!(!rewrite.is_terminated());
    }
}

#[test]
fn after_a_chunk_that_cannot_be_converted_every_poll_panics() {
    struct Broken;

    impl From<Broken> for Bytes {
        fn from(_: Broken) -> Bytes {
            panic!("no bytes");
        }
    }

    assert_eq!(until_panic(&mut Rewrite::new(stream::repeat_with(|| Ok(Broken)), |_, _| {})), "");
}
