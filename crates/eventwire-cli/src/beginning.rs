//! The beginning of an input, which explains why there was no event in it.

use anyhow::bail;
use eventwire::line::Field;

use crate::input::GZIP;
use crate::print::one_line;

/// How many bytes are kept, and how many characters of them are printed.
const KEPT: usize = 400;
const PRINTED: usize = 80;

/// The first bytes of an input, after white space.
#[derive(Default)]
pub(crate) struct Beginning(Vec<u8>);

impl Beginning {
    /// Looks at the next chunk. Returns whether to read on, which is pointless if the input is compressed.
    pub(crate) fn accepts<E>(&mut self, chunk: &Result<impl AsRef<[u8]>, E>) -> bool {
        if let Ok(chunk) = chunk {
            let chunk = chunk.as_ref();
            let chunk = if self.0.is_empty() { chunk.trim_ascii_start() } else { chunk };
            self.0.extend_from_slice(&chunk[..chunk.len().min(KEPT - self.0.len())]);
        }
        !self.0.starts_with(&GZIP)
    }

    /// Returns whether a line of it is a comment or a field, or there is no line yet.
    pub(crate) fn is_stream(&self) -> bool {
        let text = self.text();
        let mut lines = text.split(|byte| matches!(byte, b'\r' | b'\n'));
        text.is_empty() || lines.any(|line| Field::parse(line).0 != Field::Other)
    }

    /// Returns whether it begins as a recording does, and no event stream.
    pub(crate) fn is_recording(&self) -> bool {
        self.text().trim_ascii_start().starts_with(b"{")
    }

    fn text(&self) -> &[u8] {
        self.0.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(&self.0)
    }

    /// Returns why there is no event in an input that starts like this. Messages call it by this name.
    ///
    /// # Errors
    ///
    /// It is not an event stream, because none of its lines is a comment or a field.
    pub(crate) fn explain(&self, name: &str) -> anyhow::Result<String> {
        let text = self.text();
        if text.starts_with(&GZIP) {
            bail!("no event in {name}; it is compressed, and no Content-Encoding says so; pipe it into eventwire -");
        }
        if text.trim_ascii().is_empty() {
            return Ok(format!("no event in {name}; it is empty"));
        }
        if self.is_stream() {
            return Ok(format!("no event in {name}; it has only comments, or fields without data"));
        }
        let start = one_line(&String::from_utf8_lossy(text), PRINTED);
        bail!("no event in {name}; is it an event stream? it starts with {start}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_of_a_long_input_is_kept() {
        let mut beginning = Beginning::default();
        for chunk in [vec![b' '; 1_000], vec![b'x'; 300], vec![b'y'; 1_000_000]] {
            assert!(beginning.accepts(&Ok::<_, ()>(chunk)));
        }
        assert_eq!(beginning.0, [[b'x'; 300].as_slice(), &[b'y'; 100]].concat());
    }
}
