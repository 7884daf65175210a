//! Searches for a text at the start of lines, across chunk boundaries.

/// How many bytes of the current line match the searched text. `None` means that the line does not begin with it.
#[derive(Clone, Debug)]
pub(super) struct LineStarts(Option<usize>);

impl Default for LineStarts {
    /// Starts at the start of a line.
    fn default() -> LineStarts {
        LineStarts(Some(0))
    }
}

impl LineStarts {
    /// Whether a line begins with `start`: one in `bytes`, or one that began in earlier bytes.
    pub(super) fn find(&mut self, bytes: &[u8], start: &[u8]) -> bool {
        let mut rest = bytes;
        loop {
            if let Some(known) = self.0 {
                let expected = &start[known..];
                if rest.starts_with(expected) {
                    return true;
                }
                self.0 = expected.starts_with(rest).then_some(known + rest.len());
            }
            match memchr::memchr(b'\n', rest) {
                None => return false,
                Some(at) => rest = &rest[at + 1..],
            }
            self.0 = Some(0);
        }
    }
}
