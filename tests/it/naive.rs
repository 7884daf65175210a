//! The naive twin: it interprets an event stream exactly as the standard describes it, without any optimisation.
//!
//! It has the complete stream, first splits it into lines and then interprets them, and copies everything it touches.
//! So each function can be compared with one paragraph of the WHATWG HTML standard: section 9.2.5 ("Parsing an event
//! stream") and section 9.2.6 ("Interpreting an event stream"). It shares no code with the crate, only the names of
//! `Position`: a mistake in shared code would affect both sides of a comparison, and no test would see it. A few things
//! go beyond the standard: the byte at which each item is returned, the limit on the size of an event, the two other
//! ways to handle the end of the stream, blocks that are not events, the two other ways to handle invalid UTF-8, and
//! where in a stream some bytes end.

use eventwire::Position;

/// How an unfinished event at the end of the stream is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Eof {
    /// It is discarded, as in the standard.
    Discard,
    /// It is dispatched as if its line had ended and a blank line had followed.
    Dispatch,
    /// It is discarded, and `Item::Truncated` reports it.
    Error,
}

/// Which items are returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Events,
    /// Blocks, with data or not, and comments.
    Blocks,
    /// Blocks only.
    WithoutComments,
}

/// What happens to invalid UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Utf8Policy {
    /// U+FFFD replaces it, as in the standard.
    Replace,
    /// The stream ends after the first line with an invalid byte.
    Stop,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// "message" if the stream contains no type.
    pub(crate) event_type: String,
    pub(crate) data: String,
    /// The last event ID at the moment of dispatch; `None` if none was ever set.
    pub(crate) id: Option<String>,
    /// The reconnection time in milliseconds, if this event's own block set one.
    pub(crate) retry: Option<u64>,
}

/// The fields of a block that have an effect, as the stream contains them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) event_type: Option<String>,
    pub(crate) data: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) retry: Option<u64>,
    /// What the standard dispatches for it.
    pub(crate) event: Option<Event>,
}

impl Block {
    /// A block with only a reconnection time.
    fn retry(retry: Option<u64>) -> Block {
        Block { retry, ..Block::default() }
    }
}

/// An item of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    Event(Event),
    Block(Block),
    Comment(String),
    EventTooLarge,
    CommentTooLarge,
    InvalidUtf8 { field: &'static str, offset: usize },
    Truncated,
}

/// The place of an item that is too large, and of the reconnection time that its block had set before. They are
/// returned in order, but the exact byte is not guaranteed.
pub(crate) const ANYWHERE: usize = usize::MAX;

/// Adds an item with its place, unless that is not guaranteed.
pub(crate) fn push(items: &mut Vec<(usize, Item)>, taken: usize, item: Item) {
    let is_anywhere = match (&item, items.last()) {
        (Item::EventTooLarge | Item::CommentTooLarge, _) => true,
        // It may be what the block that is too large had set before.
        (Item::Block(block), Some((_, Item::EventTooLarge))) => *block == Block::retry(block.retry),
        _ => false,
    };
    items.push((if is_anywhere { ANYWHERE } else { taken }, item));
}

#[derive(Clone, Debug)]
pub(crate) struct Options<'a> {
    /// The last event ID of an earlier connection.
    pub(crate) last_event_id: &'a str,
    pub(crate) max_event_size: usize,
    /// A byte of the stream, and the limit from there on.
    pub(crate) new_limit: Option<(usize, usize)>,
    pub(crate) eof: Eof,
    pub(crate) scope: Scope,
    pub(crate) utf8_policy: Utf8Policy,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            last_event_id: "",
            max_event_size: 16 * 1024 * 1024,
            new_limit: None,
            eof: Eof::Discard,
            scope: Scope::Events,
            utf8_policy: Utf8Policy::Replace,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Each item with the number of bytes of the stream that had been consumed when it was returned, or with
    /// [`ANYWHERE`].
    pub(crate) items: Vec<(usize, Item)>,
    pub(crate) last_event_id: String,
    /// In milliseconds.
    pub(crate) reconnection_time: Option<u64>,
    /// The beginning of the lines that are no field, joined by LF.
    pub(crate) ignored: Vec<u8>,
}

