//! The methods that return all blocks of a stream: events, comments, and fields without an event.

use super::{
    DecodeError, Decoder,
    borrowed::{Borrowed, Plain},
    input::Input,
    owned_data::OwnedData,
    progress::Progress,
    scope::AllBlocks,
};
use crate::{
    event::{BlockItem, BlockItemRef},
    line::{Part, Walk},
};
use bytes::Bytes;

impl Decoder {
    /// Decodes the next block, consuming `input` up to and including that block.
    ///
    /// A block is an event, a comment, or a field that takes effect without an event:
    ///
    /// * A comment is returned at the end of its line, even between the lines of an event.
    /// * An event is returned at its blank line.
    /// * If there is no data, the ID, the `retry` and the type are returned at the blank line, each as a separate
    ///   block.
    ///
    /// Call this method until it returns `Ok(None)`, even if `input` is already empty: the last byte may complete
    /// several blocks. `Ok(None)` means that the decoder needs the next chunk. At the end of the stream, call
    /// [`finish_block`](Decoder::finish_block).
    ///
    /// The events are those of [`decode`](Decoder::decode). Nothing is allocated once the decoder's buffers have
    /// grown, except for an ID or a type without data that is longer than 23 bytes, and for blocks whose buffers
    /// together [exceed the limit](Decoder#memory).
    ///
    /// ```
    /// use eventwire::{BlockRef, Decoder};
    /// use std::time::Duration;
    ///
    /// let mut decoder = Decoder::new();
    /// let mut input = &b": welcome\nretry: 3000\nid: 7\n\nevent: heartbeat\n\ndata: a\n\n"[..];
    /// let mut found = Vec::new();
    /// while let Some(block) = decoder.decode_block(&mut input)? {
    ///     found.push(match block {
    ///         BlockRef::Event(event) => format!("event {:?}", event.data()),
    ///         BlockItemRef::Comment(text) => format!("comment {text:?}"),
    ///         BlockRef::Id(id) => format!("ID {id}"),
    ///         BlockRef::Retry(time) => format!("retry {time:?}"),
    ///         BlockRef::Dataless(event_type) => format!("only the type {event_type}"),
    ///         _ => continue,
    ///     });
    /// }
    /// assert_eq!(found, ["comment \"welcome\"", "ID 7", "retry 3s", "only the type heartbeat", "event \"a\""]);
    /// # Ok::<(), eventwire::DecodeError>(())
    /// ```
    ///
    /// You can call this method and [`decode`](Decoder::decode) alternately; `decode` skips all blocks but events.
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Decoder::decode), and [`DecodeError::CommentTooLarge`] for a comment that is larger than
    /// [the limit](Decoder::with_max_event_size). If the comment is between the lines of an event, the event is not
    /// affected.
    #[inline]
    pub fn decode_block<'d, 'c: 'd>(
        &'d mut self,
        input: &mut &'c [u8],
    ) -> Result<Option<BlockItemRef<'d>>, DecodeError> {
        let mut walk = self.splitter.walk(input);
        if let Some((part, data)) = self.interpreter.lone_line(&mut walk) {
            *input = self.splitter.leave(&walk);
            if part == Part::Line {
                return Ok(Some(BlockItemRef::Block(self.interpreter.borrow_value(data))));
            }
            self.interpreter.forget_comment();
            self.interpreter.begin_lone_line(data);
            return Ok(None);
        }
        self.decode_other_block(walk, input)
    }

    /// The rest of [`decode_block`](Decoder::decode_block), for a block that is not a lone line.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn decode_other_block<'d, 'c: 'd>(
        &'d mut self,
        mut walk: Walk<'c>,
        input: &mut &'c [u8],
    ) -> Result<Option<BlockItemRef<'d>>, DecodeError> {
        if self.interpreter.take_continuation::<AllBlocks>(&mut walk) {
            *input = self.splitter.leave(&walk);
            return Ok(None);
        }
        if self.interpreter.take_blank_line::<AllBlocks>(&mut walk) {
            *input = self.splitter.leave(&walk);
            return Ok(Some(BlockItemRef::Block(self.interpreter.borrow_block(&Borrowed::default()))));
        }
        // This is usually the call that ends a loop over a chunk.
        if walk.is_used_up() && self.interpreter.is_drained() {
            *input = self.splitter.leave(&walk);
            return Ok(None);
        }
        let copy = walk;
        self.decode_block_lines(&copy, input)
    }

    /// Decodes a complete chunk: calls `each` with every block in it, in order, and with every error.
    ///
    /// It does the same as calling [`decode_block`](Decoder::decode_block) until it returns `Ok(None)`, and is faster
    /// if the chunk has many short events or comments.
    ///
    /// ```
    /// use eventwire::{BlockRef, Decoder};
    ///
    /// let mut decoder = Decoder::new();
    /// let mut events = 0;
    /// for chunk in ["data: 1\n\n: c\nda", "ta: 2\n\n"] {
    ///     decoder.decode_chunk(chunk.as_bytes(), |block| {
    ///         events += usize::from(matches!(block, Ok(BlockRef::Event(_))));
    ///     });
    /// }
    /// assert_eq!(events, 2);
    /// ```
    #[inline]
    pub fn decode_chunk(&mut self, chunk: &[u8], mut each: impl FnMut(Result<BlockItemRef<'_>, DecodeError>)) {
        let mut input = chunk;
        loop {
            let mut walk = self.splitter.walk(input);
            if let Some((part, data)) = self.interpreter.lone_line(&mut walk) {
                input = self.splitter.leave(&walk);
                if part != Part::Line {
                    self.interpreter.forget_comment();
                    return self.interpreter.begin_lone_line(data);
                }
                each(Ok(BlockItemRef::Block(self.interpreter.borrow_value(data))));
                if input.is_empty() && self.interpreter.is_drained() {
                    return;
                }
                continue;
            }
            if let Some(b':' | b'\n') = input.first() {
                while let Some(text) = self.interpreter.lone_comment(&mut walk) {
                    each(Ok(BlockItemRef::Comment(text)));
                }
            }
            match self.decode_other_block(walk, &mut input) {
                Ok(Some(block)) => each(Ok(block)),
                Ok(None) => return,
                Err(error) => each(Err(error)),
            }
        }
    }

    /// First the other fast paths, then the path for any line in any state.
    #[inline(never)]
    fn decode_block_lines<'d, 'c: 'd>(
        &'d mut self,
        walk: &Walk<'c>,
        input: &mut &'c [u8],
    ) -> Result<Option<BlockItemRef<'d>>, DecodeError> {
        let mut walk = *walk;
        self.interpreter.forget_comment();
        let mut plain = Plain::default();
        if self.interpreter.plain_lines(&mut walk, &mut plain) {
            *input = self.splitter.leave(&walk);
            return Ok(Some(BlockItemRef::Block(self.interpreter.borrow_plain_block(&plain))));
        }
        if self.interpreter.more_lines(&mut walk, &mut plain) {
            *input = self.splitter.leave(&walk);
            return Ok(None);
        }
        let mut borrowed = Borrowed::from(plain);
        let progress = self.interpreter.read::<AllBlocks>(&mut walk, &mut borrowed);
        *input = self.splitter.leave(&walk);
        match progress {
            Progress::Event => Ok(Some(BlockItemRef::Block(self.interpreter.borrow_block(&borrowed)))),
            Progress::NeedsMore | Progress::RefusedComment | Progress::BlankLine => Ok(None),
            Progress::Comment(text) => Ok(Some(BlockItemRef::Comment(self.interpreter.borrow_comment(Some(text))?))),
            Progress::BufferedComment => Ok(Some(BlockItemRef::Comment(self.interpreter.borrow_comment(None)?))),
            Progress::RefusedRetry => Ok(self.interpreter.take_refused_retry().map(BlockItemRef::Block)),
            Progress::TooLarge => Err(self.interpreter.too_large()),
            Progress::CommentTooLarge => Err(DecodeError::CommentTooLarge { limit: self.max_event_size() }),
            Progress::Invalid(error) => Err(error),
        }
    }

    /// Decodes the next block and returns it owned, consuming `input` up to and including that block.
    ///
    /// It returns the same blocks as [`decode_block`](Decoder::decode_block).
    /// [`decode_bytes`](Decoder::decode_bytes) describes which memory an event shares with its chunk.
    ///
    /// # Errors
    ///
    /// Those of [`decode_block`](Decoder::decode_block).
    ///
    /// ```
    /// use bytes::Bytes;
    /// use eventwire::{Block, Comment, Decoder, Event};
    ///
    /// let mut decoder = Decoder::new();
    /// let mut input = Bytes::from(": hello\n\ndata: a\n\n");
    /// assert_eq!(decoder.decode_block_bytes(&mut input)?, Some(Block::Comment(Comment::new("hello"))));
    /// assert_eq!(decoder.decode_block_bytes(&mut input)?, Some(Block::Event(Event::new("a"))));
    /// assert_eq!(decoder.decode_block_bytes(&mut input)?, None);
    /// # Ok::<(), eventwire::DecodeError>(())
    /// ```
    pub fn decode_block_bytes(&mut self, input: &mut Bytes) -> Result<Option<BlockItem>, DecodeError> {
        let chunk = &**input;
        let mut walk = self.splitter.walk(chunk);
        if self.interpreter.take_continuation::<AllBlocks>(&mut walk) {
            self.splitter.leave(&walk);
            input.use_up();
            return Ok(None);
        }
        self.interpreter.forget_comment();
        let mut plain = Plain::default();
        let is_plain = self.interpreter.plain_lines(&mut walk, &mut plain);
        let mut borrowed = Borrowed::from(plain);
        let progress =
            if is_plain { Progress::Event } else { self.interpreter.read::<AllBlocks>(&mut walk, &mut borrowed) };
        let taken = chunk.len() - self.splitter.leave(&walk).len();
        let block = match progress {
            Progress::Event => {
                let data = borrowed.data.map(|value| OwnedData::shared(value, input));
                Ok(Some(BlockItem::Block(self.interpreter.own_block(&borrowed, data))))
            }
            Progress::NeedsMore | Progress::RefusedComment | Progress::BlankLine => Ok(None),
            Progress::Comment(text) => self.interpreter.own_comment(Some(text)).map(Some),
            Progress::BufferedComment => self.interpreter.own_comment(None).map(Some),
            Progress::RefusedRetry => {
                Ok(self.interpreter.take_refused_retry().map(|block| BlockItem::Block(block.to_block())))
            }
            Progress::TooLarge => Err(self.interpreter.too_large()),
            Progress::CommentTooLarge => Err(DecodeError::CommentTooLarge { limit: self.max_event_size() }),
            Progress::Invalid(error) => Err(error),
        };
        input.pass(taken);
        block
    }

    /// Ends the stream and returns the remaining blocks, one per call.
    ///
    /// Call it until it returns `Ok(None)`: no block is then left, and the decoder is ready for the next stream of
    /// the same source. [`Eof`](super::Eof) sets what happens to an unfinished event, as with
    /// [`finish`](Decoder::finish). With `Eof::Dispatch`, an unfinished comment is returned as well. A `retry` takes
    /// effect as soon as its line is complete, so it is returned here even if its block is unfinished.
    ///
    /// # Errors
    ///
    /// Those of [`finish`](Decoder::finish) and of [`decode_block`](Decoder::decode_block). To go on, call again.
    ///
    /// ```
    /// use eventwire::{Block, Decoder};
    /// use std::time::Duration;
    ///
    /// let mut decoder = Decoder::new();
    /// assert_eq!(decoder.decode_block(&mut &b"retry: 500\ndata: cut o"[..])?, None);
    /// assert_eq!(decoder.finish_block()?, Some(Block::Retry(Duration::from_millis(500))));
    /// assert_eq!(decoder.finish_block()?, None);
    /// # Ok::<(), eventwire::DecodeError>(())
    /// ```
    pub fn finish_block(&mut self) -> Result<Option<BlockItem>, DecodeError> {
        let outcome = self.interpreter.finish_block(self.eof, &mut self.splitter);
        if outcome == Ok(None) {
            self.reset();
        }
        outcome
    }
}
