//! The naive twin of `Rewrite`. It has the complete stream, works line by line, and copies everything.

use super::{Function, Item};
use eventwire::{Block, DecodeError, Decoder, Eof, Oversize};

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// A line and its end: none, CR, LF or CR LF.
#[derive(Clone, Debug)]
struct Line {
    text: Vec<u8>,
    end: &'static [u8],
    /// A chunk ended between its CR and its LF.
    is_torn: bool,
}

impl Line {
    fn bytes(&self) -> Vec<u8> {
        [&self.text[..], self.end].concat()
    }

    /// Returns the line, ended by LF if it had no end.
    fn ended(self) -> Line {
        Line { end: if self.end.is_empty() { b"\n" } else { self.end }, ..self }
    }

    /// Returns the size that counts towards the limit, where each line end counts as one byte.
    fn size(&self) -> usize {
        self.text.len() + usize::from(!self.end.is_empty())
    }
}

/// Returns the lines of a stream that is split at these places.
fn lines(mut stream: &[u8], cuts: &[usize]) -> Vec<Line> {
    let mut lines = Vec::new();
    let whole = stream.len();
    while !stream.is_empty() {
        let len = stream.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(stream.len());
        let end: &[u8] = match &stream[len..] {
            [] => b"",
            [b'\r', b'\n', ..] => b"\r\n",
            [b'\r', ..] => b"\r",
            _ => b"\n",
        };
        let text = stream[..len].to_vec();
        stream = &stream[len + end.len()..];
        lines.push(Line { text, end, is_torn: end == b"\r\n" && cuts.contains(&(whole - stream.len() - 1)) });
    }
    lines
}

pub(super) struct Rewriter<'f> {
    /// It has no limit, because this twin enforces the limit.
    decoder: Decoder,
    limit: usize,
    oversize: Oversize,
    function: &'f mut Function<'f>,
    items: Vec<Item>,
    /// Something was removed before anything was passed on.
    begins_with_removed: bool,
}

/// Rewrites a stream that is split at these places. They matter only between a CR and its LF.
pub(super) fn rewrite<'f>(
    stream: &[u8],
    cuts: &[usize],
    decoder: &Decoder,
    oversize: Oversize,
    function: &'f mut Function<'f>,
) -> Vec<Item> {
    let limit = decoder.max_event_size();
    let mut decoder = decoder.clone().with_max_event_size(usize::MAX);
    // At the start of a block, U+FEFF is text and not a byte order mark.
    assert_eq!(decoder.decode_block(&mut &*BOM), Ok(None));
    let mut rewriter = Rewriter { decoder, limit, oversize, function, items: Vec::new(), begins_with_removed: false };
    rewriter.run(lines(stream, cuts));
    rewriter.items
}

