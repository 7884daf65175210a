//! The lint and the decoder agree: a stream without findings loses no line, and each line that is lost is in a finding.

use eventwire::{Block, BlockItem, Decoder, Eof};
use eventwire_lint::{Finding, Place};
use proptest::prelude::*;

use crate::streams;

/// A line of a stream, and where it is.
struct Line {
    text: Vec<u8>,
    place: Place,
    /// The last line of a stream may have no end.
    has_end: bool,
}

/// Splits a stream as the standard says, in the plainest way.
fn lines(stream: &[u8]) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut byte = if stream.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    while byte < stream.len() {
        let rest = &stream[byte..];
        let length = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
        let text = rest[..length.unwrap_or(rest.len())].to_vec();
        let end = match length {
            None => 0,
            Some(length) if rest[length..].starts_with(b"\r\n") => 2,
            Some(_) => 1,
        };
        let place = Place { line: lines.len() as u64 + 1, byte: byte as u64 };
        byte += text.len() + end;
        lines.push(Line { text, place, has_end: end > 0 });
    }
    lines
}

/// A block that is read line by line: what the decoder has to return, and the lines whose loss is certain.
#[derive(Default)]
struct Reading {
    blocks: Vec<Block>,
    comments: usize,
    /// The lines that have no effect, and the codes one of which has to name them.
    lost: Vec<(Place, &'static [&'static str])>,
}

fn read(stream: &[u8]) -> Reading {
    const UNKNOWN: &[&str] = &["missing-prefix", "field-case", "field-space", "unknown-field", "byte-order-mark"];
    let mut reading = Reading::default();
    let mut block = Block::default();
    let mut data: Option<String> = None;
    let (mut event_type, mut has_id, mut has_retry) = (None, false, false);
    let mut first = None;
    let mut has_event = false;
    for line in lines(stream) {
        let place = line.place;
        if line.text.is_empty() {
            if !line.has_end {
                continue;
            }
            if let Some(data) = data.take() {
                block = block.with_data(data);
            } else if let Some(place) = event_type.filter(|_| has_event) {
                reading.lost.push((place, &["no-data"]));
            }
            if block != Block::default() || block.data().is_some() {
                reading.blocks.push(block);
            }
            block = Block::default();
            (event_type, has_id, has_retry, first, has_event) = (None, false, false, None, false);
            continue;
        }
        let (name, value) = match line.text.iter().position(|byte| *byte == b':') {
            Some(colon) => (&line.text[..colon], &line.text[colon + 1..]),
            None => (&line.text[..], &b""[..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        let text = String::from_utf8_lossy(value).into_owned();
        let mut is_field = true;
        match name {
            b"" => {
                reading.comments += usize::from(line.has_end);
                is_field = false;
            }
            b"data" => match &mut data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(&text);
                }
                None => data = Some(text),
            },
            b"event" => {
                if event_type.replace(place).is_some() {
                    reading.lost.push((place, &["repeated-field"]));
                }
                has_event = true;
                block = block.with_event_type(text.parse().unwrap());
            }
            b"id" if value.contains(&0) => reading.lost.push((place, &["id-with-nul"])),
            b"id" => {
                if std::mem::replace(&mut has_id, true) {
                    reading.lost.push((place, &["repeated-field"]));
                }
                block = block.with_id(text.parse::<eventwire::EventId>().unwrap());
            }
            b"retry" if value.is_empty() || !value.iter().all(u8::is_ascii_digit) => {
                reading.lost.push((place, &["retry-not-digits"]));
            }
            b"retry" => {
                if std::mem::replace(&mut has_retry, true) {
                    reading.lost.push((place, &["repeated-field"]));
                }
                let milliseconds = text.parse().unwrap_or(u64::MAX);
                block = block.with_retry(std::time::Duration::from_millis(milliseconds));
            }
            _ => {
                reading.lost.push((place, UNKNOWN));
                is_field = false;
            }
        }
        // The reconnection time has its effect at once.
        if is_field && (name != b"retry" || !line.has_end) {
            first.get_or_insert(place);
        }
    }
    if let Some(place) = first {
        reading.lost.push((place, &["unfinished"]));
    }
    reading
}

/// Returns whether one of these findings names the place. Those with more than ten places name only the first.
fn is_named(findings: &[Finding], place: Place, codes: &[&str]) -> bool {
    findings.iter().filter(|finding| codes.contains(&finding.code)).any(|finding| {
        let is_cut =
            finding.count > finding.places.len() as u64 && finding.places.last().is_some_and(|last| *last < place);
        is_cut || finding.places.contains(&place)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn what_is_lost_is_found(stream in streams::stream()) {
        let findings = eventwire_lint::check(&stream);
        let Reading { blocks, comments, lost } = read(&stream);
        for (place, codes) in &lost {
            prop_assert!(is_named(&findings, *place, codes), "{place:?} {codes:?} in {findings:#?}");
        }
        // Nothing else is found, apart from what is no loss.
        let is_loss = |finding: &&Finding| !matches!(finding.code, "not-utf-8" | "literal-line-break" | "default-type");
        let found: u64 = findings.iter().filter(is_loss).map(|finding| finding.count).sum();
        prop_assert_eq!(found, lost.len() as u64, "{:#?}", findings);

        // The plain reading is that of the decoder.
        let mut decoder = Decoder::new().with_eof(Eof::Error);
        let mut input = bytes::Bytes::from(stream);
        let mut decoded = (Vec::new(), 0);
        while let Some(item) = decoder.decode_block_bytes(&mut input).unwrap() {
            match item {
                BlockItem::Block(block) => decoded.0.push(block),
                BlockItem::Comment(_) => decoded.1 += 1,
            }
        }
        // Without the ID that a block inherits. An empty type, which only a decoder returns, is the default.
        let fields = |blocks: Vec<Block>| -> Vec<_> {
            let name = |text: &str| if text.is_empty() { "message".to_owned() } else { text.to_owned() };
            let own = |text: Option<&str>| text.map(str::to_owned);
            blocks.iter().map(|block| (block.event_type().map(name), own(block.data()), own(block.id()), block.retry())).collect()
        };
        prop_assert_eq!((fields(decoded.0), decoded.1), (fields(blocks), comments));
    }
}
