/// The parser of eventsource-client, with eventwire in it. `.ci/long parsers` puts it in the place of the original.
#[must_use = "streams do nothing unless polled"]
pub struct EventParser {
    decoder: eventwire::Decoder,
    lines: eventwire::line::Lines,
    /// Whether lines other than comments have come since the last block.
    has_lines: bool,
    sse: VecDeque<SSE>,
    /// The tests begin with this line.
    #[cfg(test)]
    incomplete_line: Option<Vec<u8>>,
}

impl EventParser {
    pub fn new() -> Self {
        Self {
            decoder: eventwire::Decoder::new().with_utf8_policy(eventwire::Utf8Policy::Stop),
            lines: eventwire::line::Lines::new(),
            has_lines: false,
            sse: VecDeque::new(),
            #[cfg(test)]
            incomplete_line: None,
        }
    }

    pub fn was_processing(&self) -> bool {
        !self.lines.unfinished().is_empty() || !self.sse.is_empty()
    }

    pub fn get_event(&mut self) -> Option<SSE> {
        self.sse.pop_front()
    }

    pub fn process_bytes(&mut self, bytes: Bytes) -> Result<()> {
        // Line by line, to know which of them end a block that the decoder does not return.
        bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')).try_for_each(|line| self.process_line(line))
    }

    fn process_line(&mut self, line: &[u8]) -> Result<()> {
        let mut input = line;
        while let Some(item) = self.decoder.decode_block(&mut input).map_err(invalid_line)? {
            self.has_lines &= item.block().is_none();
            self.sse.extend(sse(item));
        }
        let mut input = line;
        while let Some(line) = self.lines.next(&mut input).map_err(invalid_line)? {
            match line {
                // None of the lines was a field.
                [] if self.has_lines && self.decoder.last_event_id().is_empty() => return Err(Error::InvalidEvent),
                [] => self.has_lines = false,
                [b':', ..] => {}
                _ => self.has_lines = true,
            }
        }
        Ok(())
    }

    #[cfg(test)]
    fn decode_and_buffer_lines(&mut self, chunk: Bytes) {
        let previous = self.incomplete_line.take().unwrap_or_default();
        let _ = self.process_bytes(previous.into());
        let _ = self.process_bytes(chunk);
    }
}

fn invalid_line(error: impl std::fmt::Display) -> Error {
    Error::InvalidLine(error.to_string())
}

/// A comment, or the event of a block.
fn sse(item: eventwire::BlockItemRef<'_>) -> Option<SSE> {
    let block = match item {
        eventwire::BlockItemRef::Comment(text) => return Some(SSE::Comment(text.into())),
        eventwire::BlockItemRef::Block(block) => block,
    };
    let event = block.event()?;
    Some(SSE::Event(Event {
        event_type: event.event_type().into(),
        data: event.data().into(),
        id: event.has_id().then(|| event.id().into()),
        retry: block.retry().and_then(|time| time.as_millis().try_into().ok()),
    }))
}
