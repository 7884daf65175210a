//! The chunks that `ReadChunks` reads from a reader, and the events in them.

use eventwire::{DecodeError, Decoder, Eof, Error, Events, ReadChunks};
use std::{
    collections::VecDeque,
    io::{self, ErrorKind, Read},
};

/// A reader that follows a script. It must not be read after an error that ended it, nor after its end.
struct Reader {
    answers: VecDeque<Result<Vec<u8>, ErrorKind>>,
    reads: usize,
    is_over: bool,
}

impl Reader {
    fn new<'a>(answers: impl IntoIterator<Item = Result<&'a str, ErrorKind>>) -> Reader {
        let answers = answers.into_iter().map(|answer| answer.map(|bytes| bytes.as_bytes().to_vec())).collect();
        Reader { answers, reads: 0, is_over: false }
    }
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        assert!(!self.is_over, "the reader is read after its end");
        self.reads += 1;
        match self.answers.pop_front() {
            Some(Ok(mut bytes)) => {
                let count = bytes.len().min(buffer.len());
                buffer[..count].copy_from_slice(&bytes[..count]);
                if count < bytes.len() {
                    self.answers.push_front(Ok(bytes.split_off(count)));
                }
                self.is_over = count == 0;
                Ok(count)
            }
            Some(Err(kind)) => {
                self.is_over = !matches!(kind, ErrorKind::Interrupted | ErrorKind::WouldBlock | ErrorKind::TimedOut);
                Err(kind.into())
            }
            None => {
                self.is_over = true;
                Ok(0)
            }
        }
    }
}

/// Checks the chunks of a reader. Errors are compared by their kind.
#[track_caller]
fn check(answers: &[Result<&str, ErrorKind>], expected: &[Result<&str, ErrorKind>]) {
    let mut chunks = ReadChunks::new(Reader::new(answers.iter().copied()));
    let expected: Vec<_> = expected.iter().map(|answer| answer.map(str::as_bytes)).collect();
    let items: Vec<_> = chunks.by_ref().map(|item| item.map_err(|error| error.kind())).collect();
    let items: Vec<_> = items.iter().map(|item| item.as_ref().map(|chunk| &chunk[..]).map_err(|kind| *kind)).collect();
    assert_eq!(items, expected);
    assert!(chunks.next().is_none(), "fused");
}

#[test]
fn a_chunk_is_the_result_of_one_read() {
    check(&[], &[]);
    check(&[Ok("a"), Ok("bc"), Ok("d")], &[Ok("a"), Ok("bc"), Ok("d")]);
    check(&[Ok("a"), Ok(""), Ok("never")], &[Ok("a")]);
}

#[test]
fn would_block_is_not_the_end_but_any_other_error_is() {
    for not_now in [ErrorKind::WouldBlock, ErrorKind::TimedOut] {
        check(&[Ok("a"), Err(not_now), Err(not_now), Ok("b")], &[Ok("a"), Err(not_now), Err(not_now), Ok("b")]);
    }
    for broken in [ErrorKind::ConnectionReset, ErrorKind::UnexpectedEof, ErrorKind::Other] {
        check(&[Ok("a"), Err(broken), Ok("never")], &[Ok("a"), Err(broken)]);
    }
}

#[test]
fn a_chunk_is_at_most_16_kib() {
    let long = "x".repeat(100_000);
    let chunks: Vec<_> = ReadChunks::new(Reader::new([Ok(&*long)])).map(|chunk| chunk.expect("no error")).collect();
    assert!(chunks.iter().all(|chunk| chunk.len() <= 16 * 1024));
    assert_eq!(chunks.concat(), long.as_bytes());
    assert!(chunks.len() <= 7, "{} reads", chunks.len());
}

#[test]
fn small_reads_share_an_allocation_and_do_not_overlap() {
    let short: Vec<_> = (0..20_000).map(|number| format!("{number};")).collect();
    let reader = Reader::new(short.iter().map(|text| Ok(&**text)));
    let (chunks, usage) = crate::counting_allocator::measure(|| ReadChunks::new(reader).collect::<Result<Vec<_>, _>>());
    assert!(chunks.expect("no error").iter().eq(short.iter().map(String::as_bytes)));
    // 109 KB in reads of 6 bytes, from blocks of 16 KiB. The other allocations are those of the vector in this test.
    assert!(usage.allocations < 50, "{usage:?}");
}

#[test]
fn a_reader_that_claims_too_much_is_not_believed() {
    struct Liar(u8);
    impl Read for Liar {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            Ok(if self.0 == 1 { buffer.len() + 1 } else { 0 })
        }
    }
    let chunks = ReadChunks::new(Liar(0)).collect::<Result<Vec<_>, _>>().expect("no error");
    assert_eq!(chunks.len(), 1);
}

#[test]
fn the_reader_is_read_on_demand_and_returned() {
    let mut chunks = ReadChunks::new(Reader::new([Ok("a"), Ok("b"), Ok("c")]));
    assert_eq!(chunks.next().expect("a chunk").expect("no error"), "a");
    let (mut reader, mut rest) = (chunks.into_inner(), String::new());
    assert_eq!(reader.reads, 1);
    reader.read_to_string(&mut rest).expect("text");
    assert_eq!(rest, "bc");
}

#[test]
fn a_timeout_in_the_middle_of_an_event_loses_nothing() {
    let answers = [Ok("data: 1\n\nda"), Err(ErrorKind::TimedOut), Ok("ta: 2\n\ndata: 3")];
    let decoder = Decoder::new().with_eof(Eof::Error);
    let mut events = Events::from_reader(Reader::new(answers)).with_decoder(decoder);
    let mut next = || events.next().map(|item| item.map(|event| event.data().to_owned()));
    assert_eq!(next().expect("an event").expect("no error"), "1");
    assert!(matches!(next(), Some(Err(Error::Transport(error))) if error.kind() == ErrorKind::TimedOut));
    assert_eq!(next().expect("an event").expect("no error"), "2");
    assert!(matches!(next(), Some(Err(Error::Decode(DecodeError::Truncated)))));
    assert!(next().is_none());
}