impl Rewriter<'_> {
    fn run(&mut self, mut lines: Vec<Line>) {
        if let Some(first) = lines.first_mut()
            && let Some(rest) = first.text.strip_prefix(BOM)
        {
            first.text = rest.to_vec();
            self.pass_on(BOM);
        }
        // Drop a line that was only the byte order mark.
        lines.retain(|line| line.size() > 0);
        // A stream that ends inside the byte order mark has no line that counts.
        let is_in_mark = matches!(&lines[..], [only] if only.end.is_empty() && BOM.starts_with(&only.text));
        let limit = if is_in_mark { usize::MAX } else { self.limit };
        let is_dispatched = self.decoder.eof() == Eof::Dispatch;
        let mut held: Vec<Line> = Vec::new();
        // Whether each comment since the last blank line was kept, if there are no other lines.
        let mut comments: Vec<bool> = Vec::new();
        // Why the open block is no longer stored.
        let mut too_large = None;
        for line in lines {
            let is_open = !held.is_empty() || too_large.is_some();
            if line.text.is_empty() {
                match too_large.take() {
                    Some(Oversize::Pass) => self.pass_on(&line.bytes()),
                    Some(_) => {}
                    None if is_open => self.block(&std::mem::take(&mut held), &line),
                    None if !comments.is_empty() && !comments.contains(&true) => self.remove(),
                    None => self.pass_on(&line.bytes()),
                }
                comments.clear();
            } else if too_large == Some(Oversize::Pass) {
                self.pass_on(&line.bytes());
            } else if line.text.starts_with(b":") {
                let is_kept = if line.size() > limit {
                    if self.oversize == Oversize::Pass {
                        let line = if is_dispatched { line.ended() } else { line };
                        self.pass_on(&line.bytes());
                    } else {
                        self.remove();
                        self.items.push(Err("comment too large".to_owned()));
                    }
                    self.oversize == Oversize::Pass
                } else if line.end.is_empty() && !is_dispatched {
                    continue;
                } else {
                    self.decide(&line.clone().ended().bytes(), line.is_torn)
                };
                if !is_open {
                    comments.push(is_kept);
                }
            } else if too_large.is_none() {
                held.push(line);
                if held.iter().map(Line::size).sum::<usize>() > limit {
                    too_large = Some(self.oversize);
                    let bytes: Vec<u8> = held.iter().flat_map(Line::bytes).collect();
                    if self.oversize == Oversize::Pass {
                        self.pass_on(&bytes);
                    } else {
                        self.remove();
                        self.items.push(Err("event too large".to_owned()));
                        held.pop();
                        self.retry_of(&held);
                    }
                    held.clear();
                }
            }
        }
        if !held.is_empty() {
            self.unfinished(held);
        }
    }

    fn unfinished(&mut self, held: Vec<Line>) {
        match self.decoder.eof() {
            Eof::Dispatch => {
                let held: Vec<Line> = held.into_iter().map(Line::ended).collect();
                self.block(&held, &Line { text: Vec::new(), end: b"\n", is_torn: false });
            }
            Eof::Error => self.items.push(Err(word(DecodeError::Truncated))),
            _ => {}
        }
    }

    /// Decides the reconnection time of a block that was too large: the time in the lines before the limit.
    fn retry_of(&mut self, lines: &[Line]) {
        let bytes: Vec<u8> = lines.iter().flat_map(Line::bytes).collect();
        let mut decoder = Decoder::new();
        assert_eq!(decoder.decode_block(&mut &*BOM), Ok(None));
        assert_eq!(decoder.decode_block(&mut &bytes[..]), Ok(None));
        if let Some(time) = decoder.reconnection_time() {
            let retry = Block::default().with_retry(time).to_bytes();
            let mut rest = &retry[..];
            let block = Decoder::new().decode_block(&mut rest).unwrap().unwrap().to_item();
            let (is_kept, written) = (self.function)(block);
            self.pass_on(&[if is_kept { &retry } else { &b""[..] }, &written].concat());
        }
    }

    fn block(&mut self, held: &[Line], blank: &Line) {
        let mut bytes: Vec<u8> = held.iter().flat_map(Line::bytes).collect();
        // If there was a comment between the two, they would become one line end.
        if bytes.last() == Some(&b'\r') && blank.end == b"\n" {
            *bytes.last_mut().unwrap() = b'\n';
        }
        bytes.extend(blank.bytes());
        self.decide(&bytes, blank.is_torn);
    }

    /// Decides a complete block or comment. Returns whether its bytes are passed on.
    fn decide(&mut self, bytes: &[u8], is_torn: bool) -> bool {
        let mut rest = bytes;
        let item = match self.decoder.decode_block(&mut rest) {
            Ok(item) => item.map(|item| item.to_item()),
            Err(error) => {
                self.remove();
                self.items.push(Err(word(error)));
                return false;
            }
        };
        let (is_kept, written) = item.map_or((true, Vec::new()), |item| (self.function)(item));
        // The twin does not wait for an LF that has not arrived.
        let has_lf = !is_torn || written.is_empty();
        let kept = if !is_kept {
            &[]
        } else if has_lf {
            bytes
        } else {
            &bytes[..bytes.len() - 1]
        };
        self.pass_on(&[kept, &written].concat());
        is_kept
    }

    fn remove(&mut self) {
        self.pass_on(b"");
    }

    fn pass_on(&mut self, bytes: &[u8]) {
        let is_first = !self.items.iter().any(Result::is_ok);
        if bytes.is_empty() {
            self.begins_with_removed |= is_first;
            return;
        }
        let blank: &[u8] = if is_first && self.begins_with_removed && bytes[0] == BOM[0] { b"\n" } else { b"" };
        self.items.push(Ok([blank, bytes].concat()));
    }
}

pub(super) fn word(error: DecodeError) -> String {
    match error {
        DecodeError::EventTooLarge { .. } => "event too large".to_owned(),
        DecodeError::CommentTooLarge { .. } => "comment too large".to_owned(),
        other => other.to_string(),
    }
}