/// Interprets an entire stream, from its first byte to its end.
pub(crate) fn interpret(stream: &[u8], options: &Options<'_>) -> Outcome {
    let mut interpreter = Interpreter::new(options);
    interpreter.process_lines(stream);

    // 9.2.6: "Once the end of the file is reached, any pending data must be discarded." The standard has no other
    // way; `Dispatch` and `Error` are additions of this crate.
    match options.eof {
        _ if interpreter.position == Position::Ended => {}
        Eof::Discard => {}
        Eof::Dispatch => interpreter.dispatch(stream.len()),
        Eof::Error => {
            if interpreter.position == Position::WithinBlock && !interpreter.is_too_large {
                push(&mut interpreter.outcome.items, stream.len(), Item::Truncated);
            }
        }
    }

    // The first kibibyte is kept, without a separator at its end.
    let mut ignored = interpreter.ignored_lines.join(&b'\n');
    ignored.truncate(1024);
    if ignored.ends_with(b"\n") {
        ignored.pop();
    }
    Outcome { ignored, ..interpreter.outcome }
}

/// Returns where in a stream its first bytes end.
pub(crate) fn position(beginning: &[u8], options: &Options<'_>) -> Position {
    let options = Options { eof: Eof::Discard, ..options.clone() };
    let mut interpreter = Interpreter::new(&options);
    interpreter.process_lines(beginning);
    interpreter.position
}

/// A line, with its place in the stream.
#[derive(Debug)]
struct Line<'s> {
    /// Where in the stream the line begins.
    start: usize,
    /// The line without its line end.
    text: &'s [u8],
    /// False for a last line without a line end.
    is_ended: bool,
}

impl Line<'_> {
    /// The length of the line with its line end. A CR LF counts as its CR alone, because the line ends there.
    fn length(&self) -> usize {
        self.text.len() + usize::from(self.is_ended)
    }

    fn is_comment(&self) -> bool {
        self.text.starts_with(b":")
    }

    /// The bytes before the first colon, or all of them.
    fn name(&self) -> &[u8] {
        self.text.split(|&byte| byte == b':').next().unwrap_or_default()
    }
}

/// 9.2.5, the grammar: `stream = [ bom ] *event` and `end-of-line = ( cr lf / cr / lf )`.
///
/// Searching for these in bytes gives the same result as searching in the decoded text: none of their bytes occurs
/// inside another character, and none becomes part of a U+FFFD.
fn split_into_lines(stream: &[u8]) -> Vec<Line<'_>> {
    // 9.2.6: streams are decoded by "UTF-8 decode", which drops one byte order mark, only at the start.
    let bom = "\u{FEFF}".as_bytes();
    let mut start = if stream.starts_with(bom) { bom.len() } else { 0 };

    let mut lines = Vec::new();
    for (at, byte) in stream.iter().enumerate().skip(start) {
        match byte {
            // The second half of a CR LF. It neither begins nor ends a line.
            b'\n' if at > 0 && stream[at - 1] == b'\r' => start = at + 1,
            b'\n' | b'\r' => {
                let text = &stream[start..at];
                lines.push(Line { start, text, is_ended: true });
                start = at + 1;
            }
            _ => {}
        }
    }
    if start < stream.len() {
        let text = &stream[start..];
        lines.push(Line { start, text, is_ended: false });
    }
    lines
}

/// 9.2.6: the buffers that are "associated with" a stream, and the state of the event source.
struct Interpreter<'a> {
    options: &'a Options<'a>,
    data_buffer: String,
    event_type_buffer: String,
    last_event_id_buffer: String,
    /// Whether an ID was ever set, even an empty one.
    has_id: bool,
    /// Whether one was set before this block.
    had_id: bool,
    /// The fields of this block, except its data.
    block: Block,
    /// The number of bytes in data, event and id lines of this block.
    block_size: usize,
    /// Whether that has exceeded the limit.
    is_too_large: bool,
    /// Where the lines so far end.
    position: Position,
    /// The lines that are "otherwise" in 9.2.6, finished or not.
    ignored_lines: Vec<Vec<u8>>,
    /// Contains the event source's last event ID string and its reconnection time.
    outcome: Outcome,
}

