//! `Rewrite` case by case. The same behaviour as in `laws`, with readable streams.

use super::{items, joined, naive, new_block};
use crate::scripted_source::{
    Answer::{self, Chunk, Failure, Pending},
    Script,
};
use bytes::Bytes;
use eventwire::{Block, BlockRef, Comment, Decoder, Edit, Eof, Error, Event, EventRef, InvalidUtf8, Oversize, Rewrite};
use futures_util::{FutureExt, Stream, StreamExt, stream, stream::FusedStream};
use std::{
    cell::{Cell, RefCell},
    convert::Infallible,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// Drops comments and events with the data `drop`, replaces `shout` by capital letters, and answers `ask`.
fn rule(block: BlockRef<'_>, edit: &mut Edit<'_>) {
    match block {
        BlockRef::Comment(text) if text != "keep" => edit.remove(),
        BlockRef::Event(event) => match event.data() {
            "drop" => edit.remove(),
            "shout" => edit.replace(&event.without_inherited_id().with_data("SHOUT")),
            "ask" => edit.append(&EventRef::new("answer")),
            _ => {}
        },
        _ => {}
    }
}

/// Checks the output of `rule`: unsplit, and split in three at every pair of places, with empty chunks.
#[track_caller]
fn check_with(decoder: &Decoder, oversize: Oversize, stream: &str, expected: &[Result<&str, &str>]) {
    let expected: Vec<_> =
        expected.iter().map(|item| item.map(|text| text.as_bytes().to_vec()).map_err(str::to_owned)).collect();
    let stream = stream.as_bytes();
    for i in 0..=stream.len() {
        for j in i..=stream.len() {
            let chunks = [&stream[..i], b"", &stream[i..j], &stream[j..], b""];
            assert_eq!(joined(items(&chunks, decoder, oversize, rule)), expected, "split at {i} and {j}");
        }
    }
}

#[track_caller]
fn check(stream: &str, expected: &str) {
    let expected: &[_] = if expected.is_empty() { &[] } else { &[Ok(expected)] };
    check_with(&Decoder::new(), Oversize::Error, stream, expected);
}

#[test]
fn blocks_are_kept_removed_replaced_and_followed_by_others() {
    check("data: 1\n\ndata: drop\n\nid: 2\ndata:3\n\n", "data: 1\n\nid: 2\ndata:3\n\n");
    check("id: 1\n\nevent: t\ndata: shout\n\ndata: 1\n\n", "id: 1\n\nevent: t\ndata: SHOUT\n\ndata: 1\n\n");
    check("data: ask\n\ndata: 1\n\n", "data: ask\n\ndata: answer\n\ndata: 1\n\n");
    check("data: drop\n\n: c\n\ndata: drop\n\n", "");
}

#[test]
fn blocks_without_meaning_are_kept() {
    check("\n\nfoo: bar\nretry: x\n\n\r\n\r\r", "\n\nfoo: bar\nretry: x\n\n\r\n\r\r");
    check("foo: bar\ndata: drop\n\n", "");
    check("foo: bar\n: c\nbaz\n\n", "foo: bar\nbaz\n\n");
}

#[test]
fn a_blank_line_belongs_to_the_comments_before_it() {
    check(": c\n\n: d\n: keep\n\n:keep\n: e\n\n", ": keep\n\n:keep\n\n");
    check(": c\n\n\n: d\ndata: 1\n\n", "\ndata: 1\n\n");
    check("data: drop\n: keep\n\n", ": keep\n");
}

#[test]
fn a_comment_is_passed_on_before_the_event_around_it() {
    check("data: 1\n: keep\ndata: 2\n: c\n: keep\n\n", ": keep\n: keep\ndata: 1\ndata: 2\n\n");
    check("data: drop\r\n: keep\r\n\r\n", ": keep\r\n");
    // At the end of its line, although the event is stored.
    let mut output = Vec::new();
    let answers = [Chunk("data: 1\n: ke"), Chunk("ep\r"), Chunk("\ndata: 2\n\n")];
    let mut rewrite = Rewrite::new(Script::new(&answers), |_, _| {});
    while let Some(Ok(bytes)) = rewrite.next().now_or_never().unwrap() {
        output.push((bytes, rewrite.get_ref().asked()));
    }
    assert_eq!(output, [(": keep\r".into(), 2), ("\ndata: 1\ndata: 2\n\n".into(), 3)]);
}

#[test]
fn an_lf_belongs_to_the_cr_before_it() {
    check("data: drop\r\n\r\ndata: 1\r\n\r\n", "data: 1\r\n\r\n");
    check("data: 1\r\n: c\r\ndata: 2\r\n: keep\r\n\r\n", ": keep\r\ndata: 1\r\ndata: 2\r\n\r\n");
    check("data: shout\r\r\n\n", "data: SHOUT\n\n\n");
    check(": c\r\n\r\n\r\n: keep\r\n\r\n", "\r\n: keep\r\n\r\n");
}

#[test]
fn an_appended_block_comes_after_the_lf_unless_a_chunk_ends_before_it() {
    let stream = "data: ask\r\n\r\ndata: 1\r\n\r\n";
    for i in 0..=stream.len() {
        let (first, rest) = stream.split_at(i);
        let output = joined(items(&[first.as_bytes(), rest.as_bytes()], &Decoder::new(), Oversize::Error, rule));
        let lf = if first.ends_with("ask\r\n\r") { "" } else { "\n" };
        let expected = format!("data: ask\r\n\r{lf}data: answer\n\ndata: 1\r\n\r\n");
        assert_eq!(output, [Ok(expected.into_bytes())], "split at {i}");
    }
    let append = |_: BlockRef<'_>, edit: &mut Edit<'_>| edit.append(&Comment::new("new"));
    let output = items(&[b": c\r\n\r\n"], &Decoder::new(), Oversize::Error, append);
    assert_eq!(output, [Ok(b": c\r\n: new\n\n\r\n".to_vec())]);
    // An LF that is a separate line end is not affected.
    let output = items(&[b"data: 1\n\n\n"], &Decoder::new(), Oversize::Error, append);
    assert_eq!(output, [Ok(b"data: 1\n\n: new\n\n\n".to_vec())]);
}

#[test]
fn appending_to_a_block_without_data_does_not_change_it() {
    let stream = b"id:7\r\nfoo: bar\r\nretry:5\r\n\r\n";
    let append = |block: BlockRef<'_>, edit: &mut Edit<'_>| match block {
        BlockRef::Id(_) => edit.append(&Comment::new("one")),
        _ => {
            edit.append(&Comment::new("two"));
            edit.append(&Comment::new("three"));
        }
    };
    let output = items(&[stream], &Decoder::new(), Oversize::Error, append);
    let expected = [&stream[..], b": one\n\n: two\n\n: three\n\n"].concat();
    assert_eq!(output, [Ok(expected)]);
    let output =
        items(&[b"id:7\nfoo: bar\nretry:5\nevent\n\n"], &Decoder::new(), Oversize::Error, |block, edit| match block {
            BlockRef::Id(_) => edit.append(&Comment::new("one")),
            _ => edit.replace(&Comment::new("two")),
        });
    assert_eq!(output, [Ok(b"id: 7\n\n: one\n\n: two\n\n".to_vec())]);
}

#[test]
fn the_retry_of_a_block_too_large_is_decided_after_the_error() {
    let decoder = Decoder::new().with_max_event_size(12);
    let check = |stream: &str, expected: &[Result<&str, &str>]| check_with(&decoder, Oversize::Error, stream, expected);
    let error = Err("event too large");
    check("retry: 5\ndata: 0123456789\n\n", &[error, Ok("retry: 5\n\n")]);
    check("retry: 5\ndata: 0123456789", &[error, Ok("retry: 5\n\n")]);
    check("retry:5\r\nfoo: 0123456789\r\n\r\ndata: 1\n\n", &[error, Ok("retry: 5\n\ndata: 1\n\n")]);
    check("retry:5\n: keep\nfoo: bar\n: keep\n\n", &[Ok(": keep\n"), error, Ok("retry: 5\n\n: keep\n")]);
    // A `retry` after the limit, or in whose line the block becomes too large, is ignored.
    check("data: 0123456789\nretry: 5\n\n", &[error]);
    check("data: 1\nretry: 5\n\n", &[error]);
    check("id\nretry: 1234\n\ndata: 1\n\n", &[error, Ok("data: 1\n\n")]);
    // An event after it may begin with a byte order mark.
    check("retry:5\nfoo: 01234\n\n\u{FEFF}data:1\n\n", &[error, Ok("retry: 5\n\n\u{FEFF}data:1\n\n")]);
    let remove = |_: BlockRef<'_>, edit: &mut Edit<'_>| edit.remove();
    let output = items(&[b"retry: 5\ndata: 0123456789\n\n\xEF\xBB\xBFx"], &decoder, Oversize::Error, remove);
    assert_eq!(output, [Err("event too large".to_owned())]);
    // The time takes effect, as in a decoder.
    let source = stream::iter([Ok::<_, Infallible>("retry: 5\nid: 7\ndata: 0123456789\n\n")]);
    let mut rewrite = Rewrite::with_decoder(source, |_, _| {}, Decoder::new().with_max_event_size(16));
    while rewrite.next().now_or_never().unwrap().is_some() {}
    assert_eq!(rewrite.decoder().reconnection_time(), Some(std::time::Duration::from_millis(5)));
    assert_eq!(rewrite.decoder().last_event_id(), "");
}

#[test]
fn an_unfinished_comment_is_not_joined_with_later_output() {
    let stream = "retry: 5\n: 0123456789";
    for (eof, expected) in [
        (Eof::Discard, &[Ok(": 0123456789\nretry: 5\n\n")][..]),
        (Eof::Error, &[Ok(": 0123456789\nretry: 5\n\n"), Err("the stream ended in the middle of an event")]),
        (Eof::Dispatch, &[Ok(": 0123456789\nretry: 5\n\n")]),
    ] {
        // A block that is only a `retry` is complete.
        let expected = if eof == Eof::Error { &expected[..1] } else { expected };
        check_with(&Decoder::new().with_max_event_size(10).with_eof(eof), Oversize::Pass, stream, expected);
    }
    let decoder = Decoder::new().with_max_event_size(10);
    check_with(&decoder, Oversize::Pass, "data\n: 0123456789", &[Ok(": 0123456789")]);
}

#[test]
fn a_cr_and_an_lf_around_a_removed_comment_stay_two_line_ends() {
    check("data: 1\r: c\n\ndata: 2\n\n", "data: 1\r\n\ndata: 2\n\n");
    check("data: 1\r: keep\r\n\n", ": keep\r\ndata: 1\r\n\n");
    check("data: 1\r: c\r\rdata: drop\n\n", "data: 1\r\r");
}

#[test]
fn a_byte_order_mark_is_passed_on_and_none_is_created() {
    check("\u{FEFF}data: drop\n\ndata: 1\n\n", "\u{FEFF}data: 1\n\n");
    check("\u{FEFF}\u{FEFF}data: drop\n\n", "\u{FEFF}\u{FEFF}data: drop\n\n");
    check("\u{FEFF}: c\n\n", "\u{FEFF}");
    // The first byte of a byte order mark, but no byte order mark.
    check("\u{F000}: x\n\n", "\u{F000}: x\n\n");
    check("\u{FEFE}: x\ndata: drop\n\n", "");
    // This is an unknown field, and would become data at the start of the stream.
    check("data: drop\n\n\u{FEFF}data: 1\n\n", "\n\u{FEFF}data: 1\n\n");
    check(": c\n\u{FEFF}data: 1\n\n", "\n\u{FEFF}data: 1\n\n");
    check("data: drop\n\n\u{FEFF}\ndata: shout\n\n", "data: SHOUT\n\n");
    check("data: 1\n\ndata: drop\n\n\u{FEFF}x\n\n", "data: 1\n\n\u{FEFF}x\n\n");
}

#[test]
fn a_byte_order_mark_is_passed_on_at_once() {
    let chunks = stream::iter(["\u{FEFF}", "data: 1\n\n"].map(Ok::<_, Infallible>));
    let output: Vec<_> = Rewrite::new(chunks, |_, _| {}).collect().now_or_never().unwrap();
    assert_eq!(output, [Ok("\u{FEFF}".into()), Ok("data: 1\n\n".into())]);
}

#[test]
fn items_of_a_block_without_data_are_decided_separately() {
    let stream = b"event: t\nretry: 5\nx\nid: 1\n\ndata: 1\n\n";
    let check = |removed: &str, expected: &str| {
        let function = |block: BlockRef<'_>, edit: &mut Edit<'_>| {
            let name = format!("{block:?}");
            if !removed.is_empty() && name.starts_with(removed) {
                edit.remove();
            } else if removed.is_empty() && name.starts_with("Retry") {
                edit.append(&new_block(0));
            }
        };
        for size in [1, 7, 100] {
            let chunks: Vec<_> = stream.chunks(size).collect();
            let output = joined(items(&chunks, &Decoder::new(), Oversize::Error, function));
            assert_eq!(output, [Ok(format!("{expected}data: 1\n\n").into_bytes())], "without {removed}");
        }
    };
    check("None", "event: t\nretry: 5\nx\nid: 1\n\n");
    check("Id", "retry: 5\n\nevent: t\n\n");
    check("Retry", "id: 1\n\nevent: t\n\n");
    check("Dataless", "id: 1\n\nretry: 5\n\n");
    check("", "event: t\nretry: 5\nx\nid: 1\n\ndata: new\n\n");
}

#[test]
fn a_block_too_large_is_an_error_in_its_place() {
    let decoder = Decoder::new().with_max_event_size(10);
    let check = |stream: &str, expected: &[Result<&str, &str>]| check_with(&decoder, Oversize::Error, stream, expected);
    check("data: 123\n\n", &[Ok("data: 123\n\n")]);
    check("data: 123\r\n\r\n", &[Ok("data: 123\r\n\r\n")]);
    check("data: 1\n\ndata: 1234\r\n\r\ndata: 2\n\n", &[Ok("data: 1\n\n"), Err("event too large"), Ok("data: 2\n\n")]);
    // This applies to any bytes.
    check("foo\ndata: 1\n\ndata: 2\n\n", &[Err("event too large"), Ok("data: 2\n\n")]);
    // Comments are still decided, and the blank line belongs to the block.
    check(
        ": keep\ndata: 12\n: keep\ndata: 3\n: keep\n:\n\ndata: 1\n\n",
        &[Ok(": keep\n: keep\n"), Err("event too large"), Ok(": keep\ndata: 1\n\n")],
    );
    check("data: 1\n: 12345678\ndata\n\n", &[Err("comment too large"), Err("event too large")]);
    check(
        "data: 1\n: 12345678\n\n: 234567890\n\n",
        &[Err("comment too large"), Ok("data: 1\n\n"), Err("comment too large")],
    );
}

#[test]
fn a_block_too_large_is_passed_on_if_that_is_wanted() {
    let decoder = Decoder::new().with_max_event_size(10);
    let check = |stream: &str, expected: &str| check_with(&decoder, Oversize::Pass, stream, &[Ok(expected)]);
    check("data: drop\n\ndata: shout\r\n\r\ndata: 1\n\n", "data: drop\n\ndata: shout\r\n\r\ndata: 1\n\n");
    // The comment before the first byte beyond the limit is decided and passed on first.
    check("data: 1\n: c\n: keep\ndata\n: c\n\n: c\ndata: 2\n\n", ": keep\ndata: 1\ndata\n: c\n\ndata: 2\n\n");
    check("data: 1\n: 12345678\r\ndata\n\n", ": 12345678\r\ndata: 1\ndata\n\n");
    check(": 12345678\n\n", ": 12345678\n\n");
}

#[test]
fn the_end_is_handled_as_set_in_the_decoder() {
    let check = |eof, stream: &str, expected: &[Result<&str, &str>]| {
        check_with(&Decoder::new().with_eof(eof), Oversize::Error, stream, expected);
    };
    let cut_off = Err("the stream ended in the middle of an event");
    for stream in ["data: 1\n\nid: 1\ndata: 2", "data: 1\n\nid: 1\ndata: 2\r", "data: 1\n\nid: 1\n: c\ndata"] {
        check(Eof::Discard, stream, &[Ok("data: 1\n\n")]);
        check(Eof::Error, stream, &[Ok("data: 1\n\n"), cut_off]);
    }
    check(Eof::Dispatch, "data: 1\n\ndata: 2", &[Ok("data: 1\n\ndata: 2\n\n")]);
    check(Eof::Dispatch, "data: 1\r", &[Ok("data: 1\r\n\n")]);
    check(Eof::Dispatch, "data: 1\n\ndata: drop", &[Ok("data: 1\n\n")]);
    check(Eof::Dispatch, "data: 1\n: keep", &[Ok(": keep\ndata: 1\n\n")]);
    // A reconnection time takes effect at the end of its line.
    check(Eof::Discard, "data: 1\n\nid: 1\nretry: 5\ndata: 2", &[Ok("data: 1\n\nretry: 5\n\n")]);
    check(Eof::Error, "retry: 5\ndata: 2", &[Ok("retry: 5\n\n"), cut_off]);
    for eof in [Eof::Discard, Eof::Error] {
        check(eof, "data: 1\n\n: keep", &[Ok("data: 1\n\n")]);
    }
    check(Eof::Discard, "\u{FEFF}", &[Ok("\u{FEFF}")]);
}

#[test]
fn an_event_of_just_the_limit_may_lack_its_end() {
    let decoder = Decoder::new().with_max_event_size(7).with_eof(Eof::Dispatch);
    check_with(&decoder, Oversize::Error, "data: 1", &[Ok("data: 1\n\n")]);
    check_with(&decoder, Oversize::Error, ": keep", &[Ok(": keep\n")]);
    check_with(&decoder, Oversize::Error, ": keep \n\ndata: 12", &[Err("comment too large"), Err("event too large")]);
}

#[test]
fn a_block_that_is_not_text_is_an_error_in_its_place() {
    let decoder = Decoder::new().with_invalid_utf8(InvalidUtf8::Reject);
    let stream: &[u8] = b"data: 1\n\nid: 7\ndata: \xFF\n\ndata: 2\n\n: \xFF\n\ndata: 3\n\n";
    let output = items(&[stream], &decoder, Oversize::Error, |_, _| {});
    let error = |name| Err(format!("the value of {name} is not valid UTF-8 (at byte 0)"));
    let data = |data: &str| Ok(format!("data: {data}\n\n").into_bytes());
    assert_eq!(output, [data("1"), error("`data`"), data("2"), error("a comment"), data("3")]);
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
        let mut rewrite = Rewrite::new(source.clone(), |block: BlockRef<'_>, edit: &mut Edit<'_>| {
            if matches!(block, BlockRef::Event(event) if event.data() == *removed.borrow()) {
                edit.remove();
            }
        });
        let output = rewrite.next().now_or_never().unwrap().unwrap().unwrap();
        assert!(chunk.as_ptr_range().contains(&output.as_ptr()), "without {data}");
        assert_eq!(output.len(), chunk.len() - 2 - 9);
    }
}

