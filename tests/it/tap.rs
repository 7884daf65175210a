//! `Tap` passes on every chunk unchanged, and shows each block to its observer: guarantee 11.

use crate::{
    generated_streams::any_limit,
    law,
    scripted_source::{
        Answer::{Chunk, Failure, Pending},
        Script,
    },
    stream_generator::cut,
};
use bytes::Bytes;
use eventwire::{BlockItem, BlockItemRef, DecodeError, Decoder, End, Eof, Observe, Tap, Utf8Policy};
use futures_util::{FutureExt, StreamExt, stream};
use std::{
    cell::{Cell, RefCell},
    convert::Infallible,
    panic::{AssertUnwindSafe, catch_unwind},
};

type Seen = Vec<Result<BlockItem, DecodeError>>;

/// Returns what `decode_block` and `finish_block` return for the unsplit stream.
fn decoded(stream: &[u8], decoder: &Decoder) -> Seen {
    let (mut decoder, mut input) = (decoder.clone(), stream);
    let mut seen = Vec::new();
    while let Some(item) = decoder.decode_block(&mut input).transpose() {
        seen.push(item.map(|item| item.to_item()));
    }
    while let Some(item) = decoder.finish_block().transpose() {
        seen.push(item);
    }
    seen
}

#[test]
fn the_chunks_are_those_of_the_source_and_the_blocks_those_of_the_stream() {
    law::check(8_000, |random| {
        let (stream, sizes, limit) = (random.stream(), random.cut(), any_limit(random));
        let eof = random.one_of(&[Eof::Discard, Eof::Dispatch, Eof::Error]);
        let utf8_policy = random.one_of(&[Utf8Policy::Replace, Utf8Policy::Stop]);
        let decoder = Decoder::new().with_eof(eof).with_max_event_size(limit).with_utf8_policy(utf8_policy);
        let chunks: Vec<Bytes> = cut(&stream, &sizes).into_iter().map(Bytes::copy_from_slice).collect();
        let mut seen = Vec::new();
        let source = stream::iter(chunks.clone()).map(Ok::<_, Infallible>);
        let observer = |item: Result<BlockItemRef<'_>, DecodeError>| seen.push(item.map(|item| item.to_item()));
        let passed: Vec<_> = Tap::new(source, observer).with_decoder(decoder.clone()).collect().now_or_never().unwrap();
        assert_eq!(passed.len(), chunks.len());
        for (passed, chunk) in passed.into_iter().zip(&chunks) {
            let passed = passed.unwrap();
            // The chunk is not copied.
            assert!(passed == *chunk && (chunk.is_empty() || passed.as_ptr() == chunk.as_ptr()));
        }
        assert_eq!(seen, decoded(&stream, &decoder));
    });
}