impl<'a> Interpreter<'a> {
    /// The buffers begin empty, except for the last event ID buffer. It begins with the event source's ID; otherwise
    /// the first dispatch would replace that ID by an empty one.
    fn new(options: &'a Options<'a>) -> Self {
        Interpreter {
            options,
            data_buffer: String::new(),
            event_type_buffer: String::new(),
            last_event_id_buffer: options.last_event_id.to_owned(),
            has_id: !options.last_event_id.is_empty(),
            had_id: !options.last_event_id.is_empty(),
            block: Block::default(),
            block_size: 0,
            is_too_large: false,
            position: Position::BetweenBlocks,
            ignored_lines: Vec::new(),
            outcome: Outcome {
                items: Vec::new(),
                last_event_id: options.last_event_id.to_owned(),
                reconnection_time: None,
                ignored: Vec::new(),
            },
        }
    }

    /// 9.2.6: "Lines must be processed, in the order they are received".
    fn process_lines(&mut self, stream: &[u8]) {
        for line in &split_into_lines(stream) {
            if !matches!(line.name(), b"" | b"data" | b"event" | b"id" | b"retry") {
                self.ignored_lines.push(line.text.to_vec());
            }
            self.measure(line);
            if line.is_ended || self.options.eof == Eof::Dispatch {
                if self.options.utf8_policy == Utf8Policy::Stop && self.say_invalid_line(line) {
                    return;
                }
                self.process_line(line);
            }
            // Only data, event and id lines have a size, so a size above 0 means that the block has one of them.
            self.position = match line.is_ended {
                _ if self.block_size > 0 => Position::WithinBlock,
                true => Position::BetweenBlocks,
                false if line.is_comment() => Position::WithinComment,
                false => Position::WithinBlock,
            };
        }
    }

    /// Reports a line that is not UTF-8. Nothing is read after it, and its block ends as at the end of the stream.
    fn say_invalid_line(&mut self, line: &Line<'_>) -> bool {
        let Err(error) = std::str::from_utf8(line.text) else { return false };
        let field = match line.name() {
            b"" => "comment",
            b"event" => "event",
            b"id" => "id",
            b"data" => "data",
            b"retry" => "retry",
            _ => "other",
        };
        let item = Item::InvalidUtf8 { field, offset: error.valid_up_to() };
        push(&mut self.outcome.items, line.start + line.length(), item);
        self.position = Position::Ended;
        true
    }

    /// The limit when this byte of the stream is read.
    fn limit_at(&self, byte: usize) -> usize {
        match self.options.new_limit {
            Some((place, limit)) if place <= byte => limit,
            _ => self.options.max_event_size,
        }
    }

    /// Whether a line would be too large in itself.
    fn is_too_large(&self, line: &Line<'_>) -> bool {
        (0..line.length()).any(|count| count + 1 > self.limit_at(line.start + count))
    }

    /// Adds a line to the size of its block, and reports the block if it is too large now.
    fn measure(&mut self, line: &Line<'_>) {
        if line.is_comment() && self.options.scope == Scope::Blocks && self.is_too_large(line) {
            push(&mut self.outcome.items, line.start + line.length(), Item::CommentTooLarge);
        }

        let colon = line.text.iter().position(|&byte| byte == b':');
        let name = &line.text[..colon.unwrap_or(line.text.len())];
        if self.is_too_large || !matches!(name, b"data" | b"event" | b"id") {
            return;
        }

        // Before its name ends, a line may still become any field, so it is not counted until then. At the end of the
        // stream, `Dispatch` ends the name without a line end.
        if colon.is_none() && !line.is_ended && self.options.eof != Eof::Dispatch {
            return;
        }
        for count in name.len()..line.length().max(name.len() + 1) {
            // The name counts with the byte after it, or at the end of the stream.
            let size = self.block_size + line.length().min(count + 1);
            self.is_too_large |= size > self.limit_at(line.start + count);
        }
        self.block_size += line.length();
        if self.is_too_large {
            push(&mut self.outcome.items, line.start + line.length(), Item::EventTooLarge);
            // A reconnection time takes effect at the end of its line, even if its block is rejected later.
            let retry = self.block.retry;
            if self.options.scope != Scope::Events && retry.is_some() {
                push(&mut self.outcome.items, line.start + line.length(), Item::Block(Block::retry(retry)));
            }
        }
    }

    /// Reports a comment, which the standard ignores.
    fn say_comment(&mut self, line: &Line<'_>) {
        if self.options.scope != Scope::Blocks || self.is_too_large(line) {
            return;
        }
        let value = line.text[1..].strip_prefix(b" ").unwrap_or(&line.text[1..]);
        let item = Item::Comment(String::from_utf8_lossy(value).into_owned());
        push(&mut self.outcome.items, line.start + line.length(), item);
    }