#[test]
fn a_chunk_becomes_one_chunk_at_most() {
    let stream = "data: 1\n\n: c\n\ndata: shout\n\ndata: drop\n\ndata: ask\n\ndata: 2\n\n";
    let output = items(&[stream.as_bytes(), b": c\n\n", b"data: 3\n\n"], &Decoder::new(), Oversize::Error, rule);
    let first = "data: 1\n\ndata: SHOUT\n\ndata: ask\n\ndata: answer\n\ndata: 2\n\n";
    assert_eq!(output, [Ok(first.as_bytes().to_vec()), Ok(b"data: 3\n\n".to_vec())]);
}

#[test]
fn everything_that_can_be_encoded_can_be_written() {
    let function = |_: BlockRef<'_>, edit: &mut Edit<'_>| {
        edit.append(&Event::new("1"));
        edit.append(&EventRef::new("2"));
        edit.append(&Comment::new("3"));
        edit.append(&Block::Event(Event::new("4")));
        edit.append(&BlockRef::Comment("5"));
        edit.append(&Event::new("6").encoded());
        edit.append(&Block::Encoded(Event::new("7").encoded()));
        assert_eq!(format!("{edit:?}"), "Edit { is_removed: false, .. }");
    };
    let output = items(&[b"data\n\n"], &Decoder::new(), Oversize::Error, function);
    let expected = "data\n\ndata: 1\n\ndata: 2\n\n: 3\n\ndata: 4\n\n: 5\n\ndata: 6\n\ndata: 7\n\n";
    assert_eq!(output, [Ok(expected.as_bytes().to_vec())]);
}

