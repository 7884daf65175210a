//! A search for what lines begin with.

/// How far the line at hand has been what is looked for. `None`: it is something else.
#[derive(Clone, Debug)]
pub(super) struct LineStarts(Option<usize>);

impl Default for LineStarts {
    /// At the start of a line.
    fn default() -> LineStarts {
        LineStarts(Some(0))
    }
}

impl LineStarts {
    /// Whether a line in `bytes` begins with `start`, or one that earlier bytes have begun.
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