/// Returns the data of a block or all its lines, the text of a comment, or an error.
fn word(item: Result<BlockItemRef<'_>, DecodeError>) -> String {
    match item {
        Ok(BlockItemRef::Block(block)) => match block.data() {
            Some(data) => data.to_owned(),
            None => String::from_utf8_lossy(&block.to_block().to_bytes()).escape_debug().to_string(),
        },
        Ok(BlockItemRef::Comment(text)) => format!(": {text}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_chunk_is_passed_on_at_once_and_its_blocks_are_shown_before() {
    let seen = RefCell::new(Vec::new());
    let answers = [Pending, Chunk("data: 1\n\ndata"), Chunk(": 2\n: c\n"), Pending, Chunk("\n"), Chunk("")];
    let asked = Cell::new(0);
    let source = Script::new(&answers).inspect(|_| asked.set(asked.get() + 1));
    let mut tap = Tap::new(source, |block| seen.borrow_mut().push(word(block)));
    for (expected, taken, blocks) in [
        (None, 0, &[][..]),
        (Some("data: 1\n\ndata"), 1, &["1"]),
        (Some(": 2\n: c\n"), 2, &["1", ": c"]),
        (None, 2, &["1", ": c"]),
        (Some("\n"), 3, &["1", ": c", "2"]),
        (Some(""), 4, &["1", ": c", "2"]),
    ] {
        let item = tap.next().now_or_never().map(|item| item.unwrap().unwrap());
        assert_eq!(item.as_deref(), expected.map(str::as_bytes));
        assert_eq!(
            (asked.get(), &seen.borrow()[..]),
            (taken, &blocks.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()[..])
        );
    }
    assert_eq!(tap.next().now_or_never(), Some(None));
}

#[test]
fn what_a_failure_leaves_is_shown_only_if_the_source_continues() {
    let fails_last = [Chunk("data: 1\n\nda"), Failure("slow"), Chunk("ta: 2\n\ndata: 3\n"), Failure("reset")];
    let goes_on = [Failure("slow"), Chunk("data: 1\n\ndata: 2")];
    // An empty chunk counts as an item.
    let goes_on_with_nothing = [Chunk("data: 1"), Failure("slow"), Chunk("")];
    for (answers, expected) in
        [(&fails_last[..], &["1", "2"][..]), (&goes_on, &["1", "2"]), (&goes_on_with_nothing, &["1"])]
    {
        let mut seen = Vec::new();
        let decoder = Decoder::new().with_eof(Eof::Dispatch);
        let tap = Tap::new(Script::new(answers), |block| seen.push(word(block))).with_decoder(decoder);
        assert_eq!(tap.count().now_or_never(), Some(answers.len()));
        assert_eq!(seen, expected, "{answers:?}");
    }
}

/// At any block, the last of which is shown at the end, or when it is told of the end.
#[test]
fn after_a_panic_of_the_observer_everything_is_passed_on_and_nothing_is_observed() {
    struct Fragile<'s> {
        seen: &'s RefCell<Vec<String>>,
        panics_at: usize,
    }
    impl Fragile<'_> {
        fn see(&mut self, word: String) {
            self.seen.borrow_mut().push(word);
            assert!(self.seen.borrow().len() != self.panics_at + 1, "the observer panics");
        }
    }
    impl Observe for Fragile<'_> {
        fn item(&mut self, item: Result<BlockItemRef<'_>, DecodeError>) {
            self.see(word(item));
        }

        fn end(&mut self, end: End) {
            self.see(format!("{end:?}"));
        }
    }
    let items = [Ok("data: 1\n\n: c\n"), Err("slow"), Ok("id: 2\n\ndata: 4\n\n"), Ok(""), Ok("data: 5\n\ndata: 6\n")];
    let all = ["1", ": c", "id: 2\\n\\n", "4", "5", "6", "Truncated"];
    for panics_at in 0..=all.len() {
        let seen = RefCell::default();
        let decoder = Decoder::new().with_eof(Eof::Dispatch);
        let source = stream::iter(items).fuse();
        let mut tap = Tap::observed(source, Fragile { seen: &seen, panics_at }).with_decoder(decoder);
        let (mut passed, mut panics) = (Vec::new(), 0);
        loop {
            match catch_unwind(AssertUnwindSafe(|| tap.next().now_or_never().unwrap())) {
                Ok(Some(item)) => passed.push(item),
                Ok(None) => break,
                Err(_) => {
                    panics += 1;
                }
            }
        }
        drop(tap);
        assert_eq!(passed, items, "at {panics_at}");
        assert_eq!(panics, usize::from(panics_at < all.len()));
        assert_eq!(seen.into_inner(), all[..all.len().min(panics_at + 1)]);
    }
}

/// What an observer was told: each item as a word, and the ends.
#[derive(Default)]
struct Told(std::rc::Rc<RefCell<(usize, Vec<End>)>>);

impl Observe for Told {
    fn item(&mut self, _: Result<BlockItemRef<'_>, DecodeError>) {
        self.0.borrow_mut().0 += 1;
    }

    fn end(&mut self, end: End) {
        self.0.borrow_mut().1.push(end);
    }
}

/// The end is told once, whether the source ends, fails or is dropped, and however often the tap is polled.
#[test]
fn the_observer_learns_the_end() {
    let failed = [Chunk("data: 1\n\n"), Failure("reset")];
    let continued = [Chunk("data: 1\n\n"), Failure("slow"), Chunk("data: 2\n\n")];
    for (answers, polls, expected) in [
        (&[Chunk("data: 1\n\n: c\n")][..], 2, (2, End::Complete)),
        (&[], 1, (0, End::Complete)),
        (&[Chunk("data: 1\n\ndata: 2\n")], 2, (1, End::Truncated)),
        (&failed, 2, (1, End::Failed)),
        (&failed, 3, (1, End::Failed)),
        (&continued, 2, (1, End::Failed)),
        (&continued, 3, (2, End::Dropped)),
        (&continued, 4, (2, End::Complete)),
        (&[Chunk("data: 1\n\n"), Pending], 2, (1, End::Dropped)),
        (&[Chunk("data: 1\n\n")], 0, (0, End::Dropped)),
    ] {
        let told = Told::default();
        let seen = std::rc::Rc::clone(&told.0);
        let mut tap = Tap::observed(Script::new(answers), told);
        for _ in 0..polls {
            tap.next().now_or_never();
        }
        drop(tap);
        assert_eq!(*seen.borrow(), (expected.0, vec![expected.1]), "{answers:?}, {polls} polls");
    }
}