/// Checks the output over a source with these answers, and how often the source was polled when each item was
/// returned.
#[track_caller]
fn check_source(answers: &[Answer], decoder: &Decoder, expected: &[(&str, usize)]) {
    let hesitant: Vec<_> = answers.iter().flat_map(|answer| [Pending, *answer]).chain([Pending]).collect();
    for answers in [answers, &hesitant] {
        let mut rewrite = Rewrite::with_decoder(Script::new(answers), rule, decoder.clone());
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
        assert_eq!(items, expected);
        assert!(rewrite.is_terminated() && rewrite.next().now_or_never().unwrap().is_none());
    }
}

#[test]
fn the_source_is_polled_only_after_all_output_was_returned() {
    let answers = [Chunk("data: 1\n\ndata: 12345\n\ndata: 2\n\nda"), Chunk(""), Chunk("ta: 3\n\n")];
    let expected = [("data: 1\n\n", 1), ("event too large", 1), ("data: 2\n\n", 1), ("data: 3\n\n", 3)];
    check_source(&answers, &Decoder::new().with_max_event_size(11), &expected);
}

#[test]
fn after_an_error_of_the_source_the_rest_is_dropped_unless_it_continues() {
    let decoder = Decoder::new().with_eof(Eof::Dispatch);
    let answers = [Chunk("data: 1\n\nda"), Failure("slow"), Chunk("ta: 2\n\ndata: 3\n"), Failure("reset")];
    check_source(
        &answers,
        &decoder,
        &[("data: 1\n\n", 1), ("failure: slow", 2), ("data: 2\n\n", 3), ("failure: reset", 4)],
    );
    check_source(&[Failure("reset")], &decoder, &[("failure: reset", 1)]);
    check_source(
        &answers[..3],
        &decoder,
        &[("data: 1\n\n", 1), ("failure: slow", 2), ("data: 2\n\n", 3), ("data: 3\n\n", 4)],
    );
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
            let mut rewrite = Rewrite::with_decoder(Script::new(answers), rule, decoder);
            while rewrite.next().now_or_never().unwrap().is_some() {}
            let (_, _, mut decoder) = rewrite.into_parts();
            let event = decoder.decode(&mut &b"\xEF\xBB\xBFdata: 2\n\n"[..]).unwrap();
            assert_eq!(event.map(|event| event.data().to_owned()).as_deref(), Some("2"), "{answers:?}, {eof:?}");
        }
    }
    // The same before the stream begins.
    let (_, _, mut decoder) = Rewrite::new(Script::new(&[]), rule).into_parts();
    assert!(decoder.decode(&mut &b"\xEF\xBB\xBFdata: 2\n\n"[..]).unwrap().is_some());
}