    /// 9.2.6, the list that begins "If the line is empty (a blank line)".
    fn process_line(&mut self, line: &Line<'_>) {
        if line.text.is_empty() {
            self.dispatch(line.start + line.length());
        } else if line.is_comment() {
            // "Ignore the line."
            self.say_comment(line);
        } else if self.is_too_large {
            // Of such a block, only its comments and its blank line are interpreted.
        } else if let Some(colon) = line.text.iter().position(|&byte| byte == b':') {
            // "Collect the characters on the line before the first" colon, and those after it. "If value starts with a
            // U+0020 SPACE character, remove it from value."
            let value = &line.text[colon + 1..];
            let value = value.strip_prefix(b" ").unwrap_or(value);
            self.process_field(&line.text[..colon], value);
        } else {
            // "Using the whole line as the field name, and the empty string as the field value."
            self.process_field(line.text, b"");
        }
    }

    /// 9.2.6, the steps to "process the field". Field names are "compared literally, with no case folding".
    fn process_field(&mut self, name: &[u8], value: &[u8]) {
        let value = String::from_utf8_lossy(value);
        match name {
            // "Set the event type buffer to the field value."
            b"event" => {
                self.event_type_buffer = value.clone().into_owned();
                self.block.event_type = Some(value.into_owned());
            }
            // "Append the field value to the data buffer, then append a single" LF.
            b"data" => {
                self.data_buffer.push_str(&value);
                self.data_buffer.push('\n');
            }
            // "If the field value does not contain U+0000 NULL", it is the new last event ID buffer.
            b"id" if !value.contains('\0') => {
                self.last_event_id_buffer = value.clone().into_owned();
                self.has_id = true;
                self.block.id = Some(value.into_owned());
            }
            // "If the field value consists of only ASCII digits", it is the new reconnection time. An empty value
            // is not a number.
            b"retry" if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
                // A number of digits alone can only fail because it is too large.
                let milliseconds = value.parse().unwrap_or(u64::MAX);
                self.block.retry = Some(milliseconds);
                self.outcome.reconnection_time = Some(milliseconds);
            }
            // "Otherwise": the field is ignored. This includes an id or a retry with an invalid value.
            _ => {}
        }
    }

    /// 9.2.6, the steps to "dispatch the event", at the end of a block.
    fn dispatch(&mut self, taken: usize) {
        if self.is_too_large {
            // Such a block has no effect, so the buffer returns to the ID that is in effect.
            self.last_event_id_buffer = self.outcome.last_event_id.clone();
            self.has_id = self.had_id;
            self.data_buffer.clear();
            self.block = Block::default();
        }

        // Step 1: the last event ID string becomes the buffer's value, which "does not get reset".
        self.outcome.last_event_id = self.last_event_id_buffer.clone();
        self.had_id = self.has_id;

        // Step 2: with an empty data buffer there is no event, only the resets of step 7.
        if !self.data_buffer.is_empty() {
            // Step 3: one LF is removed from the end of the data buffer, and no more than one.
            let mut data = self.data_buffer.clone();
            if data.ends_with('\n') {
                data.pop();
            }

            // Steps 4 to 6: the event's type is "message", unless the event type buffer has another.
            let event_type =
                if self.event_type_buffer.is_empty() { "message".to_owned() } else { self.event_type_buffer.clone() };
            let id = self.has_id.then(|| self.outcome.last_event_id.clone());
            self.block.data = Some(data.clone());
            self.block.event = Some(Event { event_type, data, id, retry: self.block.retry });
        }
        match (self.options.scope, &self.block.event) {
            (Scope::Events, Some(event)) => push(&mut self.outcome.items, taken, Item::Event(event.clone())),
            // A block without effect is not returned.
            (Scope::Blocks | Scope::WithoutComments, _) if self.block != Block::default() => {
                push(&mut self.outcome.items, taken, Item::Block(self.block.clone()));
            }
            _ => {}
        }

        // Step 7: the data buffer and the event type buffer are reset, and so is this crate's state of the block.
        self.data_buffer.clear();
        self.event_type_buffer.clear();
        self.block = Block::default();
        self.block_size = 0;
        self.is_too_large = false;
    }
}