#[test]
fn it_can_be_taken_apart() {
    let source = stream::iter([Ok::<_, Infallible>("id: 7\ndata: 1\n\ndata")]);
    let decoder = Decoder::new().with_max_event_size(100);
    let mut rewrite = Rewrite::with_decoder(source, rule, decoder);
    assert!(rewrite.next().now_or_never().is_some());
    assert_eq!(rewrite.decoder().last_event_id(), "7");
    let (mut source, _, mut decoder) = rewrite.into_parts();
    assert!(source.next().now_or_never().unwrap().is_none());
    assert_eq!((decoder.last_event_id(), decoder.max_event_size()), ("7", 100));
    assert!(decoder.decode(&mut &b"data: 2\n\n"[..]).unwrap().is_some());
}

/// Polls until a panic, and checks that every later poll panics as well. Returns the output before.
fn until_panic<S, B>(rewrite: &mut Rewrite<S, impl FnMut(BlockRef<'_>, &mut Edit<'_>)>) -> String
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
    let before = ["", "data: 1\n\n", "data: 1\n\n", "data: 1\n\n", "data: 1\n\n"];
    let at_end = "data: 1\n\ndata: 2\n\n: c\n\nid: 3\nretry: 4\n\n";
    for (last, expected) in before.into_iter().chain([at_end]).enumerate() {
        let calls = Cell::new(0);
        let function = |_: BlockRef<'_>, _: &mut Edit<'_>| {
            calls.set(calls.get() + 1);
            assert!(calls.get() <= last, "the function panics");
        };
        let decoder = Decoder::new().with_eof(Eof::Dispatch);
        let mut rewrite = Rewrite::with_decoder(Script::new(&answers), function, decoder);
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
